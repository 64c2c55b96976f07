#include "placement/testing.h"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "kube/proto/core_pod.pb.h"
#include "placement/registry.h"

namespace rescheduler::placement::testing {
namespace {

using cluster::NodeIndex;

std::vector<PluginUse> standard_plugins() {
  std::vector<PluginUse> uses;
  for (const RegisteredPlugin& plugin : Registry::standard().plugins()) {
    if (plugin.enabled_by_default) uses.push_back({plugin.name, plugin.weight});
  }
  return uses;
}

Profile profile_with(const std::vector<PluginUse>& plugins) {
  Profile profile;
  profile.scheduler_name = "default-scheduler";
  for (const PluginUse& use : plugins) {
    const auto plugin = (*Registry::standard().find(use.name))(nullptr);
    for (std::size_t point = 0; point < kPointCount; ++point) {
      if (plugin->points().has(static_cast<Point>(point))) profile.plugins[point].push_back(use);
    }
  }
  return profile;
}

std::string name_of(const cluster::Cluster& cluster, NodeIndex node) {
  return node == cluster::kNoNode ? std::string{} : cluster.node(node).node->name;
}

std::vector<std::string> names_of(const cluster::Cluster& cluster, const std::vector<NodeIndex>& nodes) {
  std::vector<std::string> names;
  for (const NodeIndex node : nodes) names.push_back(name_of(cluster, node));
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> pods_of(const cluster::Cluster& cluster, const std::vector<cluster::PodIndex>& pods) {
  std::vector<std::string> names;
  for (const cluster::PodIndex pod : pods) names.push_back(cluster.pod(pod).name);
  return names;
}

SchedulingResult answer_of(const Decision& decision, const cluster::Cluster& cluster) {
  SchedulingResult answer;
  answer.outcome = decision.outcome;
  answer.node = name_of(cluster, decision.node);
  answer.feasible = names_of(cluster, decision.feasible);
  answer.best = names_of(cluster, decision.choice.best);
  for (std::size_t i = 0; i < decision.feasible.size(); ++i) {
    const std::string name = name_of(cluster, decision.feasible[i]);
    if (!decision.choice.totals.empty()) answer.totals[name] = decision.choice.totals[i];
    for (const PluginScores& one : decision.choice.by_plugin) {
      answer.raw[one.plugin][name] = one.raw[i];
      answer.normalized[one.plugin][name] = one.normalized[i];
    }
  }
  for (const auto& [node, status] : decision.diagnosis.verdicts) {
    answer.verdicts[name_of(cluster, node)] = {status.code, status.reasons, status.plugin};
  }
  for (const Candidate& one : decision.candidates) {
    answer.candidates[name_of(cluster, one.node)] = {pods_of(cluster, one.victims), one.rank(cluster)};
  }
  answer.victims = pods_of(cluster, decision.victims);
  answer.rejected_by = decision.diagnosis.rejected_by;
  answer.message = decision.message;
  return answer;
}

std::shared_ptr<const cluster::AssignedPod> assigned_pod_of(cluster::Cluster& cluster,
                                                            const api::Pod& pod,
                                                            NodeIndex node) {
  auto hypothetical_pod = std::make_shared<cluster::AssignedPod>();
  hypothetical_pod->uid = pod.metadata().uid();
  hypothetical_pod->name = pod.metadata().name();
  hypothetical_pod->ns = cluster.interner().symbols.intern(pod.metadata().namespace_());
  hypothetical_pod->labels = cluster.interner().labels.intern(pod.metadata().labels());
  hypothetical_pod->compiled_spec = cluster.compiled_spec_of(pod);
  hypothetical_pod->node = node;
  return hypothetical_pod;
}

}  // namespace

Profile standard_profile() { return profile_with(standard_plugins()); }

Profile profile_of(const std::vector<std::string>& plugins) {
  std::vector<PluginUse> uses;
  for (const std::string& name : plugins) uses.push_back({name});
  return profile_with(uses);
}

std::ostream& operator<<(std::ostream& out, const Verdict& verdict) {
  return out << verdict.plugin << " returns " << to_string(verdict.code) << ": "
             << fmt::format("{}", fmt::join(verdict.reasons, ", "));
}

std::string difference(const SchedulingResult& a, const SchedulingResult& b) {
  const auto outcome = [](const SchedulingResult& one) { return static_cast<int>(one.outcome); };
  if (outcome(a) != outcome(b))
    return fmt::format("outcome {} ({}) and {} ({})", outcome(a), a.message, outcome(b), b.message);
  if (a.feasible != b.feasible) return fmt::format("feasible {} and {}", a.feasible, b.feasible);
  if (a.raw != b.raw) return fmt::format("raw scores {} and {}", a.raw, b.raw);
  if (a.normalized != b.normalized) return fmt::format("scores {} and {}", a.normalized, b.normalized);
  if (a.totals != b.totals) return fmt::format("totals {} and {}", a.totals, b.totals);
  if (a.best != b.best) return fmt::format("best {} and {}", a.best, b.best);
  if (a.verdicts != b.verdicts) return "the verdicts of single nodes";
  if (a.message != b.message) return fmt::format("'{}' and '{}'", a.message, b.message);
  if (a.rejected_by != b.rejected_by) return fmt::format("rejected by {} and {}", a.rejected_by, b.rejected_by);
  if (a.candidates != b.candidates) return "the candidates for preemption or their victims";
  return {};
}

Bench::Bench(const Profile& profile, const Registry& registry) : cluster_(std::make_unique<cluster::Cluster>()) {
  auto made = Framework::make(profile, registry);
  RESCHEDULER_CHECK(made.has_value(), "no framework for the bench: {}", made.error().message);
  framework_ = std::move(*made);
}

Bench& Bench::add(const cluster::testing::NodeBuilder& node) {
  cluster_->upsert_node(node);
  return *this;
}
Bench& Bench::add(const cluster::testing::PodBuilder& pod) {
  cluster_->upsert_pod(pod);
  return *this;
}
Bench& Bench::add(const cluster::testing::NamespaceBuilder& ns) {
  cluster_->upsert_namespace(ns);
  return *this;
}
Bench& Bench::add(const cluster::testing::BudgetBuilder& budget) {
  cluster_->budgets().upsert(budget);
  return *this;
}

Bench& Bench::nominate(const api::Pod& pod, const std::string& node) {
  const NodeIndex index = cluster_->find_node(node).value();
  nominated_[index].push_back(assigned_pod_of(*cluster_, pod, index));
  return *this;
}

SchedulingResult Bench::decide(const api::Pod& pod, DecideOptions options) {
  const PodContext context = make_pod_context(*cluster_, pod, compiled_spec_of(pod));
  framework_->prepare(*cluster_, context);
  return answer_of(placement::decide(*framework_, context, nominated_, options), *cluster_);
}

Verdict Bench::ask(std::string_view name, const api::Pod& pod, const std::string& node) {
  const PodContext context = make_pod_context(*cluster_, pod, compiled_spec_of(pod));
  framework_->prepare(*cluster_, context);
  const Plugin& plugin = *framework_->find(name);
  CycleState state(framework_->plugins().size());
  Verdict verdict{Code::Success, {}, std::string(name)};
  if (plugin.points().has(Point::PreFilter)) {
    PreFilterResult before = plugin.pre_filter(context, state);
    verdict.code = before.status.code;
    verdict.reasons = before.status.reasons;
    if (verdict.code != Code::Success) return verdict;
    if (before.nodes && !before.nodes->contains(node)) {
      return {Code::UnschedulableAndUnresolvable, {"not among the nodes that PreFilter names"}, std::string(name)};
    }
  }
  verdict.code = plugin.filter(context, state, cluster_->node(cluster_->find_node(node).value()), &verdict.reasons);
  return verdict;
}

QueueingHint Bench::hint(std::string_view name, const api::Pod& waiting, const cluster::ClusterEventPtr& what) {
  if (!what) return QueueingHint::Skip;
  const PodContext context = make_pod_context(*cluster_, waiting, compiled_spec_of(waiting));
  for (const ClusterEventWithHint& one : framework_->find(name)->events_to_register()) {
    if (one.resource != what->resource || !one.actions.meets(what->actions)) continue;
    if (!one.hint || one.hint(context, *what) == QueueingHint::Queue) return QueueingHint::Queue;
  }
  return QueueingHint::Skip;
}

std::map<std::string, std::int64_t> Bench::raw(std::string_view plugin, const api::Pod& pod) {
  return decide(pod).raw[std::string(plugin)];
}

std::map<std::string, std::int64_t> Bench::scores(std::string_view plugin, const api::Pod& pod) {
  return decide(pod).normalized[std::string(plugin)];
}

}  // namespace rescheduler::placement::testing
