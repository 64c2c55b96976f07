// The state behind the pages: what the daemon is told anyway, in the words of /api/v1. Changes are gathered and told
// to everybody who looks at most twice a second, however much happens.
//
// Belongs to the loop's thread.
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
#include "dashboard/cluster_book.h"
#include "dashboard/feed.h"
#include "dashboard/migration_book.h"
#include "dashboard/news_ring.h"
#include "kube/client/api.h"
#include "rescheduler/loop/controller.h"
#include "rescheduler/recovery/live_recovery.h"
#include "scheduler/cluster_sink.h"

namespace rescheduler::dashboard {

struct BoardSettings {
  std::string cluster{};  // what people call it
  std::string boot{};     // another one at every start
  double speed = 1;       // of a demo's time
  std::chrono::seconds history_every{10};
  std::chrono::nanoseconds load_freshness = std::chrono::minutes{3};
  std::vector<config::NodePool> pools{};
  cluster::BalanceWeights weights{};
};

struct LeaderWord {
  bool here = false;
  std::string name{};  // empty: nobody knows
};

// Asked while a view is made. Any may be empty.
struct BoardSources {
  std::function<const rescheduling::ControllerStatus*()> status{};  // null: nothing is moved
  std::function<std::vector<std::pair<config::Strategy, config::StrategyMode>>()> modes{};
  std::function<std::vector<rescheduling::recovery::SlotPicture>()> recovery{};  // empty: it is switched off
  std::function<LeaderWord()> leader{};
  std::function<std::optional<std::string>()> load_sentence{};
};

class Board {
 public:
  // The clock is the cluster's; clock and feed outlive it.
  Board(const Clock& clock, Feed& feed, BoardSettings settings);

  void ask(BoardSources sources) { sources_ = std::move(sources); }

  // --- What happens. ---
  void seen(const kube::ObjectPtr& object) { book_.seen(*object, clock_.wall_now()); }
  void gone(const kube::ObjectPtr& object) { book_.gone(*object); }
  void loads(const scheduler::LoadsSeen& loads) { book_.loads(loads); }
  void migration(const api::Migration& migration, bool gone);
  void plan(const rescheduling::Plan& plan);  // is begun with
  void tell(News news) { news_.tell(std::move(news), clock_.wall_now()); }
  void api_answers();
  void api_is_silent(std::string problem);

  // Tells everybody what has changed; some twice a second.
  void tick();

  // --- What is asked, as JSON. ---
  std::string overview() const;
  std::string nodes();
  std::optional<std::string> node(std::string_view name) const;
  std::string pods(const PodQuery& query) const;
  std::string plans() const;
  std::string migrations() const { return migrations_.all(); }
  std::string recovery() const;
  std::string maintenance() const;
  std::string history(std::chrono::minutes back) const { return history_.json(back, clock_.wall_now()); }
  std::string news(std::size_t limit) const { return news_.newest(limit); }
  std::string hello() const;

  const BoardSettings& settings() const { return settings_; }
  const ClusterBook& book() const { return book_; }
  const MigrationBook& migration_book() const { return migrations_; }
  const NewsRing& news_ring() const { return news_; }
  const rescheduling::ControllerStatus* status() const { return sources_.status ? sources_.status() : nullptr; }
  std::string pod_row(const PodEntry& pod) const;
  // Of this workload's slots, JSON of the one with most attempts; null.
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
  void tell_brakes();
  void publish_if_new(std::string_view event, const std::string& json, std::string& before);

  const Clock& clock_;
  Feed& feed_;
  BoardSettings settings_;
  BoardSources sources_;
  ClusterBook book_;
  MigrationBook migrations_;
  NewsRing news_;
  History history_;
  std::uint64_t revision_ = 0;
  bool reachable_ = true;
  WallTime reachable_since_;
  std::string problem_;
  std::string told_overview_;
  std::string told_plan_;
  std::string told_recovery_;
  std::string told_maintenance_;
  std::string told_brakes_;
};

std::string quarantine_json(const std::string& node, const QuarantineWord& word);

}  // namespace rescheduler::dashboard
