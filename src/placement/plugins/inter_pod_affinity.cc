// Pods that want to be near others, or away from them; and those others, who may have wishes about the newcomer.
#include <algorithm>

#include "placement/plugins/domain_counts.h"
#include "placement/plugins/plugins.h"

namespace rescheduler::placement {
namespace {

using cluster::AffinityTerm;
using cluster::PodMatch;
using cluster::TermKind;

PodMatch match_of(const AffinityTerm& term) { return {{{term.namespaces, term.selector}}}; }

// Pods that satisfy every term: only such a pod can stand for "the pods I want to be near".
PodMatch match_of(const std::vector<AffinityTerm>& terms) {
  PodMatch match;
  for (const AffinityTerm& term : terms) match.all_of.push_back({term.namespaces, term.selector});
  return match;
}

// Sums by topology key; few keys are in use, mostly zone and host.
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

struct RequiredNotes final : Notes {
  KeySums near{};          // pods that satisfy all of the newcomer's affinity terms
  std::int64_t found = 0;  // how often one was counted anywhere: none at all lets the first of a group in
  KeySums away{};          // pods that some anti-affinity term of the newcomer names
  KeySums unwelcome{};     // pods whose anti-affinity names the newcomer
  std::unique_ptr<Notes> clone() const override { return std::make_unique<RequiredNotes>(*this); }
};

struct PreferredNotes final : Notes {
  KeySums scores{};
  std::unique_ptr<Notes> clone() const override { return std::make_unique<PreferredNotes>(*this); }
};

struct BothNotes final : Notes {
  RequiredNotes required{};
  PreferredNotes preferred{};
  std::unique_ptr<Notes> clone() const override { return std::make_unique<BothNotes>(*this); }
};

class InterPodAffinity final : public PluginOf<InterPodAffinity> {
 public:
  explicit InterPodAffinity(InterPodAffinityArgs args) : args_(args) {}

  std::string_view name() const override { return "InterPodAffinity"; }

  void prepare(cluster::Cluster& cluster, const Question& asked) const override;
  PreFilterResult pre_filter(const Question& asked, CycleState& state) const override;
  void add_pod(const Question& asked,
               CycleState& state,
               const cluster::PlacedPod& pod,
               const cluster::NodeState& node) const override {
    change(asked, state, pod, node, +1);
  }
  void remove_pod(const Question& asked,
                  CycleState& state,
                  const cluster::PlacedPod& pod,
                  const cluster::NodeState& node) const override {
    change(asked, state, pod, node, -1);
  }
  Code filter(const Question& asked,
              const CycleState& state,
              const cluster::NodeState& node,
              Reasons* why) const override;
  Status pre_score(const Question& asked,
                   CycleState& state,
                   std::span<const cluster::NodeIndex> feasible) const override;
  std::int64_t score(const Question& asked, const CycleState& state, const cluster::NodeState& node) const override;
  void normalize(const Question& asked,
                 const CycleState& state,
                 std::span<const cluster::NodeIndex> feasible,
                 std::span<std::int64_t> scores) const override;
  std::vector<Interest> interests() const override;

 private:
  BothNotes& notes(CycleState& state) const {
    auto* known = state.find<BothNotes>(slot());
    return known != nullptr ? *known : state.write(slot(), BothNotes{});
  }
  void change(const Question& asked,
              CycleState& state,
              const cluster::PlacedPod& pod,
              const cluster::NodeState& node,
              std::int64_t by) const;
  static bool near_enough(const Question& asked, const RequiredNotes& required, const cluster::NodeState& node);

