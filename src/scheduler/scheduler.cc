#include "scheduler/scheduler.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "base/log.h"
#include "kube/proto/core_pod.pb.h"
#include "placement/registry.h"
#include "placement/visited_nodes.h"
#include "placement/volume_decision.h"
#include "scheduler/decision_log.h"
#include "scheduler/messages.h"
#include "scheduler/node_order.h"
#include "scheduler/node_sample.h"
#include "scheduler/queue/queue_metrics.h"

namespace rescheduler::scheduler {
namespace {

// Single plugins are timed in one of kDecisionsPerSample decisions, on at most kNodesPerSample nodes.
constexpr std::uint64_t kDecisionsPerSample = 20;
constexpr std::size_t kNodesPerSample = 16;

}  // namespace

Scheduler::Scheduler(const SchedulerSettings& settings, MetricRegistry& metrics)
    : settings_(settings), metrics_(metrics), rng_(settings.seed) {
  if (settings_.load) load_tracker_ = std::make_unique<usage::LoadTracker>(*settings_.load, cluster_);
}
Scheduler::~Scheduler() = default;

Result<std::unique_ptr<Scheduler>> Scheduler::make(const SchedulerSettings& settings,
                                                   MetricRegistry& metrics,
                                                   WallTime now) {
  std::unique_ptr<Scheduler> made(new Scheduler(settings, metrics));
  for (const placement::Profile& profile : settings.profiles) {
    auto framework = placement::Framework::make(profile, placement::Registry::standard());
    if (!framework) return fail(std::move(framework.error()));
    made->frameworks_.push_back(std::move(*framework));
  }
  made->queue_metrics_ = std::make_unique<QueueMetrics>(metrics);
  made->queue_ = std::make_unique<Queue>(settings.queue, made->queue_plugins(), now, made->queue_metrics_.get());
  return made;
}

QueuePlugins Scheduler::queue_plugins() {
  QueuePlugins plugins;
  for (const auto& framework : frameworks_) {
    ProfilePlugins profile{framework->profile().scheduler_name, {}};
    for (const auto& plugin : framework->plugins()) {
      profile.plugins.push_back({std::string(plugin->name()), plugin->events_to_register()});
    }
    plugins.profiles.push_back(std::move(profile));
  }
  plugins.pre_enqueue = [this](const WaitingPod& pod) -> std::optional<GateReason> {
    const placement::Framework& framework = *frameworks_[pod.object.profile];
    const placement::Plugin* preemption = framework.find("DefaultPreemption");
    if (preemption != nullptr && preempting_.contains(pod.uid())) {
      return GateReason{preemption->slot(), "waiting for the preemption for this pod to be finished"};
    }
    const auto context = placement::make_pod_context(cluster_, *pod.object.pod, *pod.object.compiled_spec);
    const auto held = placement::run_pre_enqueue(framework, context);
    if (!held) return std::nullopt;
    return GateReason{framework.find(held->plugin)->slot(), held->message()};
  };
  plugins.hint = [this](const WaitingPod& pod, const placement::ClusterEventWithHint& interest,
                        const cluster::ClusterEvent& what) {
    return interest.hint(placement::make_pod_context(cluster_, *pod.object.pod, *pod.object.compiled_spec), what);
  };
  return plugins;
}

std::optional<std::size_t> Scheduler::profile_named(std::string_view scheduler_name) const {
  for (std::size_t i = 0; i < frameworks_.size(); ++i) {
    if (frameworks_[i]->profile().scheduler_name == scheduler_name) return i;
  }
  return std::nullopt;
}

PodObject Scheduler::object_of(const PodPtr& pod, std::size_t profile) {
  return {pod, cluster_.compiled_spec_of(*pod), cluster_.interner().symbols.intern(pod->metadata().namespace_()),
          cluster_.interner().labels.intern(pod->metadata().labels()), profile};
}

void Scheduler::refresh_gauges() const {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): gauges are not part of the scheduler's state
  const_cast<SchedulerMetrics&>(metrics_).cache(cluster_.node_count(), cluster_.pod_count(), cluster_.assumed_count());
}

// --- Scheduling cycle ---

