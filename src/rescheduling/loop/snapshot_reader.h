// The controller's view of the cluster: a World of its own, what is read off it at the start of a cycle, plans made on
// it, and the last look at a move before it begins. Belongs to the planning thread, so that planning never holds up a
// placement.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cluster/node_load.h"
#include "config/rescheduler_settings.h"
#include "kube/value/label_selector.h"
#include "placement/framework.h"
#include "rescheduling/loop/brakes.h"
#include "rescheduling/loop/maintenance.h"
#include "rescheduling/planning/make_plan.h"
#include "rescheduling/planning/plan.h"
#include "rescheduling/planning/snapshot.h"
#include "scheduler/cluster_sink.h"
#include "usage/load_tracker.h"
#include "usage/workload_usage.h"

namespace rescheduler::rescheduling {

using scheduler::LoadUpdate;

// What a pod was measured to use, in cores and bytes.
struct PodUse {
  std::string ns{};
  std::string name{};
  double cpu = 0;
  double memory = 0;
  WallTime at{};
};

struct SnapshotSummary {
  CycleFacts facts{};  // all but what the cluster does not say: pause, moves under way, backing off
  std::set<std::string> hot{};
  bool uneven = false;
  BalanceReport balance_report{};
  std::vector<MaintenanceNode> maintenance_nodes{};  // without what a plan finds out
  std::vector<std::string> warnings{};
};

// What a plan is asked for, before names have become uids.
struct PlanScope {
  std::vector<config::Strategy> strategies{};
  config::StrategyMode mode = config::StrategyMode::Act;  // only nodes where they have this one
  std::optional<Evidence> evidence{};
  Cooldowns cooldowns{};
  std::map<std::string, std::string> held{};  // by uid: being moved
  config::MoveCaps caps{};
  std::set<std::string> draining{};
  std::uint64_t seed = 1;
};

class SnapshotReader {
 public:
  using Planner = std::function<Plan(Snapshot&, const PlanRequest&)>;
  SnapshotReader(std::shared_ptr<const config::ReschedulerSettings> args,
                 std::unique_ptr<placement::Framework> framework,
                 const Clock& clock,
                 Planner planner);

  void upsert(const google::protobuf::Message& object);
  void remove(const google::protobuf::Message& object);
  void loads(const LoadUpdate& seen);
  // Says what pods of each workload are used to using.
  usage::WorkloadUsagesPtr pods_use(const std::vector<PodUse>& all);

  SnapshotSummary summarize(WallTime now);
  Plan plan(const PlanScope& scope, WallTime now);
  // Pods that have to leave a node: all but those that belong to it.
  std::size_t to_leave(const std::string& node) const;
  // Fills in what keeps pods on these nodes, from a plan that was to empty them. `moving`: some moves are under way.
  void add_blockers(const Plan& plan, bool moving, std::vector<MaintenanceNode>& nodes) const;
  // Is what the plan said of it still so? The reason why not, by its place.
  std::vector<std::optional<std::string>> check(const std::vector<PlannedMove>& moves,
                                                const PlanScope& scope,
                                                WallTime now);
  // What a pod will bring to another node, as a share of it.
  std::optional<cluster::Loads> load_there(const std::string& uid, const std::string& node) const;

  // Strategies may be switched while everything else stays.
  void set_args(std::shared_ptr<const config::ReschedulerSettings> args);

  Snapshot& snapshot() { return snapshot_; }

 private:
  struct NodeNote {
    std::string uid{};
    std::string version{};
    bool unschedulable = false;
    std::string cordoned_by{};
    bool uses_conditions = false;
  };

  // A pod that left while samples still show what it used there.
  struct Departure {
    cluster::Loads load{};  // of the node
    WallTime at{};
  };

  void note_departure(const api::Pod& pod);
  std::optional<usage::WorkloadUsage> use_of(cluster::PodIndex pod) const;
  cluster::Loads smoothed(const PodFacts& before, const PodUse& now) const;
  void apply(const std::string& node);
  PlanRequest request_for(const PlanScope& scope, WallTime now) const;
  HeldPods held_for(const PlanScope& scope) const;
  void find_hot(SnapshotSummary& summary) const;
  double trigger_for(const cluster::NodeInfo& node, const std::string& resource) const;
  bool is_fresh(WallTime now) const;

  std::shared_ptr<const config::ReschedulerSettings> args_;
  config::ReschedulerSettings acting_;  // the same, for plans of the one mode and the other
  config::ReschedulerSettings observing_;
  std::unique_ptr<placement::Framework> framework_;
  const Clock& clock_;
  Planner planner_;
  std::vector<kube::LabelSelector> pools_;  // in the settings' order
  Snapshot snapshot_;
  std::map<std::string, NodeNote> notes_;                     // of nodes, by name
  std::optional<WallTime> measured_;                          // when loads were last told
  usage::LoadTrackerSettings smoothing_;                      // as the scheduler's book has it
  usage::WorkloadUsageTracker workload_usages_;               // of workloads
  std::map<std::string, cluster::NodeLoad> told_;             // by node
  std::map<std::string, std::vector<Departure>> departures_;  // likewise
};

}  // namespace rescheduler::rescheduling
