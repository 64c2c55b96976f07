// ConstraintRepair: moves pods whose constraints held at scheduling and no longer hold. It checks again after every
// move, because a pod that leaves can solve the conflict of another. It ends when no pod moves.
#include <algorithm>

#include <fmt/format.h>

#include "placement/node_match.h"
#include "rescheduling/strategies/strategies.h"

namespace rescheduler::rescheduling {
namespace {

using cluster::NodeIndex;
using cluster::PodIndex;
using config::Strategy;

// A pass that moves no pod is the last one. The limit ends a sequence of passes that move pods back and forth.
constexpr int kMostPasses = 8;
// Taints that Kubernetes itself sets: cordon, pressure, outage. Other controllers handle them.
constexpr std::string_view kOwnTaints[] = {"node.kubernetes.io/", "node.cloudprovider.kubernetes.io/"};

class Repairing {
 public:
  explicit Repairing(PlanBuilder& builder) : builder_(builder), settings_(builder.settings().constraint_repair) {}
  void run();

 private:
  bool pass();
  std::vector<PodIndex> in_order_of_moving() const;
  std::string violation(PodIndex pod);
  std::string by_affinity(PodIndex pod) const;
  std::string by_taint(PodIndex pod) const;
  std::string by_others(PodIndex pod);
  std::string by_alike(PodIndex pod);
  bool minds_others(PodIndex pod) const;
  bool repair(PodIndex pod, const std::string& violation);

