#include "placement/plugins/spread_constraints.h"

#include <algorithm>

#include "kube/proto/core_pod.pb.h"
#include "placement/node_match.h"

namespace rescheduler::placement {

SpreadConstraints::SpreadConstraints(PodTopologySpreadArgs args) : args_(std::move(args)) {
  if (args_.defaulting == SpreadDefaulting::System) {
    defaults_ = {{.topology_key = "kubernetes.io/hostname", .max_skew = 3},
                 {.topology_key = "topology.kubernetes.io/zone", .max_skew = 5}};
    return;
  }
  for (const auto& wire : args_.default_constraints) {
    Default one;
    one.topology_key = wire->topology_key();
    one.max_skew = wire->max_skew();
    one.strictness = wire->when_unsatisfiable() == "ScheduleAnyway" ? Strictness::Soft : Strictness::Hard;
    one.min_domains = wire->has_min_domains() ? wire->min_domains() : 1;
    one.honor_affinity = wire->node_affinity_policy() != "Ignore";
    one.honor_taints = wire->node_taints_policy() == "Honor";
    defaults_.push_back(std::move(one));
  }
}

void SpreadConstraints::learn_keys(cluster::SymbolTable& symbols) const {
  for (const Default& one : defaults_) symbols.intern(one.topology_key);
}

std::vector<cluster::SpreadConstraint> SpreadConstraints::of(const PodContext& context, Strictness strictness) const {
  std::vector<cluster::SpreadConstraint> constraints;
  if (!context.compiled_spec.spread.empty()) {
    std::ranges::copy_if(context.compiled_spec.spread, std::back_inserter(constraints),
                         [&](const auto& one) { return one.hard == (strictness == Strictness::Hard); });
    return constraints;
  }
  const bool any = std::ranges::any_of(defaults_, [&](const Default& one) { return one.strictness == strictness; });
  if (!any) return constraints;
  const auto siblings = context.cluster.owners().siblings_of(context.pod);
  if (!siblings) return constraints;
  for (const Default& one : defaults_) {
    if (one.strictness != strictness) continue;
    const auto key = context.cluster.interner().symbols.find(one.topology_key);
    if (!key) continue;  // learn_keys() was not called: this is a hint for a pod that has had no scheduling attempt
    constraints.push_back({one.max_skew, *key, *siblings, one.min_domains, strictness == Strictness::Hard,
                           one.honor_affinity, one.honor_taints});
  }
  return constraints;
}

bool SpreadConstraints::needs_all_keys(const PodContext& context) const {
  return !context.compiled_spec.spread.empty() || args_.defaulting != SpreadDefaulting::System;
}

cluster::PodMatch SpreadConstraints::match_of(const PodContext& context, const cluster::SpreadConstraint& constraint) {
  return {{{context.own_namespace, constraint.selector}}, true};
}

bool SpreadConstraints::counts_node(const PodContext& context,
                                    const cluster::SpreadConstraint& constraint,
                                    cluster::NodeIndex index) {
  // Most pods have no node affinity to honor here: then the node is not read.
  const cluster::NodeRequirements& requirements = context.requirements();
  const bool by_affinity = constraint.honor_affinity && (!requirements.node_selector.empty() || requirements.required);
  if (!by_affinity && !constraint.honor_taints) return true;
  const cluster::Node& node = *context.cluster.node(index).node;
  if (by_affinity && !matches_node_affinity(requirements, node, context.cluster.interner().symbols)) return false;
  return !constraint.honor_taints || !cluster::forbidden(requirements.tolerations, node.taints);
}

bool SpreadConstraints::has_all_keys(const std::vector<cluster::SpreadConstraint>& constraints,
                                     const cluster::Node& node) {
  return std::ranges::all_of(constraints, [&](const auto& one) { return node.has_label(one.topology_key); });
}

bool SpreadConstraints::matches_no_pods(const PodContext& context, const cluster::SpreadConstraint& constraint) {
  return context.cluster.interner().selectors.selector(constraint.selector).is_everything();
}

}  // namespace rescheduler::placement