// Updates the nodes whose nominations changed. Rebuilds everything when nodes were added or removed, because a
// NodeIndex may then denote another node.
const placement::NominatedPods& Scheduler::nominated_pods() {
  std::set<std::string> changed = nominator_.take_changed();
  if (nominated_nodes_version_ != cluster_.nodes_version()) {
    nominated_nodes_version_ = cluster_.nodes_version();
    nominated_pods_.clear();
    for (const auto& [name, pods] : nominator_.by_node()) changed.insert(name);
  }
  for (const std::string& name : changed) {
    const auto node = cluster_.find_node(name);
    if (!node) continue;
    nominated_pods_.erase(*node);
    const auto found = nominator_.by_node().find(name);
    if (found == nominator_.by_node().end()) continue;
    for (const PodObject& object : found->second) {
      nominated_pods_[*node].push_back(std::make_shared<const cluster::AssignedPod>(
          cluster_.hypothetical_pod(*object.pod, object.compiled_spec, *node)));
    }
  }
  return nominated_pods_;
}

const std::vector<cluster::NodeIndex>& Scheduler::node_order() {
  if (ordered_nodes_ != cluster_.nodes_version()) node_order_ = zone_interleaved(cluster_);
  ordered_nodes_ = cluster_.nodes_version();
  return node_order_;
}

placement::DecideOptions Scheduler::options_for(const placement::Framework& framework) {
  placement::DecideOptions options;
  options.tie_break = rng_.next();
  const int share = framework.profile().percentage_of_nodes_to_score.value_or(settings_.percentage_of_nodes_to_score);
  options.most_feasible = nodes_to_find(cluster_.node_count(), share);
  options.start = next_start_;
  if (options.most_feasible < cluster_.node_count()) options.order = node_order();
  return options;
}

std::vector<SchedulingAction> Scheduler::decide_next(WallTime now, placement::Extenders* extenders) {
  auto popped = queue_->pop(now);
  if (!popped) return {};
  WaitingPod waiting = std::move(*popped);
  const PodPtr pod = waiting.object.pod;
  if (pod->metadata().has_deletion_timestamp() || cluster_.find_pod(waiting.uid())) {
    queue_->done(waiting.uid());
    if (!pod->metadata().has_deletion_timestamp()) return {};
    StatusAction skipped{pod, waiting.object.profile};
    skipped.message =
        fmt::format("skip schedule deleting pod: {}/{}", pod->metadata().namespace_(), pod->metadata().name());
    skipped.event_only = true;
    return {skipped};
  }
  const placement::Framework& framework = *frameworks_[waiting.object.profile];
  const auto context = placement::make_pod_context(cluster_, *pod, *waiting.object.compiled_spec);
  framework.prepare(cluster_, context);
  auto options = options_for(framework);
  options.extenders = extenders;
  options.explain = logs_reasons();
  if (!intents_.empty() && pod->status().nominated_node_name().empty()) {
    const Intent* wanted = intents_.intent_for(
        *pod, [this](const std::string& uid) { return waiting_.contains(uid) || cluster_.find_pod(uid).has_value(); });
    if (wanted != nullptr) {
      options.first = wanted->target;
      options.avoid = wanted->avoid;
    }
  }
  const placement::Decision decision = decide_timed(framework, context, options);
  if (const std::size_t nodes = cluster_.node_count(); nodes != 0) {
    next_start_ = (next_start_ + decision.evaluated) % nodes;
  }
  for (const std::string& remark : decision.diagnosis.remarks) {
    log_warning(messages::kPodRemark,
                {{"pod", pod->metadata().namespace_() + "/" + pod->metadata().name()}, {"remark", remark}});
  }
  log_decision(*pod, decision, cluster_);
  if (decision.outcome == placement::Outcome::Scheduled) {
    return place(std::move(waiting), context, decision, now);
  }
  return handle_scheduling_failure(std::move(waiting), decision, now);
}

// Every decision is timed as a whole; single plugins are timed only in a sample of decisions.
placement::Decision Scheduler::decide_timed(const placement::Framework& framework,
                                            const placement::PodContext& context,
                                            placement::DecideOptions options) {
  if (settings_.clock == nullptr) return placement::decide(framework, context, nominated_pods(), options);
  MetricPluginTimer plugin_timer(metrics_, *settings_.clock, framework.profile().scheduler_name);
  options.plugin_timer = &plugin_timer;
  const auto begun = plugin_timer.now();
  placement::Decision decision = placement::decide(framework, context, nominated_pods(), options);
  last_decision_took_ = plugin_timer.now() - begun;
  metrics_.algorithm(last_decision_took_);
  if (decisions_++ % kDecisionsPerSample == 0) {
    const std::span nodes(decision.feasible);
    placement::time_plugins(framework, context, nodes.first(std::min(nodes.size(), kNodesPerSample)), plugin_timer);
  }
  return decision;
}

