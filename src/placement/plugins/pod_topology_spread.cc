// Spreads the pods of a group over zones, racks or hosts: no domain has many more of them than another.
#include <algorithm>
#include <cmath>
#include <limits>

#include "placement/plugins/domain_counts.h"
#include "placement/plugins/plugins.h"
#include "placement/plugins/spread_constraints.h"

namespace rescheduler::placement {
namespace {

using cluster::SpreadConstraint;

// One hard constraint: the number of the group's pods in each domain.
struct HardSums {
  SpreadConstraint constraint{};
  DomainSums sums;
  std::vector<bool> counted{};  // by domain: does it have a node that counts?
  bool self = false;            // is the pod itself in the group?

  // The minimum over the domains that count; 0 if there are fewer than minDomains.
  std::int64_t least() const {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t domains = 0;
    for (std::size_t i = 0; i < counted.size(); ++i) {
      if (!counted[i]) continue;
      ++domains;
      least = std::min(least, sums.by_domain[i]);
    }
    return domains < constraint.min_domains ? 0 : least;
  }
};

struct SoftSums {
  SpreadConstraint constraint{};
  DomainSums sums;  // for kubernetes.io/hostname: by host
  double weight = 0;
};

struct SpreadState final : StateData {
  std::vector<HardSums> hard{};
  std::vector<std::int64_t> least{};  // of each hard constraint
  std::vector<SoftSums> soft{};
  bool needs_all_keys = true;
  std::unique_ptr<StateData> clone() const override { return std::make_unique<SpreadState>(*this); }

  void find_least() {
    least.clear();
    for (const HardSums& one : hard) least.push_back(one.least());
  }
};

class PodTopologySpread final : public PluginOf<PodTopologySpread> {
 public:
  explicit PodTopologySpread(PodTopologySpreadArgs args) : constraints_(std::move(args)) {}

  std::string_view name() const override { return "PodTopologySpread"; }

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
  SpreadState& cycle_data(CycleState& state) const {
    auto* known = state.find<SpreadState>(slot());
    return known != nullptr ? *known : state.write(slot(), SpreadState{});
  }
  void change(const PodContext& context,
              CycleState& state,
              const cluster::AssignedPod& pod,
              const cluster::NodeInfo& node,
              std::int64_t by) const;
  static bool is_ignored(const SpreadState& cycle_data, const cluster::Node& node);
  static std::size_t count_domains(const cluster::Cluster& cluster,
                                   const SpreadState& cycle_data,
                                   const DomainSums& sums,
                                   std::span<const cluster::NodeIndex> feasible);

