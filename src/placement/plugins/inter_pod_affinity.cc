// Pod affinity and anti-affinity: of the incoming pod, and of the existing pods that select it.
#include <algorithm>

#include "placement/plugins/domain_counts.h"
#include "placement/plugins/plugins.h"

namespace rescheduler::placement {
namespace {

using cluster::AffinityTerm;
using cluster::PodMatch;
using cluster::TermKind;

PodMatch match_of(const AffinityTerm& term) { return {{{term.namespaces, term.selector}}}; }

// Pods that match all terms: only such pods satisfy the affinity.
PodMatch match_of(const std::vector<AffinityTerm>& terms) {
  PodMatch match;
  for (const AffinityTerm& term : terms) match.all_of.push_back({term.namespaces, term.selector});
  return match;
}

// Sums by topology key. Few keys are in use, mostly zone and host.
struct KeySums {
  std::vector<DomainSums> keys{};

  DomainSums& of(const cluster::Cluster& cluster, cluster::Symbol key) {
    const auto found = std::ranges::find_if(keys, [&](const DomainSums& sums) { return sums.domains->key == key; });
    return found != keys.end() ? *found : keys.emplace_back(*cluster.topology().find(key));
  }
  const DomainSums* find(cluster::Symbol key) const {
    const auto found = std::ranges::find_if(keys, [&](const DomainSums& sums) { return sums.domains->key == key; });
    return found == keys.end() ? nullptr : &*found;
  }
};

struct RequiredState final : StateData {
  KeySums near{};                    // pods that match all affinity terms of the incoming pod
  std::int64_t found = 0;            // the sum of all counts in `near`; 0 allows the first pod of a group
  KeySums away{};                    // pods that an anti-affinity term of the incoming pod selects
  KeySums existing_anti_affinity{};  // pods whose anti-affinity selects the incoming pod
  std::unique_ptr<StateData> clone() const override { return std::make_unique<RequiredState>(*this); }
};

struct PreferredState final : StateData {
  KeySums scores{};
  std::unique_ptr<StateData> clone() const override { return std::make_unique<PreferredState>(*this); }
};

struct AffinityState final : StateData {
  RequiredState required{};
  PreferredState preferred{};
  std::unique_ptr<StateData> clone() const override { return std::make_unique<AffinityState>(*this); }
};

class InterPodAffinity final : public PluginOf<InterPodAffinity> {
 public:
  explicit InterPodAffinity(InterPodAffinityArgs args) : args_(args) {}

  std::string_view name() const override { return "InterPodAffinity"; }

  void prepare(cluster::Cluster& cluster, const PodContext& context) const override;
  PreFilterResult pre_filter(const PodContext& context, CycleState& state) const override;
  void add_pod(const PodContext& context,
               CycleState& state,
               const cluster::AssignedPod& pod,
               const cluster::NodeInfo& node) const override {
    change(context, state, pod, node, +1);
  }
  void remove_pod(const PodContext& context,
                  CycleState& state,
                  const cluster::AssignedPod& pod,
                  const cluster::NodeInfo& node) const override {
    change(context, state, pod, node, -1);
  }
  Code filter(const PodContext& context,
              const CycleState& state,
              const cluster::NodeInfo& node,
              Reasons* why) const override;
  Status pre_score(const PodContext& context,
                   CycleState& state,
                   std::span<const cluster::NodeIndex> feasible) const override;
  std::int64_t score(const PodContext& context, const CycleState& state, const cluster::NodeInfo& node) const override;
  void normalize(const PodContext& context,
                 const CycleState& state,
                 std::span<const cluster::NodeIndex> feasible,
                 std::span<std::int64_t> scores) const override;
  std::vector<ClusterEventWithHint> events_to_register() const override;

 private:
  AffinityState& cycle_data(CycleState& state) const {
    auto* known = state.find<AffinityState>(slot());
    return known != nullptr ? *known : state.write(slot(), AffinityState{});
  }
  void change(const PodContext& context,
              CycleState& state,
              const cluster::AssignedPod& pod,
              const cluster::NodeInfo& node,
              std::int64_t by) const;
  static bool near_enough(const PodContext& context, const RequiredState& required, const cluster::NodeInfo& node);