// Reserves the volumes for the claims of the pod in the cluster model, so that no other pod gets them.
Result<void> Scheduler::reserve(const placement::PodContext& context, const cluster::Node& node) {
  if (context.compiled_spec.claims.empty()) return {};
  const auto volumes = placement::decide_volumes(context, node);
  if (!volumes) return fail(Errc::Conflict, "the volumes of the pod are no longer available on node {}", node.name);
  if (volumes->empty()) return {};
  auto reserved = reserve_volumes(cluster_.volumes(), *volumes, node.name);
  if (!reserved) return fail(std::move(reserved.error()));
  reserved_.insert_or_assign(context.pod_uid(), std::move(*reserved));
  return {};
}

ReservedVolumes Scheduler::take_reserved(const std::string& uid) {
  const auto found = reserved_.find(uid);
  if (found == reserved_.end()) return {};
  ReservedVolumes taken = std::move(found->second);
  reserved_.erase(found);
  return taken;
}

std::vector<SchedulingAction> Scheduler::place(WaitingPod waiting,
                                               const placement::PodContext& context,
                                               const placement::Decision& decision,
                                               WallTime now) {
  const std::string uid = waiting.uid();
  if (const auto done = reserve(context, *cluster_.node(decision.node).node); !done) {
    placement::Decision failed;
    failed.message = done.error().message;
    return handle_scheduling_failure(std::move(waiting), failed, now);
  }
  BindAction order{waiting.object.pod, cluster_.node(decision.node).node->name, waiting.object.profile,
                   reserved_.contains(uid)};
  reserve_load(*waiting.object.pod, cluster_.assume(*waiting.object.pod, waiting.object.compiled_spec, decision.node),
               now);
  predict(order, decision.node);
  order.above_threshold = decision.diagnosis.relaxed_by.contains("Rescheduler");
  if (decision.diagnosis.relaxed_by.contains("Podrescheduling")) {
    order.annotations[std::string(placement::kRevisitedNode)] = order.node;
    metrics_.revisited();
  }
  nominator_.remove(uid);
  queue_->done(uid);
  waiting.timestamp = now;  // while the binding is in progress: its start time
  binding_.insert_or_assign(uid, std::move(waiting));
  return {std::move(order)};
}

PluginIndexSet Scheduler::slots_of(std::size_t profile, const std::set<std::string>& names) const {
  PluginIndexSet slots;
  for (const std::string& name : names) {
    const placement::Plugin* plugin = frameworks_[profile]->find(name);
    if (plugin != nullptr) slots.add(plugin->slot());
    if (name == "Extender") slots = slots | PluginIndexSet::extender();
  }
  return slots;
}

std::vector<SchedulingAction> Scheduler::handle_scheduling_failure(WaitingPod waiting,
                                                                   const placement::Decision& decision,
                                                                   WallTime now) {
  using placement::Outcome;
  const PodObject object = waiting.object;
  StatusAction report{object.pod, object.profile, "Unschedulable", decision.message, std::nullopt};
  std::vector<SchedulingAction> actions;
  if (decision.outcome == Outcome::Failed) {
    report.reason = "SchedulerError";
    report.nominated_node = "";
  }
  if (cluster_.node_count() == 0 || decision.clears_nomination) report.nominated_node = "";
  if (decision.outcome == Outcome::Preempts) {
    report.nominated_node = cluster_.node(decision.node).node->name;
    preempt(waiting, decision, now, actions);
  }
  const bool by_plugins = decision.outcome != Outcome::Failed;
  const PluginIndexSet rejectors =
      by_plugins ? slots_of(object.profile, decision.diagnosis.rejected_by) : PluginIndexSet{};
  const PluginIndexSet pending =
      by_plugins ? slots_of(object.profile, decision.diagnosis.pending_by) : PluginIndexSet{};
  if (by_plugins && !frameworks_[object.profile]->at(placement::Point::PostFilter).empty()) {
    metrics_.preemption_attempt();
  }
  metrics_.attempt(frameworks_[object.profile]->profile().scheduler_name,
                   by_plugins ? SchedulerMetrics::Result::Unschedulable : SchedulerMetrics::Result::Error,
                   last_decision_took_);

  if (report.nominated_node) {
    nominator_.nominate(object, *report.nominated_node);
  } else {
    nominator_.add(object);
  }
  queue_->failed(std::move(waiting), rejectors, pending, now);
  cluster_.listen(queue_->awaits_events());
  actions.insert(actions.begin(), std::move(report));
  return actions;
}

