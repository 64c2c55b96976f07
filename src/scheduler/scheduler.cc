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

// What single plugins take is looked at in one of so many decisions, on so many nodes.
constexpr std::uint64_t kDecisionsPerSample = 20;
constexpr std::size_t kNodesPerSample = 16;

}  // namespace

Scheduler::Scheduler(const SchedulerSettings& settings, MetricRegistry& metrics)
    : settings_(settings), metrics_(metrics), rng_(settings.seed) {
  if (settings_.load) book_ = std::make_unique<usage::LoadBook>(*settings_.load, cluster_);
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
      profile.plugins.push_back({std::string(plugin->name()), plugin->interests()});
    }
    plugins.profiles.push_back(std::move(profile));
  }
  plugins.pre_enqueue = [this](const WaitingPod& pod) -> std::optional<Gate> {
    const placement::Framework& framework = *frameworks_[pod.object.profile];
    const placement::Plugin* preemption = framework.find("DefaultPreemption");
    if (preemption != nullptr && making_room_.contains(pod.uid())) {
      return Gate{preemption->slot(), "waiting for the preemption for this pod to be finished"};
    }
    const auto asked = placement::question_about(cluster_, *pod.object.pod, *pod.object.form);
    const auto held = placement::held_back(framework, asked);
    if (!held) return std::nullopt;
    return Gate{framework.find(held->plugin)->slot(), held->message()};
  };
  plugins.hint = [this](const WaitingPod& pod, const placement::Interest& interest, const cluster::Happening& what) {
    return interest.hint(placement::question_about(cluster_, *pod.object.pod, *pod.object.form), what);
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
  return {pod, cluster_.form_of(*pod), cluster_.words().symbols.of(pod->metadata().namespace_()),
          cluster_.words().labels.of(pod->metadata().labels()), profile};
}

void Scheduler::refresh_gauges() const {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): gauges are no state of ours
  const_cast<SchedulerMetrics&>(metrics_).cache(cluster_.node_count(), cluster_.pod_count(), cluster_.assumed_count());
}

// --- Whose turn it is ---

