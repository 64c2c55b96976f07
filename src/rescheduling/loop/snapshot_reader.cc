#include "rescheduling/loop/snapshot_reader.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "cluster/estimate.h"
#include "cluster/objects/pods.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "placement/predicted_load.h"
#include "rescheduling/loop/modes.h"
#include "rescheduling/planning/balance_report.h"
#include "rescheduling/planning/movable.h"
#include "rescheduling/planning/pod_inventory.h"
#include "rescheduling/planning/what_if.h"
#include "scheduler/load_sources.h"
#include "usage/half_life.h"

namespace rescheduler::rescheduling {
namespace {

using cluster::NodeIndex;
using cluster::PodIndex;

constexpr double kMilli = 1000;
constexpr double kForgotten = 0.02;  // a departure is dropped when less than this share of it is still in the samples

// Time limit of the search. The interval between cycles is at least one second.
constexpr std::chrono::milliseconds kPlanningTime{800};

bool is_lifecycle_condition(const std::string& type) {
  return type == "MaintenancePlanned" || type == "MaintenanceInProgress" || type == "DrainInProgress"
         || type == "Drained";
}

// Static pods, DaemonSet pods and finished pods do not have to leave the node.
bool belongs_to_node(const PodFacts& facts) {
  return facts.mirror || (facts.owner && facts.owner->kind == "DaemonSet") || facts.phase == PodPhase::Over;
}

// Shares of a node; `otherwise` for a resource that the node does not have.
cluster::Loads shares_of(const usage::WorkloadUsage& used,
                         const cluster::ResourceList& whole,
                         cluster::Loads otherwise) {
  if (whole.cpu > 0) otherwise[cluster::kCpuLoad] = used.milli_cpu / static_cast<double>(whole.cpu);
  if (whole.memory > 0) otherwise[cluster::kMemoryLoad] = used.memory / static_cast<double>(whole.memory);
  return otherwise;
}

// Reasons that end by themselves, or that concern pods which need not leave. While moves are in progress, an exhausted
// budget and a missing replica are such reasons too.
bool is_passing(std::string_view code, bool moving) {
  if (moving && (code == why::kBudget || code == why::kDegraded || code == why::kNotReady)) return true;
  return code == why::kDaemon || code == why::kMirror || code == why::kTerminating || code == why::kCaps
         || code == why::kHeld || code == why::kNoOrder;
}

}  // namespace

SnapshotReader::SnapshotReader(std::shared_ptr<const config::ReschedulerSettings> args,
                               std::unique_ptr<placement::Framework> framework,
                               const Clock& clock,
                               Planner planner)
    : args_(std::move(args)),
      acting_(only_where(*args_, config::StrategyMode::Act)),
      observing_(only_where(*args_, config::StrategyMode::Observe)),
      framework_(std::move(framework)),
      clock_(clock),
      planner_(std::move(planner)),
      smoothing_(scheduler::load_tracker_settings(args_->load)) {
  for (const config::NodePool& pool : args_->rescheduling.pools) {
    // The selector was validated with the configuration; an invalid one matches no node.
    pools_.push_back(kube::LabelSelector::parse(pool.selector).value_or(kube::LabelSelector::nothing()));
  }
}

void SnapshotReader::set_args(std::shared_ptr<const config::ReschedulerSettings> args) {
  args_ = std::move(args);
  acting_ = only_where(*args_, config::StrategyMode::Act);
  observing_ = only_where(*args_, config::StrategyMode::Observe);
}

void SnapshotReader::upsert(const google::protobuf::Message& object) {
  if (object.GetDescriptor() == api::Pod::descriptor()) {
    const auto& pod = static_cast<const api::Pod&>(object);
    if (cluster::is_finished(pod)) note_departure(pod);  // a finished pod can stay in the API for a long time
  }
  snapshot_.note_upsert(object);
  if (object.GetDescriptor() != api::Node::descriptor()) return;
  const auto& node = static_cast<const api::Node&>(object);
  const auto& annotations = node.metadata().annotations();
  const auto annotation = [&](std::string_view key) {
    const auto found = annotations.find(std::string(key));
    return found == annotations.end() ? std::string{} : found->second;
  };
  NodeNote& note = notes_[node.metadata().name()];
  note.uid = node.metadata().uid();
  note.version = node.metadata().resource_version();
  note.unschedulable = node.spec().unschedulable();
  note.cordoned_by = annotation(kCordonedByKey);
  note.drain_status = annotation(kDrainStatusKey);
  note.uses_conditions = std::ranges::any_of(node.status().conditions(), [](const api::NodeCondition& condition) {
    return is_lifecycle_condition(condition.type());
  });
}

void SnapshotReader::remove(const google::protobuf::Message& object) {
  if (object.GetDescriptor() == api::Pod::descriptor()) note_departure(static_cast<const api::Pod&>(object));
  snapshot_.note_remove(object);
  if (object.GetDescriptor() != api::Node::descriptor()) return;
  notes_.erase(static_cast<const api::Node&>(object).metadata().name());
}

void SnapshotReader::take(std::unique_ptr<cluster::Cluster> copy) {
  snapshot_.set_cluster(std::move(copy));
  for (auto& [node, departures] : departures_) subtract_departures(node, departures);
  std::erase_if(departures_, [](const auto& entry) { return entry.second.empty(); });
}

// The pod is still in the copy of the model. A pod that came after this copy was made is ignored: it ran for less than
// a cycle, and the samples are means over minutes.
void SnapshotReader::note_departure(const api::Pod& pod) {
  const cluster::Cluster& cluster = snapshot_.cluster();
  const auto index = cluster.find_pod(pod.metadata().uid());
  if (!index) return;
  const cluster::NodeInfo& node = cluster.node(cluster.pod(*index).node);
  if (!node.exists()) return;
  const cluster::ResourceList& whole = node.node->allocatable;
  std::vector<Departure>& departures = departures_[node.node->name];
  // A finished pod comes here twice: when it finishes, and when it is deleted.
  if (std::ranges::find(departures, pod.metadata().uid(), &Departure::uid) != departures.end()) return;
  Departure departure{pod.metadata().uid(),
                      cluster::estimated_loads(cluster.pod(*index).compiled_spec->requirements->requests, whole),
                      clock_.wall_now()};
  if (const auto used = use_of(*index)) departure.load = shares_of(*used, whole, departure.load);
  departures.push_back(std::move(departure));
}

// Measured usage, else the typical usage of the workload.
std::optional<usage::WorkloadUsage> SnapshotReader::use_of(PodIndex index) const {
  const PodUsage measured = snapshot_.usage_of(index);
  if (measured.complete()) return usage::WorkloadUsage{measured.cores * kMilli, measured.bytes};
  const usage::WorkloadUsage* known = snapshot_.workload_usage_of(snapshot_.facts(index));
  return known == nullptr ? std::nullopt : std::optional(*known);
}

// Subtracts the load of pods that have left from the measured load. Samples are means over minutes, so a relieved node
// still looks hot. Without this correction too many pods would be moved away.
void SnapshotReader::subtract_departures(const std::string& name, std::vector<Departure>& departures) {
  cluster::Cluster& cluster = snapshot_.cluster();
  const auto node = cluster.find_node(name);
  if (!node) return departures.clear();
  if (!measured_) return;
  cluster::NodeLoad load = cluster.node(*node).load;
  std::erase_if(departures, [&](const Departure& one) {
    double most = 0;
    for (std::size_t r = 0; r < smoothing_.resources.size(); ++r) {
      const double share = usage::unseen(*measured_ - one.at, smoothing_.resources[r].averaged, smoothing_.smoothing);
      if (load.knows(r)) load.used[r] = std::max(0.0, load.used[r] - one.load[r] * share);  // unknown stays unknown
      most = std::max(most, share);
    }
    return most < kForgotten;
  });
  cluster.set_load(*node, load);
}

// A single sample of a pod is unreliable: a pod that is selected at its peak uses less afterwards. So usage of pods is
// smoothed in the same way as the load of nodes, which also keeps both comparable.
PodUsage SnapshotReader::smoothed(const PodUsage& before, const usage::PodUse& now) const {
  PodUsage used{now.cpu, now.memory, now.at};
  const usage::SmoothingSettings& how = smoothing_.smoothing;
  if (how.kind != usage::Smoothing::Ewma || before.at == WallTime{}) return used;
  const double weight = usage::weight_of_new(now.at - before.at, how.half_life);
  if (!std::isnan(before.cores)) used.cores = before.cores + weight * (used.cores - before.cores);
  if (!std::isnan(before.bytes)) used.bytes = before.bytes + weight * (used.bytes - before.bytes);
  return used;
}

usage::WorkloadUsagesPtr SnapshotReader::pods_use(const std::vector<usage::PodUse>& all) {
  std::map<Cooldowns::PodName, const usage::PodUse*> by_name;
  for (const usage::PodUse& one : all) by_name[{one.ns, one.name}] = &one;
  struct Sum {
    usage::WorkloadUsage workload_usage{};
    double pods = 0;
  };
  std::map<std::string, Sum> sums;  // by workload
  const cluster::Cluster& cluster = snapshot_.cluster();
  for (const NodeIndex node : cluster.existing_nodes()) {
    for (const PodIndex index : cluster.node(node).pods) {
      const auto found = by_name.find({snapshot_.namespace_of(index), cluster.pod(index).name});
      if (found == by_name.end()) {
        snapshot_.set_pod_usage(index, {});
        continue;
      }
      const usage::PodUse& now = *found->second;
      snapshot_.set_pod_usage(index, smoothed(snapshot_.usage_of(index), now));
      if (!snapshot_.facts(index).owner) continue;
      Sum& sum = sums[snapshot_.facts(index).owner->workload];
      sum.workload_usage.milli_cpu += now.cpu * kMilli;
      sum.workload_usage.memory += now.memory;
      ++sum.pods;
    }
  }
  const WallTime now = clock_.wall_now();
  for (const auto& [workload, sum] : sums) {
    workload_usages_.observe(workload, {sum.workload_usage.milli_cpu / sum.pods, sum.workload_usage.memory / sum.pods},
                             now);
  }
  usage::WorkloadUsagesPtr known = workload_usages_.take(now);
  snapshot_.set_workload_usages(known);
  return known;
}

// Load updates that are too old count as unknown.
bool SnapshotReader::is_fresh(WallTime now) const {
  const cluster::LoadSummary& load_summary = snapshot_.cluster().load_summary();
  // Requests are always current. Without a configured source they are the intended basis. If all configured sources
  // fail, requests serve only for scheduling, and no pod is moved because of them.
  if (args_->load.sources.empty() && load_summary.basis == cluster::LoadBasis::Requests) return true;
  if (load_summary.basis != cluster::LoadBasis::Usage || !measured_) return false;
  return now - *measured_ <= args_->load.freshness;
}

// The first pool that matches the node; null: none.
const config::NodePool* SnapshotReader::pool_of(const cluster::NodeInfo& node) const {
  const cluster::NodeLabels labels(*node.node, snapshot_.cluster().interner().symbols);
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    if (pools_[i].matches(labels)) return &args_->rescheduling.pools[i];
  }
  return nullptr;
}