void Scheduler::preempt(const WaitingPod& waiting,
                        const placement::Decision& decision,
                        WallTime now,
                        std::vector<SchedulingAction>& actions) {
  metrics_.preemption(decision.victims.size());
  const std::string node = cluster_.node(decision.node).node->name;
  PreemptAction order{waiting.object.pod, waiting.object.profile, node, {}};
  for (const cluster::PodIndex index : decision.victims) {
    const cluster::AssignedPod& victim = cluster_.pod(index);
    order.victims.push_back({cluster_.text(victim.ns), victim.name, victim.uid, victim.terminating});
  }
  // Pods of lower priority that are nominated for this node may no longer fit there.
  if (const auto found = nominator_.by_node().find(node); found != nominator_.by_node().end()) {
    const auto nominated_here = found->second;
    for (const PodObject& lesser : nominated_here) {
      if (lesser.priority() >= waiting.object.priority()) continue;
      nominator_.nominate(lesser, "");
      StatusAction clear{lesser.pod, lesser.profile};
      clear.nominated_node = "";
      actions.emplace_back(std::move(clear));
    }
  }
  const bool any_left = std::ranges::any_of(order.victims, [](const Victim& victim) { return !victim.leaving; });
  if (any_left) preempting_.insert_or_assign(waiting.uid(), now);
  actions.emplace_back(std::move(order));
}

// --- Results of actions ---

void Scheduler::bound(const std::string& uid, WallTime now) {
  const auto found = binding_.find(uid);
  if (found == binding_.end()) return;
  const WaitingPod& waiting = found->second;
  const WallTime since = waiting.first_ready.value_or(waiting.added);
  metrics_.placed(now - since, waiting.attempts, waiting.flushed);
  metrics_.attempt(frameworks_[waiting.object.profile]->profile().scheduler_name, SchedulerMetrics::Result::Scheduled,
                   now - waiting.timestamp);
  binding_.erase(found);
}

std::vector<SchedulingAction> Scheduler::bind_failed(const std::string& uid, const Error& error, WallTime now) {
  const auto found = binding_.find(uid);
  if (found == binding_.end()) return {};
  WaitingPod waiting = std::move(found->second);
  binding_.erase(found);
  unreserve(take_reserved(uid));
  cluster_.listen(true);
  release_load(uid);
  on_event(cluster_.forget(uid), now);
  metrics_.attempt(frameworks_[waiting.object.profile]->profile().scheduler_name, SchedulerMetrics::Result::Error,
                   now - waiting.timestamp);
  StatusAction report{waiting.object.pod, waiting.object.profile, "SchedulerError", error.message, ""};
  const auto latest = waiting_.find(uid);
  if (latest == waiting_.end()) return {};  // the pod has a node by now, or was deleted
  waiting.object = latest->second;
  report.pod = waiting.object.pod;
  nominator_.nominate(waiting.object, "");
  queue_->failed(std::move(waiting), {}, {}, now);
  cluster_.listen(queue_->awaits_events());
  return {std::move(report)};
}

void Scheduler::preemption_finished(const std::string& uid, bool all, WallTime now) {
  if (const auto begun = preempting_.find(uid); begun != preempting_.end()) {
    metrics_.preemption_finished(all, now - begun->second);
    preempting_.erase(begun);
  }
  // PreEnqueue gated the pod during the preemption, so the pod is tried again now. When a victim is gone, the event of
  // its deletion requeues the pod again.
  const std::string uids[] = {uid};
  if (waiting_.contains(uid)) queue_->activate(uids, now);
}

}  // namespace rescheduler::scheduler