  InterPodAffinityArgs args_;
};

void InterPodAffinity::prepare(cluster::Cluster& cluster, const Question& asked) const {
  const cluster::PodForm& form = asked.form;
  if (!form.affinity.empty()) cluster.prepare(match_of(form.affinity));
  for (const AffinityTerm& term : form.anti_affinity) cluster.prepare(match_of(term));
  for (const auto* terms : {&form.preferred_affinity, &form.preferred_anti_affinity}) {
    for (const auto& [term, weight] : *terms) cluster.prepare(match_of(term));
  }
}

PreFilterResult InterPodAffinity::pre_filter(const Question& asked, CycleState& state) const {
  const cluster::PodForm& form = asked.form;
  if (!form.unreadable.empty()) {
    return {{Code::UnschedulableAndUnresolvable, {"parsing pod: " + form.unreadable}}};
  }
  const cluster::Cluster& cluster = asked.cluster;
  RequiredNotes required;
  if (!form.affinity.empty()) {
    const cluster::NodeCounts& counts = *cluster.counts().matching(match_of(form.affinity));
    for (const AffinityTerm& term : form.affinity) {
      DomainSums& sums = required.near.of(cluster, term.topology_key);
      for (const auto& [node, count] : counts) {
        if (!sums.covers(node)) continue;
        sums.add(node, count);
        required.found += count;
      }
    }
  }
  for (const AffinityTerm& term : form.anti_affinity) {
    required.away.of(cluster, term.topology_key).add_all(*cluster.counts().matching(match_of(term)));
  }
  bool unwelcome = false;
  for (const cluster::CarriedTerm* carried : cluster.counts().speaking_of(asked.ns, asked.labels)) {
    if (carried->kind != TermKind::RequiredAnti) continue;
    DomainSums& sums = required.unwelcome.of(cluster, carried->term.topology_key);
    for (const auto& [node, count] : carried->weights) {
      unwelcome = unwelcome || sums.covers(node);
      sums.add(node, count);
    }
  }
  if (form.affinity.empty() && form.anti_affinity.empty() && !unwelcome) return {{Code::Skip}};
  notes(state).required = std::move(required);
  return {};
}

void InterPodAffinity::change(const Question& asked,
                              CycleState& state,
                              const cluster::PlacedPod& pod,
                              const cluster::NodeState& node,
                              std::int64_t by) const {
  RequiredNotes& required = notes(state).required;
  const cluster::Cluster& cluster = asked.cluster;
  const cluster::PodCounts& counts = cluster.counts();
  const cluster::PodForm& form = asked.form;
  if (!form.affinity.empty() && counts.matches(match_of(form.affinity), pod.ns, pod.labels)) {
    for (const AffinityTerm& term : form.affinity) {
      DomainSums& sums = required.near.of(cluster, term.topology_key);
      if (!sums.covers(node.index)) continue;
      sums.add(node.index, by);
      required.found += by;
    }
  }
  for (const AffinityTerm& term : form.anti_affinity) {
    if (counts.matches(match_of(term), pod.ns, pod.labels)) {
      required.away.of(cluster, term.topology_key).add(node.index, by);
    }
  }
  for (const AffinityTerm& term : pod.form->anti_affinity) {
    if (counts.matches(match_of(term), asked.ns, asked.labels)) {
      required.unwelcome.of(cluster, term.topology_key).add(node.index, by);
    }
  }
}

bool InterPodAffinity::near_enough(const Question& asked,
                                   const RequiredNotes& required,
                                   const cluster::NodeState& node) {
  bool all = true;
  for (const AffinityTerm& term : asked.form.affinity) {
    const DomainSums* sums = required.near.find(term.topology_key);
    if (sums == nullptr || !sums->covers(node.index)) return false;
    all = all && sums->at(node.index) > 0;
  }
  if (all) return true;
  // The first of a group that wants to be together has nobody to be near to but itself.
  return required.found == 0 && asked.cluster.counts().matches(match_of(asked.form.affinity), asked.ns, asked.labels);
}

Code InterPodAffinity::filter(const Question& asked,
                              const CycleState& state,
                              const cluster::NodeState& node,
                              Reasons* why) const {
  const RequiredNotes& required = state.find<BothNotes>(slot())->required;
  if (!asked.form.affinity.empty() && !near_enough(asked, required, node)) {
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
  if (any_on(required.unwelcome)) {
    if (why != nullptr) why->emplace_back("node(s) didn't satisfy existing pods anti-affinity rules");
    return Code::Unschedulable;
  }
  return Code::Success;
}

Status InterPodAffinity::pre_score(const Question& asked,
                                   CycleState& state,
                                   std::span<const cluster::NodeIndex> /*feasible*/) const {
  const cluster::PodForm& form = asked.form;
  const bool has_wishes = !form.preferred_affinity.empty() || !form.preferred_anti_affinity.empty();
  if (args_.ignore_preferred_terms_of_existing_pods && !has_wishes) return {Code::Skip};
  const cluster::Cluster& cluster = asked.cluster;
  PreferredNotes preferred;
  bool anything = false;
  const auto take = [&](cluster::Symbol key, const cluster::NodeCounts& counts, std::int64_t factor) {
    DomainSums& sums = preferred.scores.of(cluster, key);
    for (const auto& [node, count] : counts) {
      anything = anything || sums.covers(node);
      sums.add(node, count * factor);
    }
  };
  for (const auto& [term, weight] : form.preferred_affinity) {
    take(term.topology_key, *cluster.counts().matching(match_of(term)), weight);
  }
  for (const auto& [term, weight] : form.preferred_anti_affinity) {
    take(term.topology_key, *cluster.counts().matching(match_of(term)), -weight);
  }
  for (const cluster::CarriedTerm* carried : cluster.counts().speaking_of(asked.ns, asked.labels)) {
    const cluster::Symbol key = carried->term.topology_key;
    if (carried->kind == TermKind::Required && args_.hard_pod_affinity_weight > 0) {
      take(key, carried->weights, args_.hard_pod_affinity_weight);
    }
    if (carried->kind == TermKind::Preferred) take(key, carried->weights, +1);
    if (carried->kind == TermKind::PreferredAnti) take(key, carried->weights, -1);
  }
  if (!anything) return {Code::Skip};
  notes(state).preferred = std::move(preferred);
  return {};
}

std::int64_t InterPodAffinity::score(const Question& /*asked*/,
                                     const CycleState& state,
                                     const cluster::NodeState& node) const {
  std::int64_t sum = 0;
  for (const DomainSums& sums : state.find<BothNotes>(slot())->preferred.scores.keys) sum += sums.at(node.index);
  return sum;
}

void InterPodAffinity::normalize(const Question& /*asked*/,
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

std::vector<Interest> InterPodAffinity::interests() const {
  using cluster::Change;
  using cluster::Subject;
  // A pod that came, went or was relabelled matters if the newcomer's terms speak of it, or its terms of the newcomer.
  const auto concerns = [](const Question& waiting, const std::shared_ptr<const cluster::PlacedPod>& pod) {
    if (!pod) return false;
    const cluster::PodCounts& counts = waiting.cluster.counts();
    const auto speaks_of_pod = [&](const AffinityTerm& term) {
      return counts.matches(match_of(term), pod->ns, pod->labels);
    };
    return std::ranges::any_of(waiting.form.affinity, speaks_of_pod)
           || std::ranges::any_of(waiting.form.anti_affinity, speaks_of_pod)
           || std::ranges::any_of(pod->form->anti_affinity, [&](const AffinityTerm& term) {
                return counts.matches(match_of(term), waiting.ns, waiting.labels);
              });
  };
  return {{Subject::AssignedPod,
           {Change::Add, Change::Delete, Change::PodLabel},
           [concerns](const Question& waiting, const cluster::Happening& what) {
             return concerns(waiting, what.pod_before) || concerns(waiting, what.pod_after) ? Hint::Queue : Hint::Skip;
           }},
          {Subject::TargetPod, Change::PodLabel},
          {Subject::Node, {Change::Add, Change::NodeLabel}}};
}

}  // namespace

PluginPtr make_inter_pod_affinity(const PluginArgs* args) {
  return std::make_unique<InterPodAffinity>(args_or_default<InterPodAffinityArgs>(args));
}

}  // namespace rescheduler::placement