// Percent: the trigger of the pool, else of all nodes, else the threshold above which the node gets no new pods.
double SnapshotReader::trigger_for(const cluster::NodeInfo& node, const std::string& resource) const {
  if (const config::NodePool* pool = pool_of(node)) {
    const auto found = pool->bands.find(resource);
    if (found != pool->bands.end()) return found->second.trigger;
  }
  const auto& bands = args_->rescheduling.load_balancing.bands;
  const auto found = bands.find(resource);
  if (found != bands.end()) return found->second.trigger;
  if (resource == "cpu") return args_->placing.cpu_threshold;
  if (resource == "memory") return args_->placing.memory_threshold;
  const auto further = std::ranges::find(args_->load.resources, resource, &cluster::LoadResource::name);
  return further != args_->load.resources.end() ? further->threshold : config::LoadBand{}.trigger;
}

void SnapshotReader::find_hot(SnapshotSummary& summary) const {
  const cluster::Cluster& cluster = snapshot_.cluster();
  const cluster::LoadSummary& load_summary = cluster.load_summary();
  const std::vector<NodeIndex> nodes = balanceable_nodes(snapshot_);
  for (const NodeIndex index : nodes) {
    const cluster::NodeInfo& node = cluster.node(index);
    for (std::size_t i = 0; i < load_summary.resources.size(); ++i) {
      const double load = placement::predicted_load(node, i, load_summary) * 100;
      if (load > trigger_for(node, load_summary.resources[i])) summary.hot.insert(node.node->name);
    }
  }
  const double limit = args_->rescheduling.load_balancing.deviation_trigger;
  for (const std::size_t resource : {cluster::kCpuLoad, cluster::kMemoryLoad}) {
    if (spread_of(snapshot_, nodes, resource).deviation * 100 > limit) summary.uneven = true;
  }
}

