// The controller's view of the cluster. It takes a copy of the scheduler's cluster model at the start of a cycle and
// before moves begin, and adds what the model lacks. It summarizes this Snapshot, makes plans, and checks each move
// again before it begins. It runs on the planning thread, so that planning never delays a scheduling cycle.
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
#include "usage/pod_use.h"
#include "usage/workload_usage.h"

namespace rescheduler::rescheduling {

using scheduler::LoadUpdate;

struct SnapshotSummary {
  CycleFacts facts{};  // without pause, moves in progress and backoff, which the snapshot does not know
  std::set<std::string> hot{};
  bool uneven = false;
  BalanceReport balance_report{};
  std::vector<MaintenanceNode> maintenance_nodes{};  // without the fields that need a plan
  std::vector<std::string> warnings{};
};

// The scope of a plan, before pod names are resolved to uids.
struct PlanScope {
  std::vector<config::Strategy> strategies{};
  config::StrategyMode mode = config::StrategyMode::Act;  // only nodes where the strategies have this mode
  std::optional<Evidence> evidence{};
  Cooldowns cooldowns{};
  std::map<std::string, std::string> held{};  // by uid: in migration
  config::MoveCaps caps{};
  std::set<std::string> draining{};
  Steering steering{};
  std::uint64_t seed = 1;
};

class SnapshotReader {
 public:
  using Planner = std::function<Plan(const Snapshot&, const PlanRequest&)>;
  SnapshotReader(std::shared_ptr<const config::ReschedulerSettings> args,
                 std::unique_ptr<placement::Framework> framework,
                 const Clock& clock,
                 Planner planner);

  // Objects of Snapshot::kinds(). Their effect on the cluster model comes with the next take().
  void upsert(const google::protobuf::Message& object);
  void remove(const google::protobuf::Message& object);
  void loads(const LoadUpdate& seen) { measured_ = seen.at; }
  void take(std::unique_ptr<cluster::Cluster> copy);
  // Returns the typical usage per workload.
  usage::WorkloadUsagesPtr pods_use(const std::vector<usage::PodUse>& all);

  SnapshotSummary summarize(WallTime now);
  Plan plan(const PlanScope& scope, WallTime now);
  // Pods that have to leave the node: all except DaemonSet pods, static pods and finished pods.
  std::size_t to_leave(const std::string& node) const;
  // Fills in the pods that block the drain of these nodes, and those that the policy leaves there, from a plan that
  // tried to empty them. `moving`: moves are in progress.
  void add_blockers(const Plan& plan, bool moving, std::vector<MaintenanceNode>& nodes) const;
  // Checks whether each move is still valid. Returns, in the order of `moves`, the reason why not; empty: valid.
  std::vector<std::optional<std::string>> check(const std::vector<PlannedMove>& moves,
                                                const PlanScope& scope,
                                                WallTime now);
  // Load of the pod on another node, as a share of that node.
  std::optional<cluster::Loads> load_there(const std::string& uid, const std::string& node) const;

  // Replaces the settings; only the modes of strategies can differ.
  void set_args(std::shared_ptr<const config::ReschedulerSettings> args);

  const Snapshot& snapshot() const { return snapshot_; }

 private:
  struct NodeNote {
    std::string uid{};
    std::string version{};
    bool unschedulable = false;
    std::string cordoned_by{};
    std::string drain_status{};
    bool uses_conditions = false;
  };

  // A pod that has left while samples still include its usage.
  struct Departure {
    std::string uid{};
    cluster::Loads load{};  // share of the node
    WallTime at{};
  };

  void note_departure(const api::Pod& pod);
  std::optional<usage::WorkloadUsage> use_of(cluster::PodIndex pod) const;
  PodUsage smoothed(const PodUsage& before, const usage::PodUse& now) const;
  void subtract_departures(const std::string& node, std::vector<Departure>& departures);
  PlanRequest request_for(const PlanScope& scope, WallTime now) const;
  HeldPods held_for(const PlanScope& scope) const;
  void find_hot(SnapshotSummary& summary) const;
  MaintenanceNode maintenance_node(const cluster::NodeInfo& node, const NodeNote& note) const;
  const config::NodePool* pool_of(const cluster::NodeInfo& node) const;
  double trigger_for(const cluster::NodeInfo& node, const std::string& resource) const;
  bool is_fresh(WallTime now) const;

  std::shared_ptr<const config::ReschedulerSettings> args_;
  config::ReschedulerSettings acting_;  // copies for plans in mode act and in mode observe
  config::ReschedulerSettings observing_;
  std::unique_ptr<placement::Framework> framework_;
  const Clock& clock_;
  Planner planner_;
  std::vector<kube::LabelSelector> pools_;  // in the order of the settings
  Snapshot snapshot_;
  std::map<std::string, NodeNote> notes_;  // of nodes, by name
  std::optional<WallTime> measured_;       // time of the last load update
  usage::LoadTrackerSettings smoothing_;   // the same as in the LoadTracker of the scheduler
  usage::WorkloadUsageTracker workload_usages_;
  std::map<std::string, std::vector<Departure>> departures_;  // by node
};

}  // namespace rescheduler::rescheduling
