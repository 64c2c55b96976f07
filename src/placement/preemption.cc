#include "placement/preemption.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kube/proto/core_pod.pb.h"

namespace rescheduler::placement {
namespace {

using cluster::AssignedPod;
using cluster::NodeIndex;
using cluster::NodeInfo;
using cluster::PodIndex;

// A pod that has not started counts as the youngest.
std::int64_t start_of(const AssignedPod& pod) {
  return pod.started == WallTime{} ? std::numeric_limits<std::int64_t>::max() : pod.started.time_since_epoch().count();
}

bool matters_more(const AssignedPod& a, const AssignedPod& b) {
  if (a.compiled_spec->priority != b.compiled_spec->priority)
    return a.compiled_spec->priority > b.compiled_spec->priority;
  return start_of(a) < start_of(b);
}

// What-if: one node without some of its pods.
class PreemptionDryRun {
 public:
  PreemptionDryRun(const Cycle& cycle, const NodeInfo& node)
      : cycle_(cycle), node_(node), state_(cycle.state().clone()) {}

  void remove(PodIndex index) {
    const AssignedPod& pod = pod_at(index);
    node_.remove_pod(index, *pod.compiled_spec);
    cycle_.run_remove_pod(state_, pod, node_);
  }
  void add(PodIndex index) {
    const AssignedPod& pod = pod_at(index);
    node_.add_pod(index, *pod.compiled_spec);
    cycle_.run_add_pod(state_, pod, node_);
  }
  Status fits() const { return cycle_.filter_changed(node_, state_); }
  const AssignedPod& pod_at(PodIndex index) const { return cycle_.context().cluster.pod(index); }