MaintenanceNode SnapshotReader::maintenance_node(const cluster::NodeInfo& node, const NodeNote& note) const {
  MaintenanceNode made;
  made.name = node.node->name;
  made.uid = note.uid;
  made.version = note.version;
  made.marked = node.node->status.maintenance;
  made.unschedulable = note.unschedulable;
  made.cordoned_by = note.cordoned_by;
  made.drain_status = note.drain_status;
  made.mode = mode_of(*args_, config::Strategy::NodeMaintenance);
  const config::NodePool* pool = pool_of(node);
  if (pool != nullptr && args_->rescheduling.enabled) {
    made.mode = mode_in(*pool, config::Strategy::NodeMaintenance, made.mode);
  }
  made.uses_conditions = note.uses_conditions;
  made.to_leave = to_leave(made.name);
  return made;
}

SnapshotSummary SnapshotReader::summarize(WallTime now) {
  SnapshotSummary summary;
  const cluster::Cluster& cluster = snapshot_.cluster();
  std::map<std::string, ZoneHealth> zones;
  const bool by_requests = cluster.load_summary().basis == cluster::LoadBasis::Requests;
  std::size_t known = 0;
  std::size_t ready = 0;
  for (const NodeIndex index : cluster.existing_nodes()) {
    const NodeStatus& facts = snapshot_.node_status(index);
    ZoneHealth& zone = zones[facts.zone];
    zone.name = facts.zone;
    ++zone.nodes;
    if (!facts.ready) ++zone.unready;
    if (facts.ready) ++ready;
    const cluster::NodeInfo& node = cluster.node(index);
    if (facts.ready && (by_requests || node.load.knows(cluster::kCpuLoad))) ++known;
    const auto note = notes_.find(node.node->name);
    if (note == notes_.end()) continue;
    if (facts.maintenance || !note->second.cordoned_by.empty() || !note->second.drain_status.empty()) {
      summary.maintenance_nodes.push_back(maintenance_node(node, note->second));
    }
  }
  std::ranges::sort(summary.maintenance_nodes, {}, &MaintenanceNode::name);
  for (auto& [name, zone] : zones) summary.facts.zones.push_back(std::move(zone));
  summary.facts.pending = snapshot_.waiting_pods();
  summary.facts.pods = cluster.pod_count() + summary.facts.pending;
  // More than half of the ready nodes must be known; otherwise the mean is meaningless.
  summary.facts.load_fresh = is_fresh(now) && known * 2 > ready;
  summary.facts.load_source = cluster.load_summary().source;
  if (summary.facts.load_fresh) find_hot(summary);
  summary.balance_report = balance_report_of(snapshot_, *args_);
  summary.warnings = snapshot_.take_warnings();
  return summary;
}

