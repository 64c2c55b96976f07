// ConstraintRepair: rules that held when a pod was placed, and do not any more. Looked at again after every move, since
// one that leaves may put things right for others; until nothing moves.
#include <algorithm>

#include <fmt/format.h>

#include "placement/node_match.h"
#include "rescheduler/strategies/strategies.h"

namespace rescheduler::rescheduling {
namespace {

using cluster::NodeIndex;
using cluster::PodIndex;
using config::Strategy;

// Every pass moves somebody, or is the last.
constexpr int kMostPasses = 8;
// What Kubernetes itself taints nodes with: a cordon, pressure, an outage. Others deal with these.
constexpr std::string_view kOwnTaints[] = {"node.kubernetes.io/", "node.cloudprovider.kubernetes.io/"};

class Repairing {
 public:
  explicit Repairing(Draft& draft) : draft_(draft), settings_(draft.settings().constraint_repair) {}
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

  Draft& draft_;
  const config::ConstraintRepairSettings& settings_;
};

const cluster::Node& node_of(const Draft& draft, PodIndex pod) {
  return *draft.cluster().node(draft.cluster().pod(pod).node).node;
}

std::string Repairing::by_affinity(PodIndex pod) const {
  const cluster::NodeNeeds& needs = *draft_.cluster().pod(pod).form->needs;
  if (needs.node_selector.empty() && !needs.required) return {};
  const cluster::Node& node = node_of(draft_, pod);
  if (placement::matches_node_affinity(needs, node, draft_.cluster().words().symbols)) return {};
  return fmt::format("{} is no longer a node its node affinity asks for", node.name);
}

std::string Repairing::by_taint(PodIndex pod) const {
  const cluster::NodeNeeds& needs = *draft_.cluster().pod(pod).form->needs;
  const cluster::Node& node = node_of(draft_, pod);
  for (const cluster::Taint& taint : node.taints) {
    if (taint.effect != cluster::Symbol::NoSchedule && taint.effect != cluster::Symbol::NoExecute) continue;
    const std::string& key = draft_.cluster().text(taint.key);
    const auto is_own = [&](std::string_view prefix) { return key.starts_with(prefix); };
    if (std::ranges::any_of(kOwnTaints, is_own) || cluster::tolerated(needs.tolerations, taint)) continue;
    return fmt::format("{} has the taint {}, which it does not tolerate", node.name, key);
  }
  return {};
}

bool Repairing::minds_others(PodIndex index) const {
  const cluster::PlacedPod& pod = draft_.cluster().pod(index);
  if (settings_.topology_spread && std::ranges::any_of(pod.form->spread, &cluster::SpreadConstraint::hard)) {
    return true;
  }
  if (!settings_.pod_anti_affinity) return false;
  if (!pod.form->anti_affinity.empty()) return true;
  const auto& carried = draft_.cluster().counts().speaking_of(pod.ns, pod.labels);
  return std::ranges::any_of(carried, [](const auto* term) { return term->kind == cluster::TermKind::RequiredAnti; });
}

// Asked as if it came there now. Only what other pods are to blame for: that a node lacks a label is another matter.
std::string Repairing::by_others(PodIndex pod) {
  if (!minds_others(pod)) return {};
  const NodeIndex on = draft_.cluster().pod(pod).node;
  const auto refuses = [&](std::string_view plugin) {
    return draft_.trial().word_of(plugin, pod, on).code == placement::Code::Unschedulable;
  };
  draft_.trial().lift(pod);
  std::string violation;
  if (settings_.pod_anti_affinity && refuses("InterPodAffinity")) {
    violation = fmt::format("on {} it is with pods that anti-affinity keeps it from", draft_.name_of(on));
  } else if (settings_.topology_spread && refuses("PodTopologySpread")) {
    violation = fmt::format("on {} its group is spread more unevenly than it may be", draft_.name_of(on));
  }
  draft_.trial().put_down(pod, on);
  return violation;
}

std::string Repairing::by_alike(PodIndex pod) {
  const NodeIndex on = draft_.cluster().pod(pod).node;
  const std::uint32_t here = draft_.alike_on(pod, on) + 1;
  if (here < 2) return {};
  const std::uint32_t most = draft_.most_alike(pod);
  if (here <= most) return {};
  return fmt::format("{} of its {} are on {}, where {} would do", here, draft_.world().facts(pod).owner->name,
                     draft_.name_of(on), most);
}

std::string Repairing::violation(PodIndex pod) {
  std::string found;
  if (settings_.node_affinity) found = by_affinity(pod);
  if (found.empty() && settings_.taints) found = by_taint(pod);
  if (found.empty()) found = by_others(pod);
  if (found.empty() && settings_.duplicates) found = by_alike(pod);
  return found;
}

// The least important first, then the youngest: of two that do not go together that one leaves.
std::vector<PodIndex> Repairing::in_order_of_moving() const {
  std::vector<PodIndex> pods;
  for (const NodeIndex index : draft_.cluster().existing_nodes()) {
    // What drains is emptied anyway, and on a node that is not there nothing can be done.
    if (draft_.rules().drains(index) || !draft_.world().node_facts(index).ready) continue;
    if (draft_.rules().is_off(index, Strategy::ConstraintRepair)) continue;
    const auto& here = draft_.cluster().node(index).pods;
    pods.insert(pods.end(), here.begin(), here.end());
  }
  std::ranges::sort(pods, [&](PodIndex a, PodIndex b) {
    const auto rank = [&](PodIndex pod) {
      const auto& facts = draft_.world().facts(pod);
      return std::tuple(draft_.cluster().pod(pod).form->priority, -facts.started.time_since_epoch().count(), pod);
    };
    return rank(a) < rank(b);
  });
  return pods;
}

bool Repairing::repair(PodIndex pod, const std::string& violation) {
  if (const auto stays = draft_.why_stays(pod, Purpose::Improve)) {
    if (stays->code != why::kDaemon && stays->code != why::kMirror) {
      draft_.refuse(pod, {stays->code, fmt::format("{}, but {}", violation, stays->reason)});
    }
    return false;
  }
  if (!draft_.is_moved(pod) && !draft_.within_caps(pod)) {
    draft_.refuse(pod, {why::kCaps, fmt::format("{}; as many pods as may are moving already", violation)});
    return false;
  }
  const NodeIndex from = draft_.cluster().pod(pod).node;
  draft_.trial().lift(pod);
  const NodeIndex target = draft_.best_target(pod);
  if (target == cluster::kNoNode) {
    const std::string nobody = draft_.nobody_takes(pod);
    draft_.trial().put_down(pod, from);
    draft_.refuse(pod, {why::kNoTarget, fmt::format("{}, but {}", violation, nobody)});
    return false;
  }
  draft_.trial().put_down(pod, target);
  draft_.moved(pod, {.strategy = Strategy::ConstraintRepair, .cause = violation});
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

void repair_constraints(Draft& draft) { Repairing(draft).run(); }

}  // namespace rescheduler::rescheduling
