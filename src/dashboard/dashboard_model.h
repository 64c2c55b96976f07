// The state behind the pages, in the format of /api/v1. It collects changes and publishes them to all viewers at most
// twice a second, however many changes there are.
//
// Used only on the thread of the event loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "dashboard/activity_log.h"
#include "dashboard/cluster_view.h"
#include "dashboard/event_stream.h"
#include "dashboard/migration_view.h"
#include "kube/client/api.h"
#include "rescheduling/loop/controller.h"
#include "rescheduling/recovery/live_recovery.h"
#include "scheduler/cluster_sink.h"

namespace rescheduler::dashboard {

struct DashboardModelSettings {
  std::string cluster{};  // display name
  std::string boot{};     // different at every start of the process
  double speed = 1;       // speed of time in a demo
  std::chrono::seconds history_every{10};
  std::chrono::nanoseconds load_freshness = std::chrono::minutes{3};
  std::vector<config::NodePool> pools{};
  cluster::BalanceWeights weights{};
};

struct LeaderStatus {
  bool here = false;
  std::string name{};  // empty: unknown
};

// Called while a view is built. Each can be empty.
struct DashboardSources {
  std::function<const rescheduling::ControllerStatus*()> status{};  // null: this process does not move pods
  std::function<std::vector<std::pair<config::Strategy, config::StrategyMode>>()> modes{};
  std::function<std::vector<rescheduling::recovery::SlotStatus>()> recovery{};  // empty: recovery is off
  std::function<LeaderStatus()> leader{};
  std::function<std::optional<std::string>()> load_sentence{};
};

class DashboardModel {
 public:
  // `clock` is the clock of the cluster. `clock` and `event_stream` must outlive the model.
  DashboardModel(const Clock& clock, EventStream& event_stream, DashboardModelSettings settings);

  void set_sources(DashboardSources sources) { sources_ = std::move(sources); }

  // --- Changes ---
  void upsert(const kube::ObjectPtr& object) { cluster_view_.upsert(*object, clock_.wall_now()); }
  void remove(const kube::ObjectPtr& object) { cluster_view_.remove(*object); }
  void loads(const scheduler::LoadUpdate& loads) { cluster_view_.loads(loads); }
  void migration(const api::Migration& migration, bool gone);
  void plan(const rescheduling::Plan& plan);  // a plan was adopted
  void add_activity(Activity activity) { activity_.add(std::move(activity), clock_.wall_now()); }
  void api_reachable();
  void api_unreachable(std::string problem);

  // Publishes the changes to all viewers; called about twice a second.
  void tick();

  // --- Views, as JSON ---
  std::string overview() const;
  std::string nodes();
  std::optional<std::string> node(std::string_view name) const;
  std::string pods(const PodQuery& query) const;
  std::string plans() const;
  std::string migrations() const { return migrations_.all(); }
  std::string recovery() const;
  std::string maintenance() const;
  std::string history(std::chrono::minutes back) const { return history_.json(back, clock_.wall_now()); }
  std::string activity(std::size_t limit) const { return activity_.newest(limit); }
  std::string hello() const;

  const DashboardModelSettings& settings() const { return settings_; }
  const ClusterView& cluster_view() const { return cluster_view_; }
  const MigrationView& migration_view() const { return migrations_; }
  const ActivityLog& activity_log() const { return activity_; }
  const rescheduling::ControllerStatus* status() const { return sources_.status ? sources_.status() : nullptr; }
  std::string pod_row(const PodEntry& pod) const;
  // JSON of the workload's slot with the most attempts; null if there is none.
  std::string attempts_of(const PodEntry& pod) const;

 private:
  std::string overview_but_time() const;
  cluster::Balance balance() const;
  std::string brakes_json() const;
  std::string paused_json() const;
  std::string strategies_json() const;
  std::string load_json() const;
  std::string pod_rows(const std::vector<const PodEntry*>& pods) const;
  std::string maintenance_of(std::string_view node) const;
  void report_brakes();
  void publish_if_new(std::string_view event, const std::string& json, std::string& before);

  const Clock& clock_;
  EventStream& event_stream_;
  DashboardModelSettings settings_;
  DashboardSources sources_;
  ClusterView cluster_view_;
  MigrationView migrations_;
  ActivityLog activity_;
  History history_;
  std::uint64_t revision_ = 0;
  bool reachable_ = true;
  WallTime reachable_since_;
  std::string problem_;
  std::string published_overview_;
  std::string published_plan_;
  std::string published_recovery_;
  std::string published_maintenance_;
  std::string reported_brakes_;
};

std::string quarantine_json(const std::string& node, const QuarantineView& view);

}  // namespace rescheduler::dashboard
