// The scheduler: receives cluster events, decides on the next pod of the active queue, and returns the actions to carry
// out. No I/O, no clock, no thread: all calls on the caller's thread.
//
//    upsert_pod ---> Queue ---> decide_next ---> BindAction   ---> bound / bind_failed
//    upsert_node --> Cluster        |            StatusAction
//    ...                            +----------> PreemptAction ---> preemption_finished
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/clock.h"
#include "base/error.h"
#include "base/rng.h"
#include "cluster/cluster.h"
#include "config/configuration.h"
#include "placement/decide.h"
#include "placement/framework.h"
#include "scheduler/actions.h"
#include "scheduler/intents.h"
#include "scheduler/queue/nominator.h"
#include "scheduler/queue/queue.h"
#include "scheduler/scheduler_metrics.h"
#include "scheduler/volume_binder.h"
#include "usage/load_tracker.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace rescheduler::scheduler {

struct SchedulerSettings {
  std::vector<placement::Profile> profiles{};
  QueueSettings queue{};
  int percentage_of_nodes_to_score = 100;
  std::optional<usage::LoadTrackerSettings> load{};  // nullopt: no profile uses load
  std::uint64_t seed = 1;                            // for breaking ties
  const Clock* clock = nullptr;                      // only to measure how long decisions take; null: not measured
};

class Scheduler {
 public:
  static Result<std::unique_ptr<Scheduler>> make(const SchedulerSettings& settings,
                                                 MetricRegistry& metrics,
                                                 WallTime now);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // --- Cluster events. Objects of the kinds of cluster::model_kinds(); other kinds are ignored. ---
  void upsert(const std::shared_ptr<const google::protobuf::Message>& object, WallTime now);
  void remove(const std::shared_ptr<const google::protobuf::Message>& object, WallTime now);
  // The load readings or the load basis changed. Pods that were rejected because of node load are tried again.
  void load_taken(const usage::Reading& reading, const std::string& source, WallTime now);
  void load_fell_back(cluster::LoadBasis basis, const std::string& source, WallTime now);

  // Another component moves a pod to the node: reserves this load there until release_move().
  void reserve_move(std::string_view key, std::string_view node, const cluster::Loads& load, WallTime now);
  void release_move(std::string_view key);
  // The measured usage of workloads. New pods of a workload reserve the usage of its other pods.
  void expect(usage::WorkloadUsagesPtr workload_usages) { workload_usages_ = std::move(workload_usages); }
  // Sets the target nodes of replacement pods.
  void set_intents(const std::vector<Intent>& intents) { intents_.set(intents); }

  // --- The next scheduling cycle. Empty: no pod is ready, or there is nothing to do for the pod. ---
  std::vector<SchedulingAction> decide_next(WallTime now, placement::Extenders* extenders = nullptr);
  bool ready() const { return queue_->ready(); }
  void tick(WallTime now) { queue_->tick(now); }
  std::optional<WallTime> next_deadline() const { return queue_->next_deadline(); }

  // --- Results of actions. ---
  void bound(const std::string& uid, WallTime now);
  std::vector<SchedulingAction> bind_failed(const std::string& uid, const Error& error, WallTime now);
  void preemption_finished(const std::string& uid, bool all, WallTime now);
  // The volumes reserved for a pod with claims (BindAction::has_claims). The caller writes them to the API server and
  // returns the unwritten ones with unreserve().
  ReservedVolumes take_reserved(const std::string& uid);
  void unreserve(const ReservedVolumes& volumes) { unreserve_volumes(cluster_.volumes(), volumes); }
  bool is_waiting(std::string_view uid) const { return waiting_.contains(std::string(uid)); }

  const cluster::Cluster& cluster() const { return cluster_; }
  cluster::Cluster& cluster() { return cluster_; }
  const Queue& queue() const { return *queue_; }
  const Nominator& nominator() const { return nominator_; }
  const placement::Framework& framework(std::size_t profile) const { return *frameworks_[profile]; }
  std::optional<std::size_t> profile_named(std::string_view scheduler_name) const;
  std::size_t binding_count() const { return binding_.size(); }
  void refresh_gauges() const;

 private:
  explicit Scheduler(const SchedulerSettings& settings, MetricRegistry& metrics);
  QueuePlugins queue_plugins();
  void load_changed(WallTime now);
  void reserve_load(const api::Pod& object, cluster::PodIndex index, WallTime now);
  void release_load(std::string_view uid);
  void predict(BindAction& order, cluster::NodeIndex node) const;
  PodObject object_of(const PodPtr& pod, std::size_t profile);

  void upsert_pod(const PodPtr& pod, WallTime now);
  void remove_pod(const PodPtr& pod, WallTime now);
  void upsert_waiting_pod(const PodPtr& pod, std::size_t profile, WallTime now);
  void no_longer_waiting(const std::string& uid, WallTime now);
  void on_event(cluster::ClusterEventPtr what, WallTime now);
  void clear_nomination(const PodObject& object, WallTime now);

  const placement::NominatedPods& nominated_pods();
  const std::vector<cluster::NodeIndex>& node_order();
  placement::DecideOptions options_for(const placement::Framework& framework);
  placement::Decision decide_timed(const placement::Framework& framework,
                                   const placement::PodContext& context,
                                   placement::DecideOptions options);
  std::vector<SchedulingAction> place(WaitingPod waiting,
                                      const placement::PodContext& context,
                                      const placement::Decision& decision,
                                      WallTime now);
  Result<void> reserve(const placement::PodContext& context, const cluster::Node& node);
  std::vector<SchedulingAction> handle_scheduling_failure(WaitingPod waiting,
                                                          const placement::Decision& decision,
                                                          WallTime now);
  void preempt(const WaitingPod& waiting,
               const placement::Decision& decision,
               WallTime now,
               std::vector<SchedulingAction>& actions);
  PluginIndexSet slots_of(std::size_t profile, const std::set<std::string>& names) const;

  SchedulerSettings settings_;
  SchedulerMetrics metrics_;
  cluster::Cluster cluster_;
  std::unique_ptr<usage::LoadTracker> load_tracker_;
  usage::WorkloadUsagesPtr workload_usages_;  // null: no measured usage
  std::vector<std::unique_ptr<placement::Framework>> frameworks_;
  std::unique_ptr<QueueMetrics> queue_metrics_;
  std::unique_ptr<Queue> queue_;
  Nominator nominator_;
  Intents intents_;
  boost::unordered_flat_map<std::string, PodObject> waiting_;         // by UID: every pending pod of this scheduler
  boost::unordered_flat_map<std::string, WaitingPod> binding_;        // by UID: assumed, binding result pending
  boost::unordered_flat_map<std::string, ReservedVolumes> reserved_;  // by UID, until take_reserved()
  boost::unordered_flat_map<std::string, WallTime> preempting_;       // by UID: when the eviction of its victims began
  std::chrono::nanoseconds last_decision_took_{};
  placement::NominatedPods nominated_pods_;
  std::uint64_t nominated_nodes_version_ = 0;   // Cluster::nodes_version() at the last rebuild
  std::vector<cluster::NodeIndex> node_order_;  // only if a search can stop early
  std::uint64_t ordered_nodes_ = 0;             // Cluster::nodes_version() at the last rebuild
  std::size_t next_start_ = 0;
  std::uint64_t decisions_ = 0;
  Rng rng_;
};

}  // namespace rescheduler::scheduler