// Brought up to date where promises changed; made anew when nodes came or went, for then a place may be another node's.
const placement::NominatedPods& Scheduler::promised() {
  std::set<std::string> changed = nominator_.take_changed();
  if (promised_nodes_ != cluster_.nodes_version()) {
    promised_nodes_ = cluster_.nodes_version();
    promised_.clear();
    for (const auto& [name, pods] : nominator_.by_node()) changed.insert(name);
  }
  for (const std::string& name : changed) {
    const auto node = cluster_.find_node(name);
    if (!node) continue;
    promised_.erase(*node);
    const auto found = nominator_.by_node().find(name);
    if (found == nominator_.by_node().end()) continue;
    for (const PodObject& object : found->second) {
      promised_[*node].push_back(
          std::make_shared<const cluster::PlacedPod>(cluster_.imagine(*object.pod, object.form, *node)));
    }
  }
  return promised_;
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

std::vector<Order> Scheduler::decide_next(WallTime now, placement::Consulted* consulted) {
  auto popped = queue_->pop(now);
  if (!popped) return {};
  WaitingPod waiting = std::move(*popped);
  const PodPtr pod = waiting.object.pod;
  if (pod->metadata().has_deletion_timestamp() || cluster_.find_pod(waiting.uid())) {
    queue_->done(waiting.uid());
    if (!pod->metadata().has_deletion_timestamp()) return {};
    ReportOrder skipped{pod, waiting.object.profile};
    skipped.message =
        fmt::format("skip schedule deleting pod: {}/{}", pod->metadata().namespace_(), pod->metadata().name());
    skipped.event_only = true;
    return {skipped};
  }
  const placement::Framework& framework = *frameworks_[waiting.object.profile];
  const auto asked = placement::question_about(cluster_, *pod, *waiting.object.form);
  framework.prepare(cluster_, asked);
  auto options = options_for(framework);
  options.consulted = consulted;
  options.explain = logs_reasons();
  if (!intents_.empty() && pod->status().nominated_node_name().empty()) {
    const std::string* wanted = intents_.target_for(
        *pod, [this](const std::string& uid) { return waiting_.contains(uid) || cluster_.find_pod(uid).has_value(); });
    if (wanted != nullptr) options.first = *wanted;
  }
  const placement::Decision decision = decide_timed(framework, asked, options);
  if (const std::size_t nodes = cluster_.node_count(); nodes != 0) {
    next_start_ = (next_start_ + decision.evaluated) % nodes;
  }
  for (const std::string& remark : decision.diagnosis.remarks) {
    log_warning(messages::kPodRemark,
                {{"pod", pod->metadata().namespace_() + "/" + pod->metadata().name()}, {"remark", remark}});
  }
  log_decision(*pod, decision, cluster_);
  if (decision.outcome == placement::Outcome::Scheduled) {
    return place(std::move(waiting), asked, decision, now);
  }
  return turn_away(std::move(waiting), decision, now);
}

// What decisions take is told of every one; what single plugins take only now and then.
placement::Decision Scheduler::decide_timed(const placement::Framework& framework,
                                            const placement::Question& asked,
                                            placement::DecideOptions options) {
  if (settings_.clock == nullptr) return placement::decide(framework, asked, promised(), options);
  MetricTimekeeper timekeeper(metrics_, *settings_.clock, framework.profile().scheduler_name);
  options.timekeeper = &timekeeper;
  const auto begun = timekeeper.now();
  placement::Decision decision = placement::decide(framework, asked, promised(), options);
  metrics_.algorithm(timekeeper.now() - begun);
  if (decisions_++ % kDecisionsPerSample == 0) {
    const std::span nodes(decision.feasible);
    placement::time_plugins(framework, asked, nodes.first(std::min(nodes.size(), kNodesPerSample)), timekeeper);
  }
  return decision;
}

// The volumes a pod's claims get, or will get, count as taken from now on.
Result<void> Scheduler::reserve(const placement::Question& asked, const cluster::Node& node) {
  if (asked.form.claims.empty()) return {};
  const auto volumes = placement::decide_volumes(asked, node);
  if (!volumes) return fail(Errc::Conflict, "the pod's volumes cannot be had on node {} after all", node.name);
  if (volumes->empty()) return {};
  auto reserved = reserve_volumes(cluster_.volumes(), *volumes, node.name);
  if (!reserved) return fail(std::move(reserved.error()));
  reserved_.insert_or_assign(asked.pod_uid(), std::move(*reserved));
  return {};
}

ReservedVolumes Scheduler::take_reserved(const std::string& uid) {
  const auto found = reserved_.find(uid);
  if (found == reserved_.end()) return {};
  ReservedVolumes taken = std::move(found->second);
  reserved_.erase(found);
  return taken;
}

std::vector<Order> Scheduler::place(WaitingPod waiting,
                                    const placement::Question& asked,
                                    const placement::Decision& decision,
                                    WallTime now) {
  const std::string uid = waiting.uid();
  if (const auto done = reserve(asked, *cluster_.node(decision.node).node); !done) {
    placement::Decision failed;
    failed.message = done.error().message;
    return turn_away(std::move(waiting), failed, now);
  }
  BindOrder order{waiting.object.pod, cluster_.node(decision.node).node->name, waiting.object.profile,
                  reserved_.contains(uid)};
  book(*waiting.object.pod, cluster_.assume(*waiting.object.pod, waiting.object.form, decision.node), now);
  predict(order, decision.node);
  if (!decision.diagnosis.gave_way.empty()) {
    order.annotations[std::string(placement::kRevisitedNode)] = order.node;
    metrics_.revisited();
  }
  nominator_.remove(uid);
  queue_->done(uid);
  waiting.timestamp = now;  // until the binding is answered: since when
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

std::vector<Order> Scheduler::turn_away(WaitingPod waiting, const placement::Decision& decision, WallTime now) {
  using placement::Outcome;
  const PodObject object = waiting.object;
  const std::string uid = waiting.uid();
  ReportOrder report{object.pod, object.profile, "Unschedulable", decision.message, std::nullopt};
  std::vector<Order> orders;
  if (decision.outcome == Outcome::Failed) {
    report.reason = "SchedulerError";
    report.nominated_node = "";
  }
  if (cluster_.node_count() == 0 || decision.gives_up_promise) report.nominated_node = "";
  if (decision.outcome == Outcome::MakesRoom) {
    report.nominated_node = cluster_.node(decision.node).node->name;
    make_room(waiting, decision, orders);
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
                   by_plugins ? SchedulerMetrics::Result::Unschedulable : SchedulerMetrics::Result::Error, {});

  if (report.nominated_node) {
    nominator_.nominate(object, *report.nominated_node);
  } else {
    nominator_.add(object);
  }
  queue_->failed(std::move(waiting), rejectors, pending, now);
  cluster_.listen(queue_->cares());
  orders.insert(orders.begin(), std::move(report));
  return orders;
}

void Scheduler::make_room(const WaitingPod& waiting, const placement::Decision& decision, std::vector<Order>& orders) {
  metrics_.preemption(decision.victims.size());
  const std::string node = cluster_.node(decision.node).node->name;
  RoomOrder order{waiting.object.pod, waiting.object.profile, node, {}};
  for (const cluster::PodIndex index : decision.victims) {
    const cluster::PlacedPod& victim = cluster_.pod(index);
    order.victims.push_back({cluster_.text(victim.ns), victim.name, victim.uid, victim.terminating});
  }
  // Lesser pods that were promised this node have to look for another.
  if (const auto found = nominator_.by_node().find(node); found != nominator_.by_node().end()) {
    const auto promised_pods = found->second;
    for (const PodObject& lesser : promised_pods) {
      if (lesser.priority() >= waiting.object.priority()) continue;
      nominator_.nominate(lesser, "");
      ReportOrder take_back{lesser.pod, lesser.profile};
      take_back.nominated_node = "";
      orders.emplace_back(std::move(take_back));
    }
  }
  const bool any_left = std::ranges::any_of(order.victims, [](const Victim& victim) { return !victim.leaving; });
  if (any_left) making_room_[waiting.uid()] = true;
  orders.emplace_back(std::move(order));
}

// --- What came of it ---

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

std::vector<Order> Scheduler::bind_failed(const std::string& uid, const Error& error, WallTime now) {
  const auto found = binding_.find(uid);
  if (found == binding_.end()) return {};
  WaitingPod waiting = std::move(found->second);
  binding_.erase(found);
  unreserve(take_reserved(uid));
  cluster_.listen(true);
  unbook(uid);
  happened(cluster_.forget(uid), now);
  metrics_.attempt(frameworks_[waiting.object.profile]->profile().scheduler_name, SchedulerMetrics::Result::Error,
                   now - waiting.timestamp);
  ReportOrder report{waiting.object.pod, waiting.object.profile, "SchedulerError", error.message, ""};
  const auto latest = waiting_.find(uid);
  if (latest == waiting_.end()) return {};  // it has a node by now, or is gone
  waiting.object = latest->second;
  report.pod = waiting.object.pod;
  nominator_.nominate(waiting.object, "");
  queue_->failed(std::move(waiting), {}, {}, now);
  cluster_.listen(queue_->cares());
  return {std::move(report)};
}

void Scheduler::room_made(const std::string& uid, bool all, WallTime now) {
  making_room_.erase(uid);
  metrics_.room_made(all, {});
  // All told: their going wakes the pod. Not all: it has to try again.
  const std::string uids[] = {uid};
  if (waiting_.contains(uid)) queue_->activate(uids, now);
}

}  // namespace rescheduler::scheduler