 private:
  const Cycle& cycle_;
  NodeInfo node_;
  CycleState state_;
};

// Splits off the pods whose eviction would exceed the disruptions that a PodDisruptionBudget allows.
std::vector<PodIndex> take_out_violating(std::vector<PodIndex>& pods, const cluster::Cluster& cluster) {
  const auto& budgets = cluster.budgets().all();
  std::vector<std::int64_t> left;
  for (const cluster::Budget& budget : budgets) left.push_back(budget.disruptions_allowed);
  std::vector<PodIndex> violating;
  std::vector<PodIndex> harmless;
  for (const PodIndex index : pods) {
    const AssignedPod& pod = cluster.pod(index);
    bool violates = false;
    for (std::size_t i = 0; i < budgets.size() && !violates; ++i) {
      if (!cluster.budgets().covers(budgets[i], pod) || budgets[i].disrupted.contains(pod.name)) continue;
      violates = --left[i] < 0;
    }
    (violates ? violating : harmless).push_back(index);
  }
  pods = std::move(harmless);
  return violating;
}

struct NodeOutcome {
  std::optional<Candidate> candidate{};
  Status refusal{};
};

// Removes all pods of lower priority. Then adds back as many as possible, the most important first.
NodeOutcome select_victims_on_node(const Cycle& cycle, const NodeInfo& node) {
  PreemptionDryRun dry_run(cycle, node);
  std::vector<PodIndex> lesser;
  for (const PodIndex index : node.pods) {
    if (dry_run.pod_at(index).compiled_spec->priority < cycle.context().compiled_spec.priority) lesser.push_back(index);
  }
  if (lesser.empty()) {
    return {{}, {Code::UnschedulableAndUnresolvable, {"No preemption victims found for incoming pod"}}};
  }
  for (const PodIndex index : lesser) dry_run.remove(index);
  if (Status status = dry_run.fits(); !status.ok()) return {{}, std::move(status)};

  const auto more_important = [&](PodIndex a, PodIndex b) {
    return matters_more(dry_run.pod_at(a), dry_run.pod_at(b));
  };
  std::ranges::sort(lesser, more_important);
  Candidate candidate{node.index};
  const auto violating = take_out_violating(lesser, cycle.context().cluster);
  const auto reprieve = [&](PodIndex index) {
    dry_run.add(index);
    if (dry_run.fits().ok()) return true;
    dry_run.remove(index);
    candidate.victims.push_back(index);
    return false;
  };
  for (const PodIndex index : violating) candidate.budget_violations += reprieve(index) ? 0 : 1;
  for (const PodIndex index : lesser) reprieve(index);
  std::ranges::sort(candidate.victims, more_important);
  if (candidate.victims.empty()) {
    return {{}, {Code::Error, {fmt::format("expected at least one victim pod on node \"{}\"", node.node->name)}}};
  }
  return {std::move(candidate), {}};
}

// Victims of an earlier attempt still terminate on the nominated node: the pod only has to wait.
bool waits_for_victims(const Cycle& cycle) {
  const auto& context = cycle.context();
  const std::string& nominated_name = context.pod.status().nominated_node_name();
  if (nominated_name.empty()) return false;
  const auto node = context.cluster.find_node(nominated_name);
  if (!node || cycle.diagnosis().of(*node).code == Code::UnschedulableAndUnresolvable) return false;
  return std::ranges::any_of(context.cluster.node(*node).pods, [&](PodIndex index) {
    const AssignedPod& pod = context.cluster.pod(index);
    return pod.compiled_spec->priority < context.compiled_spec.priority && pod.being_preempted;
  });
}

std::vector<NodeIndex> nodes_where_preemption_may_help(const Cycle& cycle) {
  std::vector<NodeIndex> nodes;
  const Diagnosis& diagnosis = cycle.diagnosis();
  if (diagnosis.absent.code == Code::Unschedulable) {
    for (const NodeInfo& node : cycle.context().cluster.nodes()) {
      if (node.exists()) nodes.push_back(node.index);
    }
    return nodes;
  }
  for (const NodeVerdict& verdict : diagnosis.verdicts) {
    if (verdict.status.code == Code::Unschedulable) nodes.push_back(verdict.node);
  }
  return nodes;
}

std::size_t candidates_wanted(std::size_t nodes, const DefaultPreemptionArgs& args) {
  const std::size_t share = nodes * static_cast<std::size_t>(args.min_candidate_nodes_percentage) / 100;
  return std::min(nodes, std::max(share, static_cast<std::size_t>(args.min_candidate_nodes_absolute)));
}

}  // namespace

Candidate::Rank Candidate::rank(const cluster::Cluster& cluster) const {
  std::int64_t highest = std::numeric_limits<std::int64_t>::min();
  std::int64_t sum = 0;
  for (const PodIndex index : victims) {
    const std::int64_t priority = cluster.pod(index).compiled_spec->priority;
    highest = std::max(highest, priority);
    sum += priority + (std::int64_t{1} << 31U);  // otherwise many pods of negative priority would rank better than few
  }
  std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
  for (const PodIndex index : victims) {
    const AssignedPod& pod = cluster.pod(index);
    if (pod.compiled_spec->priority == highest) earliest = std::min(earliest, start_of(pod));
  }
  return {budget_violations, highest, sum, static_cast<std::int64_t>(victims.size()), -earliest};
}

PreemptionResult find_preemption_candidates(const Cycle& cycle, const PreemptionOptions& search) {
  const cluster::Cluster& cluster = cycle.context().cluster;
  if (cycle.context().compiled_spec.never_preempts) return {{}, "not eligible due to preemptionPolicy=Never."};
  if (waits_for_victims(cycle)) return {{}, "not eligible due to a terminating pod on the nominated node."};

  const auto nodes = nodes_where_preemption_may_help(cycle);
  const std::size_t wanted = candidates_wanted(nodes.size(), search.args);
  PreemptionResult found;
  std::vector<std::string> reasons;
  bool harmless = false;  // is there a candidate without a PodDisruptionBudget violation?
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    NodeOutcome outcome = select_victims_on_node(cycle, cluster.node(nodes[(search.start + i) % nodes.size()]));
    if (!outcome.candidate) {
      reasons.insert(reasons.end(), outcome.refusal.reasons.begin(), outcome.refusal.reasons.end());
      continue;
    }
    harmless = harmless || outcome.candidate->budget_violations == 0;
    found.candidates.push_back(std::move(*outcome.candidate));
    if (harmless && found.candidates.size() >= wanted) break;
  }
  if (!found.candidates.empty()) return found;
  for (std::size_t i = nodes.size(); i < cluster.node_count(); ++i) {
    reasons.emplace_back("Preemption is not helpful for scheduling");
  }
  found.refusal = availability_message(cluster.node_count(), reasons);
  found.clears_nomination = true;
  return found;
}

const Candidate& cheapest(const std::vector<Candidate>& candidates, const cluster::Cluster& cluster) {
  return *std::ranges::min_element(candidates, {}, [&](const Candidate& one) { return one.rank(cluster); });
}

std::string post_filter_message(const Framework& framework, const std::string& refusal) {
  std::vector<std::string> parts;
  for (const Plugin* plugin : framework.at(Point::PostFilter)) {
    if (plugin->name() == "DynamicResources") parts.emplace_back("no new claims to deallocate");
    if (plugin->name() == "DefaultPreemption" && !refusal.empty()) parts.push_back("preemption: " + refusal);
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace rescheduler::placement
