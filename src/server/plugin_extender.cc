#include "server/plugin_extender.h"

#include <algorithm>

#include "kube/proto/core_pod.pb.h"
#include "placement/cycle.h"
#include "scheduler/action_executor.h"

namespace rescheduler::server {
namespace {

constexpr std::int64_t kMostPriority = 10;  // maximum score of an extender

// The profile that the pod names; the first profile for a pod of another scheduler.
const placement::Framework& framework_for(const scheduler::Scheduler& scheduler, const api::Pod& pod) {
  return scheduler.framework(scheduler.profile_named(pod.spec().scheduler_name()).value_or(0));
}

bool asked_about(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

Result<FilterResult> judge(scheduler::Scheduler& scheduler,
                           const api::Pod& pod,
                           const std::vector<std::string>& names) {
  cluster::Cluster& cluster = scheduler.cluster();
  const placement::Framework& framework = framework_for(scheduler, pod);
  const auto compiled_spec = cluster.compiled_spec_of(pod);
  const auto context = placement::make_pod_context(cluster, pod, *compiled_spec);
  framework.prepare(cluster, context);
  const placement::NominatedPods no_nominated_pods;  // empty: kube-scheduler handles its own nominations
  placement::Cycle cycle(framework, context, no_nominated_pods);
  const auto searched = cycle.find_feasible({.explain = true});
  if (!searched.ok()) return fail(Errc::Internal, "{}", searched.message());
  if (cycle.feasible().empty()) cycle.relax();
  FilterResult answer;
  for (const std::string& name : names) {
    const auto node = cluster.find_node(name);
    if (!node) {
      answer.failed[name] = "node is not in the informer cache (yet)";
      continue;
    }
    if (std::ranges::find(cycle.feasible(), *node) != cycle.feasible().end()) {
      answer.passing.push_back(name);
      continue;
    }
    const placement::Status& status = cycle.diagnosis().of(*node);
    const bool for_good = status.code == placement::Code::UnschedulableAndUnresolvable;
    (for_good ? answer.failed_and_unresolvable : answer.failed)[name] = status.message();
  }
  return answer;
}

Result<std::vector<kube::HostPriority>> score(scheduler::Scheduler& scheduler,
                                              const api::Pod& pod,
                                              const std::vector<std::string>& names) {
  cluster::Cluster& cluster = scheduler.cluster();
  const placement::Framework& framework = framework_for(scheduler, pod);
  const auto compiled_spec = cluster.compiled_spec_of(pod);
  const auto context = placement::make_pod_context(cluster, pod, *compiled_spec);
  framework.prepare(cluster, context);
  const placement::NominatedPods no_nominated_pods;
  placement::Cycle cycle(framework, context, no_nominated_pods);
  const auto searched = cycle.find_feasible({});
  if (!searched.ok()) return fail(Errc::Internal, "{}", searched.message());
  if (cycle.feasible().empty()) cycle.relax();
  std::vector<kube::HostPriority> priorities;
  for (const std::string& name : names) priorities.push_back({name, 0});
  if (cycle.feasible().empty()) return priorities;
  const auto choice = cycle.choose({.explain = true});
  if (!choice) return fail(choice.error());
  std::int64_t weights = 0;
  for (const auto& one : framework.scoring()) weights += one.weight;
  for (std::size_t i = 0; i < cycle.feasible().size(); ++i) {
    const std::string& name = cluster.node(cycle.feasible()[i]).node->name;
    if (!asked_about(names, name)) continue;
    const auto entry = std::ranges::find(priorities, name, &kube::HostPriority::host);
    entry->score = choice->totals[i] * kMostPriority / std::max<std::int64_t>(1, weights * placement::kMaxScore);
  }
  return priorities;
}

}  // namespace

net::Task<Result<FilterResult>> PluginExtender::filter(const kube::ExtenderArgs& args) {
  Result<FilterResult> answer;
  const auto names = node_names_of(args);
  const auto look = [&](scheduler::Scheduler& scheduler) { answer = judge(scheduler, *args.pod, names); };
  co_await live_.visit(look);
  co_return answer;
}

net::Task<Result<std::vector<kube::HostPriority>>> PluginExtender::prioritize(const kube::ExtenderArgs& args) {
  Result<std::vector<kube::HostPriority>> answer;
  const auto names = node_names_of(args);
  const auto look = [&](scheduler::Scheduler& scheduler) { answer = score(scheduler, *args.pod, names); };
  co_await live_.visit(look);
  co_return answer;
}

net::Task<Result<kube::MetaVictimsByNode>> PluginExtender::preempt(const kube::ExtenderPreemptionArgs& args) {
  if (args.meta_victims) co_return *args.meta_victims;
  kube::MetaVictimsByNode all;
  if (args.victims) {
    for (const auto& [node, victims] : *args.victims) {
      kube::MetaVictims& there = all[node];
      there.pdb_violations = victims.pdb_violations;
      for (const auto& pod : victims.pods) there.uids.push_back(pod->metadata().uid());
    }
  }
  co_return all;
}

net::Task<Result<void>> PluginExtender::bind(const kube::ExtenderBindingArgs& args) {
  auto binding = scheduler::binding_of({args.pod_namespace, args.pod_name, args.pod_uid}, args.node);
  return client_.create_sub<api::Pod>(args.pod_namespace, args.pod_name, "binding", std::move(binding));
}

}  // namespace rescheduler::server