std::size_t SnapshotReader::to_leave(const std::string& name) const {
  const auto node = snapshot_.cluster().find_node(name);
  if (!node) return 0;
  const auto& pods = snapshot_.cluster().node(*node).pods;
  return static_cast<std::size_t>(
      std::ranges::count_if(pods, [&](PodIndex pod) { return !belongs_to_node(snapshot_.facts(pod)); }));
}

void SnapshotReader::add_blockers(const Plan& plan, bool moving, std::vector<MaintenanceNode>& nodes) const {
  for (MaintenanceNode& node : nodes) {
    for (const UnmovedPod& refusal : plan.refused) {
      if (refusal.node != node.name || is_passing(refusal.code, moving)) continue;
      (refusal.left ? node.staying : node.blockers)
          .push_back(fmt::format("{}/{}: {}", refusal.ns, refusal.pod, refusal.reason));
    }
    std::ranges::sort(node.blockers);
    std::ranges::sort(node.staying);
    node.to_leave -= std::min(node.to_leave, node.staying.size());
  }
}

HeldPods SnapshotReader::held_for(const PlanScope& scope) const {
  HeldPods held;
  held.pods = scope.held;
  held.ping_pong = scope.cooldowns.ping_pong;
  if (scope.cooldowns.pods.empty() && scope.cooldowns.lineages.empty()) return held;
  const cluster::Cluster& cluster = snapshot_.cluster();
  for (const NodeIndex node : cluster.existing_nodes()) {
    for (const PodIndex index : cluster.node(node).pods) {
      const cluster::AssignedPod& pod = cluster.pod(index);
      const auto by_name = scope.cooldowns.pods.find({snapshot_.namespace_of(index), pod.name});
      if (by_name != scope.cooldowns.pods.end()) held.pods.try_emplace(pod.uid, by_name->second);
      if (scope.cooldowns.lineages.empty()) continue;
      const auto by_lineage = scope.cooldowns.lineages.find(snapshot_.lineage_of(index));
      if (by_lineage != scope.cooldowns.lineages.end()) held.pods.try_emplace(pod.uid, by_lineage->second);
    }
  }
  return held;
}