  SpreadConstraints constraints_;
};

bool belongs(const PodContext& context, const SpreadConstraint& constraint, cluster::LabelSetId labels) {
  return context.cluster.interner().selectors.matches(constraint.selector, labels);
}

void PodTopologySpread::prepare(cluster::Cluster& cluster, const PodContext& context) const {
  constraints_.learn_keys(cluster.interner().symbols);
  for (const Strictness strictness : {Strictness::Hard, Strictness::Soft}) {
    for (const SpreadConstraint& one : constraints_.of(context, strictness)) {
      cluster.prepare(SpreadConstraints::match_of(context, one));
      cluster.prepare(one.topology_key);
    }
  }
}

PreFilterResult PodTopologySpread::pre_filter(const PodContext& context, CycleState& state) const {
  const auto constraints = constraints_.of(context, Strictness::Hard);
  if (constraints.empty()) return {{Code::Skip}};
  SpreadState& written = cycle_data(state);
  const cluster::Cluster& cluster = context.cluster;
  std::vector<const cluster::Domains*> keys;
  for (const SpreadConstraint& one : constraints) keys.push_back(cluster.topology().find(one.topology_key));
  const auto has_all_domains = [&](cluster::NodeIndex index) {
    return std::ranges::all_of(keys, [&](const auto* key) { return key->of(index) != cluster::kNoDomain; });
  };
  for (const SpreadConstraint& one : constraints) {
    HardSums hard{
        one, DomainSums(*cluster.topology().find(one.topology_key)), {}, belongs(context, one, context.labels)};
    hard.counted.assign(hard.sums.by_domain.size(), false);
    const cluster::NodeCounts& counts = *cluster.counts().matching(SpreadConstraints::match_of(context, one));
    const auto counts_here = [&](cluster::NodeIndex index) {
      return has_all_domains(index) && SpreadConstraints::counts_node(context, one, index);
    };
    for (const cluster::NodeIndex index : cluster.existing_nodes()) {
      if (counts_here(index)) hard.counted[hard.sums.domains->of(index)] = true;
    }
    if (!SpreadConstraints::matches_no_pods(context, one)) {
      for (const auto& [index, count] : counts) {
        if (counts_here(index)) hard.sums.add(index, count);
      }
    }
    written.hard.push_back(std::move(hard));
  }
  written.find_least();
  return {};
}

void PodTopologySpread::change(const PodContext& context,
                               CycleState& state,
                               const cluster::AssignedPod& pod,
                               const cluster::NodeInfo& node,
                               std::int64_t by) const {
  if (pod.ns != context.ns) return;
  SpreadState& written = cycle_data(state);
  const auto has_key = [&](const HardSums& one) { return node.node->has_label(one.constraint.topology_key); };
  if (!std::ranges::all_of(written.hard, has_key)) return;
  for (HardSums& one : written.hard) {
    if (!belongs(context, one.constraint, pod.labels)) continue;
    if (!SpreadConstraints::counts_node(context, one.constraint, node.index)) continue;
    one.sums.add(node.index, by);
  }
  written.find_least();
}

Code PodTopologySpread::filter(const PodContext& /*context*/,
                               const CycleState& state,
                               const cluster::NodeInfo& node,
                               Reasons* why) const {
  const SpreadState& written = *state.find<SpreadState>(slot());
  for (std::size_t i = 0; i < written.hard.size(); ++i) {
    const HardSums& one = written.hard[i];
    if (!one.sums.covers(node.index)) {
      if (why != nullptr) {
        why->emplace_back("node(s) didn't match pod topology spread constraints (missing required label)");
      }
      return Code::UnschedulableAndUnresolvable;
    }
    const std::int64_t skew = one.sums.at(node.index) + (one.self ? 1 : 0) - written.least[i];
    if (skew <= one.constraint.max_skew) continue;
    if (why != nullptr) why->emplace_back("node(s) didn't match pod topology spread constraints");
    return Code::Unschedulable;
  }
  return Code::Success;
}

bool PodTopologySpread::is_ignored(const SpreadState& cycle_data, const cluster::Node& node) {
  return cycle_data.needs_all_keys && !std::ranges::all_of(cycle_data.soft, [&](const SoftSums& one) {
           return node.has_label(one.constraint.topology_key);
         });
}

// A node without the topology key counts as one more domain, unless it is ignored.
std::size_t PodTopologySpread::count_domains(const cluster::Cluster& cluster,
                                             const SpreadState& cycle_data,
                                             const DomainSums& sums,
                                             std::span<const cluster::NodeIndex> feasible) {
  std::vector<bool> present(sums.by_domain.size(), false);
  bool without_key = false;
  for (const cluster::NodeIndex index : feasible) {
    if (is_ignored(cycle_data, *cluster.node(index).node)) continue;
    const cluster::Domain domain = sums.domains->of(index);
    if (domain == cluster::kNoDomain) {
      without_key = true;
    } else {
      present[domain] = true;
    }
  }
  return static_cast<std::size_t>(std::ranges::count(present, true)) + (without_key ? 1U : 0U);
}

Status PodTopologySpread::pre_score(const PodContext& context,
                                    CycleState& state,
                                    std::span<const cluster::NodeIndex> feasible) const {
  const auto constraints = constraints_.of(context, Strictness::Soft);
  if (constraints.empty()) return {Code::Skip};
  const cluster::Cluster& cluster = context.cluster;
  SpreadState& written = cycle_data(state);
  written.needs_all_keys = constraints_.needs_all_keys(context);
  for (const SpreadConstraint& one : constraints) {
    written.soft.push_back({one, DomainSums(*cluster.topology().find(one.topology_key))});
  }
  std::size_t ignored = 0;
  for (const cluster::NodeIndex index : feasible) ignored += is_ignored(written, *cluster.node(index).node) ? 1U : 0U;
  for (SoftSums& one : written.soft) {
    const bool on_hosts = one.constraint.topology_key == cluster::Symbol::Hostname;
    const std::size_t domains =
        on_hosts ? feasible.size() - ignored : count_domains(cluster, written, one.sums, feasible);
    one.weight = std::log(static_cast<double>(domains + 2));
    if (on_hosts || SpreadConstraints::matches_no_pods(context, one.constraint)) continue;
    for (const auto& [index, count] :
         *cluster.counts().matching(SpreadConstraints::match_of(context, one.constraint))) {
      const cluster::NodeInfo& node = cluster.node(index);
      if (!node.exists() || is_ignored(written, *node.node)) continue;
      if (SpreadConstraints::counts_node(context, one.constraint, index)) one.sums.add(index, count);
    }
  }
  return {};
}

std::int64_t PodTopologySpread::score(const PodContext& context,
                                      const CycleState& state,
                                      const cluster::NodeInfo& node) const {
  const SpreadState& written = *state.find<SpreadState>(slot());
  if (is_ignored(written, *node.node)) return 0;
  double sum = 0;
  for (const SoftSums& one : written.soft) {
    if (!one.sums.covers(node.index)) continue;
    std::int64_t count = one.sums.at(node.index);
    if (one.constraint.topology_key == cluster::Symbol::Hostname) {
      const auto& counts = *context.cluster.counts().matching(SpreadConstraints::match_of(context, one.constraint));
      const auto found = counts.find(node.index);
      const bool no_matches = SpreadConstraints::matches_no_pods(context, one.constraint);
      count = no_matches || found == counts.end() ? 0 : found->second;
    }
    sum += static_cast<double>(count) * one.weight + static_cast<double>(one.constraint.max_skew - 1);
  }
  return std::llround(sum);
}

void PodTopologySpread::normalize(const PodContext& context,
                                  const CycleState& state,
                                  std::span<const cluster::NodeIndex> feasible,
                                  std::span<std::int64_t> scores) const {
  const SpreadState& written = *state.find<SpreadState>(slot());
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = 0;
  std::vector<bool> ignored(feasible.size());
  for (std::size_t i = 0; i < feasible.size(); ++i) {
    ignored[i] = is_ignored(written, *context.cluster.node(feasible[i]).node);
    if (ignored[i]) continue;
    least = std::min(least, scores[i]);
    most = std::max(most, scores[i]);
  }
  for (std::size_t i = 0; i < feasible.size(); ++i) {
    if (ignored[i]) {
      scores[i] = 0;
    } else {
      scores[i] = most == 0 ? kMaxScore : kMaxScore * (most + least - scores[i]) / most;
    }
  }
}

std::vector<ClusterEventWithHint> PodTopologySpread::events_to_register() const {
  using cluster::ActionType;
  using cluster::EventResource;
  const auto of_the_group = [this](const PodContext& waiting, const std::shared_ptr<const cluster::AssignedPod>& pod) {
    if (!pod || pod->ns != waiting.ns) return false;
    const auto constraints = constraints_.of(waiting, Strictness::Hard);
    return std::ranges::any_of(constraints, [&](const auto& one) { return belongs(waiting, one, pod->labels); });
  };
  return {{EventResource::AssignedPod,
           {ActionType::Add, ActionType::Delete, ActionType::PodLabel},
           [of_the_group](const PodContext& waiting, const cluster::ClusterEvent& what) {
             return of_the_group(waiting, what.pod_before) || of_the_group(waiting, what.pod_after)
                        ? QueueingHint::Queue
                        : QueueingHint::Skip;
           }},
          {EventResource::TargetPod, {ActionType::PodToleration, ActionType::PodLabel}},
          {EventResource::Node,
           {ActionType::Add, ActionType::Delete, ActionType::NodeLabel, ActionType::NodeTaint},
           [this](const PodContext& waiting, const cluster::ClusterEvent& what) {
             const auto constraints = constraints_.of(waiting, Strictness::Hard);
             const auto matters = [&](const std::shared_ptr<const cluster::Node>& node) {
               return node && SpreadConstraints::has_all_keys(constraints, *node);
             };
             return matters(what.node_before) || matters(what.node_after) ? QueueingHint::Queue : QueueingHint::Skip;
           }}};
}

}  // namespace

PluginPtr make_pod_topology_spread(const PluginArgs* args) {
  return std::make_unique<PodTopologySpread>(args_or_default<PodTopologySpreadArgs>(args));
}

}  // namespace rescheduler::placement