  PlanBuilder& builder_;
  const config::ConstraintRepairSettings& settings_;
};

const cluster::Node& node_of(const PlanBuilder& builder, PodIndex pod) {
  return *builder.cluster().node(builder.cluster().pod(pod).node).node;
}

std::string Repairing::by_affinity(PodIndex pod) const {
  const cluster::NodeRequirements& requirements = *builder_.cluster().pod(pod).compiled_spec->requirements;
  if (requirements.node_selector.empty() && !requirements.required) return {};
  const cluster::Node& node = node_of(builder_, pod);
  if (placement::matches_node_affinity(requirements, node, builder_.cluster().interner().symbols)) return {};
  return fmt::format("{} no longer matches its node affinity", node.name);
}

std::string Repairing::by_taint(PodIndex pod) const {
  const cluster::NodeRequirements& requirements = *builder_.cluster().pod(pod).compiled_spec->requirements;
  const cluster::Node& node = node_of(builder_, pod);
  for (const cluster::Taint& taint : node.taints) {
    if (taint.effect != cluster::Symbol::NoSchedule && taint.effect != cluster::Symbol::NoExecute) continue;
    const std::string& key = builder_.cluster().text(taint.key);
    const auto is_own = [&](std::string_view prefix) { return key.starts_with(prefix); };
    if (std::ranges::any_of(kOwnTaints, is_own) || cluster::tolerated(requirements.tolerations, taint)) continue;
    return fmt::format("{} has the taint {}, which the pod does not tolerate", node.name, key);
  }
  return {};
}

bool Repairing::minds_others(PodIndex index) const {
  const cluster::AssignedPod& pod = builder_.cluster().pod(index);
  if (settings_.topology_spread && std::ranges::any_of(pod.compiled_spec->spread, &cluster::SpreadConstraint::hard)) {
    return true;
  }
  if (!settings_.pod_anti_affinity) return false;
  if (!pod.compiled_spec->anti_affinity.empty()) return true;
  const auto& carried = builder_.cluster().counts().terms_matching(pod.ns, pod.labels);
  return std::ranges::any_of(carried, [](const auto* term) { return term->kind == cluster::TermKind::RequiredAnti; });
}

// Checks the pod as if it were scheduled to its node now. Only constraints against other pods count, not for example a
// missing node label.
std::string Repairing::by_others(PodIndex pod) {
  if (!minds_others(pod)) return {};
  const NodeIndex on = builder_.cluster().pod(pod).node;
  const auto refuses = [&](std::string_view plugin) {
    return builder_.what_if().plugin_status(plugin, pod, on).code == placement::Code::Unschedulable;
  };
  builder_.what_if().unassign(pod);
  std::string violation;
  if (settings_.pod_anti_affinity && refuses("InterPodAffinity")) {
    violation = fmt::format("on {} it violates a required pod anti-affinity", builder_.name_of(on));
  } else if (settings_.topology_spread && refuses("PodTopologySpread")) {
    violation = fmt::format("on {} it exceeds the maxSkew of a topology spread constraint", builder_.name_of(on));
  }
  builder_.what_if().assign(pod, on);
  return violation;
}

std::string Repairing::by_alike(PodIndex pod) {
  const NodeIndex on = builder_.cluster().pod(pod).node;
  const std::uint32_t here = builder_.alike_on(pod, on) + 1;
  if (here < 2) return {};
  const std::uint32_t most = builder_.most_alike(pod);
  if (here <= most) return {};
  return fmt::format("{} pods of {} are on {}; an even spread has at most {}", here,
                     builder_.snapshot().facts(pod).owner->name, builder_.name_of(on), most);
}

std::string Repairing::violation(PodIndex pod) {
  std::string found;
  if (settings_.node_affinity) found = by_affinity(pod);
  if (found.empty() && settings_.taints) found = by_taint(pod);
  if (found.empty()) found = by_others(pod);
  if (found.empty() && settings_.duplicates) found = by_alike(pod);
  return found;
}

// Lowest priority first, then youngest first: of two conflicting pods, the first in this order leaves.
std::vector<PodIndex> Repairing::in_order_of_moving() const {
  std::vector<PodIndex> pods;
  for (const NodeIndex index : builder_.cluster().existing_nodes()) {
    // NodeMaintenance empties draining nodes. Kubernetes itself evicts the pods of a node that is not ready.
    if (builder_.rules().drains(index) || !builder_.snapshot().node_status(index).ready) continue;
    if (builder_.rules().is_off(index, Strategy::ConstraintRepair)) continue;
    const auto& here = builder_.cluster().node(index).pods;
    pods.insert(pods.end(), here.begin(), here.end());
  }
  std::ranges::sort(pods, [&](PodIndex a, PodIndex b) {
    const auto rank = [&](PodIndex pod) {
      const cluster::AssignedPod& placed = builder_.cluster().pod(pod);
      return std::tuple(placed.compiled_spec->priority, -placed.started.time_since_epoch().count(), pod);
    };
    return rank(a) < rank(b);
  });
  return pods;
}

bool Repairing::repair(PodIndex pod, const std::string& violation) {
  if (const auto blocker = builder_.why_not_movable(pod, Purpose::Improve)) {
    if (blocker->code != why::kDaemon && blocker->code != why::kMirror) {
      builder_.refuse(pod, {blocker->code, fmt::format("{}, but {}", violation, blocker->reason)});
    }
    return false;
  }
  if (!builder_.is_moved(pod) && !builder_.within_caps(pod)) {
    builder_.refuse(pod, {why::kCaps, fmt::format("{}; the maximum number of moves is reached", violation)});
    return false;
  }
  const NodeIndex from = builder_.cluster().pod(pod).node;
  builder_.what_if().unassign(pod);
  const NodeIndex target = builder_.best_target(pod);
  if (target == cluster::kNoNode) {
    const std::string no_target = builder_.why_no_target(pod);
    builder_.what_if().assign(pod, from);
    builder_.refuse(pod, {why::kNoTarget, fmt::format("{}, but {}", violation, no_target)});
    return false;
  }
  builder_.what_if().assign(pod, target);
  builder_.moved(pod, {.strategy = Strategy::ConstraintRepair, .cause = violation});
  return true;
}

bool Repairing::pass() {
  bool any = false;
  for (const PodIndex pod : in_order_of_moving()) {
    const std::string found = violation(pod);
    if (!found.empty()) any = repair(pod, found) || any;
  }
  return any;
}

void Repairing::run() {
  for (int i = 0; i < kMostPasses && pass(); ++i) {
  }
}

}  // namespace

void repair_constraints(PlanBuilder& builder) { Repairing(builder).run(); }

}  // namespace rescheduler::rescheduling