  InterPodAffinityArgs args_;
};

void InterPodAffinity::prepare(cluster::Cluster& cluster, const PodContext& context) const {
  const cluster::CompiledPodSpec& compiled_spec = context.compiled_spec;
  if (!compiled_spec.affinity.empty()) cluster.prepare(match_of(compiled_spec.affinity));
  for (const AffinityTerm& term : compiled_spec.anti_affinity) cluster.prepare(match_of(term));
  for (const auto* terms : {&compiled_spec.preferred_affinity, &compiled_spec.preferred_anti_affinity}) {
    for (const auto& [term, weight] : *terms) cluster.prepare(match_of(term));
  }
}

PreFilterResult InterPodAffinity::pre_filter(const PodContext& context, CycleState& state) const {
  const cluster::CompiledPodSpec& compiled_spec = context.compiled_spec;
  if (!compiled_spec.unreadable.empty()) {
    return {{Code::UnschedulableAndUnresolvable, {"parsing pod: " + compiled_spec.unreadable}}};
  }
  const cluster::Cluster& cluster = context.cluster;
  RequiredState required;
  if (!compiled_spec.affinity.empty()) {
    const cluster::NodeCounts& counts = *cluster.counts().matching(match_of(compiled_spec.affinity));
    for (const AffinityTerm& term : compiled_spec.affinity) {
      DomainSums& sums = required.near.of(cluster, term.topology_key);
      for (const auto& [node, count] : counts) {
        if (!sums.covers(node)) continue;
        sums.add(node, count);
        required.found += count;
      }
    }
  }
  for (const AffinityTerm& term : compiled_spec.anti_affinity) {
    required.away.of(cluster, term.topology_key).add_all(*cluster.counts().matching(match_of(term)));
  }
  bool existing_anti_affinity = false;
  for (const cluster::ExistingPodTerm* carried : cluster.counts().terms_matching(context.ns, context.labels)) {
    if (carried->kind != TermKind::RequiredAnti) continue;
    DomainSums& sums = required.existing_anti_affinity.of(cluster, carried->term.topology_key);
    for (const auto& [node, count] : *carried->weights) {
      existing_anti_affinity = existing_anti_affinity || sums.covers(node);
      sums.add(node, count);
    }
  }
  if (compiled_spec.affinity.empty() && compiled_spec.anti_affinity.empty() && !existing_anti_affinity)
    return {{Code::Skip}};
  cycle_data(state).required = std::move(required);
  return {};
}

void InterPodAffinity::change(const PodContext& context,
                              CycleState& state,
                              const cluster::AssignedPod& pod,
                              const cluster::NodeInfo& node,
                              std::int64_t by) const {
  RequiredState& required = cycle_data(state).required;
  const cluster::Cluster& cluster = context.cluster;
  const cluster::PodCounts& counts = cluster.counts();
  const cluster::CompiledPodSpec& compiled_spec = context.compiled_spec;
  if (!compiled_spec.affinity.empty() && counts.matches(match_of(compiled_spec.affinity), pod.ns, pod.labels)) {
    for (const AffinityTerm& term : compiled_spec.affinity) {
      DomainSums& sums = required.near.of(cluster, term.topology_key);
      if (!sums.covers(node.index)) continue;
      sums.add(node.index, by);
      required.found += by;
    }
  }
  for (const AffinityTerm& term : compiled_spec.anti_affinity) {
    if (counts.matches(match_of(term), pod.ns, pod.labels)) {
      required.away.of(cluster, term.topology_key).add(node.index, by);
    }
  }
  for (const AffinityTerm& term : pod.compiled_spec->anti_affinity) {
    if (counts.matches(match_of(term), context.ns, context.labels)) {
      required.existing_anti_affinity.of(cluster, term.topology_key).add(node.index, by);
    }
  }
}

bool InterPodAffinity::near_enough(const PodContext& context,
                                   const RequiredState& required,
                                   const cluster::NodeInfo& node) {
  bool all = true;
  for (const AffinityTerm& term : context.compiled_spec.affinity) {
    const DomainSums* sums = required.near.find(term.topology_key);
    if (sums == nullptr || !sums->covers(node.index)) return false;
    all = all && sums->at(node.index) > 0;
  }
  if (all) return true;
  // The first pod of a group with affinity to itself has no other pod to be near.
  return required.found == 0
         && context.cluster.counts().matches(match_of(context.compiled_spec.affinity), context.ns, context.labels);
}

Code InterPodAffinity::filter(const PodContext& context,
                              const CycleState& state,
                              const cluster::NodeInfo& node,
                              Reasons* why) const {
  const RequiredState& required = state.find<AffinityState>(slot())->required;
  if (!context.compiled_spec.affinity.empty() && !near_enough(context, required, node)) {
    if (why != nullptr) why->emplace_back("node(s) didn't match pod affinity rules");
    return Code::UnschedulableAndUnresolvable;
  }
  const auto any_on = [&](const KeySums& sums) {
    return std::ranges::any_of(sums.keys, [&](const DomainSums& one) { return one.at(node.index) > 0; });
  };
  if (any_on(required.away)) {
    if (why != nullptr) why->emplace_back("node(s) didn't match pod anti-affinity rules");
    return Code::Unschedulable;
  }
  if (any_on(required.existing_anti_affinity)) {
    if (why != nullptr) why->emplace_back("node(s) didn't satisfy existing pods anti-affinity rules");
    return Code::Unschedulable;
  }
  return Code::Success;
}

Status InterPodAffinity::pre_score(const PodContext& context,
                                   CycleState& state,
                                   std::span<const cluster::NodeIndex> /*feasible*/) const {
  const cluster::CompiledPodSpec& compiled_spec = context.compiled_spec;
  const bool has_wishes = !compiled_spec.preferred_affinity.empty() || !compiled_spec.preferred_anti_affinity.empty();
  if (args_.ignore_preferred_terms_of_existing_pods && !has_wishes) return {Code::Skip};
  const cluster::Cluster& cluster = context.cluster;
  PreferredState preferred;
  bool anything = false;
  const auto take = [&](cluster::Symbol key, const cluster::NodeCounts& counts, std::int64_t factor) {
    DomainSums& sums = preferred.scores.of(cluster, key);
    for (const auto& [node, count] : counts) {
      anything = anything || sums.covers(node);
      sums.add(node, count * factor);
    }
  };
  for (const auto& [term, weight] : compiled_spec.preferred_affinity) {
    take(term.topology_key, *cluster.counts().matching(match_of(term)), weight);
  }
  for (const auto& [term, weight] : compiled_spec.preferred_anti_affinity) {
    take(term.topology_key, *cluster.counts().matching(match_of(term)), -weight);
  }
  for (const cluster::ExistingPodTerm* carried : cluster.counts().terms_matching(context.ns, context.labels)) {
    const cluster::Symbol key = carried->term.topology_key;
    if (carried->kind == TermKind::Required && args_.hard_pod_affinity_weight > 0) {
      take(key, *carried->weights, args_.hard_pod_affinity_weight);
    }
    if (carried->kind == TermKind::Preferred) take(key, *carried->weights, +1);
    if (carried->kind == TermKind::PreferredAnti) take(key, *carried->weights, -1);
  }
  if (!anything) return {Code::Skip};
  cycle_data(state).preferred = std::move(preferred);
  return {};
}

std::int64_t InterPodAffinity::score(const PodContext& /*context*/,
                                     const CycleState& state,
                                     const cluster::NodeInfo& node) const {
  std::int64_t sum = 0;
  for (const DomainSums& sums : state.find<AffinityState>(slot())->preferred.scores.keys) sum += sums.at(node.index);
  return sum;
}

void InterPodAffinity::normalize(const PodContext& /*context*/,
                                 const CycleState& /*state*/,
                                 std::span<const cluster::NodeIndex> /*feasible*/,
                                 std::span<std::int64_t> scores) const {
  const auto [least, most] = std::ranges::minmax(scores);
  const auto range = static_cast<double>(most - least);
  for (std::int64_t& score : scores) {
    score =
        range > 0
            ? static_cast<std::int64_t>(static_cast<double>(kMaxScore) * (static_cast<double>(score - least) / range))
            : 0;
  }
}

std::vector<ClusterEventWithHint> InterPodAffinity::events_to_register() const {
  using cluster::ActionType;
  using cluster::EventResource;
  // An added, removed or relabelled pod matters if a term of the waiting pod selects it, or if one of its terms selects
  // the waiting pod.
  const auto concerns = [](const PodContext& waiting, const std::shared_ptr<const cluster::AssignedPod>& pod) {
    if (!pod) return false;
    const cluster::PodCounts& counts = waiting.cluster.counts();
    const auto speaks_of_pod = [&](const AffinityTerm& term) {
      return counts.matches(match_of(term), pod->ns, pod->labels);
    };
    return std::ranges::any_of(waiting.compiled_spec.affinity, speaks_of_pod)
           || std::ranges::any_of(waiting.compiled_spec.anti_affinity, speaks_of_pod)
           || std::ranges::any_of(pod->compiled_spec->anti_affinity, [&](const AffinityTerm& term) {
                return counts.matches(match_of(term), waiting.ns, waiting.labels);
              });
  };
  return {{EventResource::AssignedPod,
           {ActionType::Add, ActionType::Delete, ActionType::PodLabel},
           [concerns](const PodContext& waiting, const cluster::ClusterEvent& what) {
             return concerns(waiting, what.pod_before) || concerns(waiting, what.pod_after) ? QueueingHint::Queue
                                                                                            : QueueingHint::Skip;
           }},
          {EventResource::TargetPod, ActionType::PodLabel},
          {EventResource::Node, {ActionType::Add, ActionType::NodeLabel}}};
}

}  // namespace

PluginPtr make_inter_pod_affinity(const PluginArgs* args) {
  return std::make_unique<InterPodAffinity>(args_or_default<InterPodAffinityArgs>(args));
}

}  // namespace rescheduler::placement