PlanRequest SnapshotReader::request_for(const PlanScope& scope, WallTime now) const {
  PlanRequest request;
  request.args = scope.mode == config::StrategyMode::Observe ? &observing_ : &acting_;
  request.framework = framework_.get();
  request.strategies = scope.strategies;
  request.evidence = scope.evidence;
  request.held = held_for(scope);
  request.caps = scope.caps;
  request.draining = scope.draining;
  request.steering = scope.steering;
  request.now = now;
  request.seed = scope.seed;
  request.clock = &clock_;
  request.time = kPlanningTime;
  return request;
}

Plan SnapshotReader::plan(const PlanScope& scope, WallTime now) {
  const PlanRequest request = request_for(scope, now);
  return planner_(snapshot_, request);
}

std::vector<std::optional<std::string>> SnapshotReader::check(const std::vector<PlannedMove>& moves,
                                                              const PlanScope& scope,
                                                              WallTime now) {
  std::vector<std::optional<std::string>> answers;
  const PlanRequest request = request_for(scope, now);
  Snapshot trial(snapshot_);
  const PodInventory inventory(trial);
  const Movable movable(trial, inventory, request);
  WhatIf what_if(trial, inventory, *framework_);
  for (const PlannedMove& move : moves) {
    const auto answer = [&]() -> std::optional<std::string> {
      const auto pod = snapshot_.cluster().find_pod(move.uid);
      if (!pod) return "the pod is gone";
      const auto source = snapshot_.cluster().find_node(move.source);
      if (!source || snapshot_.cluster().pod(*pod).node != *source) return "the pod is not on " + move.source;
      const auto target = snapshot_.cluster().find_node(move.target);
      if (!target) return fmt::format("the node {} is gone", move.target);
      if (!snapshot_.node_status(*target).ready) return fmt::format("the node {} is not ready", move.target);
      if (scope.draining.contains(move.target) || snapshot_.node_status(*target).maintenance) {
        return fmt::format("the node {} is under maintenance", move.target);
      }
      const auto purpose = move.strategy == config::Strategy::NodeMaintenance ? Purpose::Empty : Purpose::Improve;
      const auto blocker = movable.why_not_movable(*pod, purpose);
      if (blocker) return blocker->reason;
      what_if.unassign(*pod);
      if (!what_if.admits(*pod, *target)) {
        what_if.assign(*pod, *source);
        return fmt::format("the pod no longer fits on {}", move.target);
      }
      what_if.assign(*pod, *target);  // the checks of later moves see the pod there
      return std::nullopt;
    }();
    answers.push_back(answer);
  }
  return answers;
}

std::optional<cluster::Loads> SnapshotReader::load_there(const std::string& uid, const std::string& name) const {
  const auto pod = snapshot_.cluster().find_pod(uid);
  const auto node = snapshot_.cluster().find_node(name);
  if (!pod || !node) return std::nullopt;
  const auto& requirements = *snapshot_.cluster().pod(*pod).compiled_spec->requirements;
  const auto used = use_of(*pod);
  return usage::expected_loads(requirements.requests, used ? &*used : nullptr,
                               snapshot_.cluster().node(*node).node->allocatable);
}

}  // namespace rescheduler::rescheduling
