#include "rescheduling/planning/movable.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "kube/value/duration.h"
#include "placement/node_match.h"

namespace rescheduler::rescheduling {
namespace {

using cluster::AssignedPod;
using cluster::PodIndex;
using config::DrainPolicy;

std::string minutes_text(std::chrono::nanoseconds time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time).count();
  return seconds < 120 ? fmt::format("{} s", seconds) : fmt::format("{} min", seconds / 60);
}

DrainPolicy policy_for(cluster::DrainClass which, const config::DrainPolicies& policies) {
  switch (which) {
    case cluster::DrainClass::ExcludedNamespace: return policies.excluded_namespaces;
    case cluster::DrainClass::Critical: return policies.critical;
    case cluster::DrainClass::DoNotEvict: return policies.do_not_evict;
    case cluster::DrainClass::BarePod: return policies.bare_pods;
    case cluster::DrainClass::LocalStorage: return policies.local_storage;
  }
  return DrainPolicy::Ask;
}

std::string name_of(const migration::Lineage& lineage) { return fmt::format("{} {}", lineage.kind, lineage.name); }

}  // namespace

Movable::Movable(const Snapshot& snapshot, const PodInventory& inventory, const PlanRequest& request)
    : snapshot_(snapshot), inventory_(inventory), request_(request), rules_(request.args->rescheduling.protections) {
  for (const std::string& name : request.args->rescheduling.excluded_namespaces) {
    // A namespace without pods has no symbol and needs none.
    if (const auto symbol = snapshot.cluster().interner().symbols.find(name)) excluded_.insert(*symbol);
  }
}

std::optional<MoveBlocker> Movable::why_not_movable(PodIndex pod, Purpose purpose) const {
  if (auto blocker = by_its_nature(pod)) return blocker;
  if (auto blocker = by_its_phase(pod)) return blocker;
  if (auto blocker = by_its_classes(pod, purpose)) return blocker;
  if (auto blocker = by_opt_out(pod)) return blocker;
  if (purpose == Purpose::Improve) {
    if (auto blocker = by_its_readiness(pod)) return blocker;
  }
  if (auto blocker = by_its_storage(pod, purpose)) return blocker;
  if (auto blocker = by_its_workload(pod, purpose)) return blocker;
  if (auto blocker = by_its_scheduler(pod, purpose)) return blocker;
  return by_its_budget(pod, purpose);
}

bool Movable::may_go(PodIndex pod, const std::string& from, const std::string& to) const {
  if (request_.held.ping_pong.empty()) return true;
  return !request_.held.ping_pong.would_return(inventory_.lineage(inventory_.lineage_of(pod)).lineage, from, to);
}

std::optional<MoveBlocker> Movable::by_its_nature(PodIndex index) const {
  const PodFacts& facts = snapshot_.facts(index);
  const AssignedPod& pod = snapshot_.cluster().pod(index);
  const cluster::CompiledPodSpec& compiled_spec = *pod.compiled_spec;
  if (facts.mirror || (facts.owner && facts.owner->kind == "Node")) {
    return MoveBlocker{why::kMirror, "it is a static pod, which belongs to its node"};
  }
  if (inventory_.lineage(inventory_.lineage_of(index)).lineage.kind == "DaemonSet") {
    return MoveBlocker{why::kDaemon, "it belongs to a DaemonSet, which runs one pod per node"};
  }
  if (compiled_spec.has_resource_claims) {
    return MoveBlocker{why::kResourceClaim, "it uses ResourceClaims, whose devices may not be free on another node"};
  }
  if (!compiled_spec.unreadable.empty()) return MoveBlocker{why::kUnreadable, compiled_spec.unreadable};
  return std::nullopt;
}

// What the pod does now. A pod that is about to leave is not asked about its classes.
std::optional<MoveBlocker> Movable::by_its_phase(PodIndex index) const {
  const std::string& uid = snapshot_.cluster().pod(index).uid;
  if (const auto held = request_.held.pods.find(uid); held != request_.held.pods.end()) {
    return MoveBlocker{why::kHeld, held->second};
  }
  const PodFacts& facts = snapshot_.facts(index);
  if (facts.terminating) return MoveBlocker{why::kTerminating, "it is terminating"};
  if (facts.phase != PodPhase::Running) return MoveBlocker{why::kNotRunning, "it is not running yet"};
  return std::nullopt;
}

std::optional<MoveBlocker> Movable::by_opt_out(PodIndex index) const {
  const AssignedPod& pod = snapshot_.cluster().pod(index);
  const std::string& ns = snapshot_.namespace_of(index);
  const auto blocker_of = [](cluster::OptOut word, std::string_view who) -> std::optional<MoveBlocker> {
    if (word == cluster::OptOut::No) return std::nullopt;
    if (word == cluster::OptOut::Disabled)
      return MoveBlocker{why::kOptOut, fmt::format("{} has opted out of moves", who)};
    return MoveBlocker{why::kOptOut, fmt::format("{} has an opt-out with an unknown value", who)};
  };
  if (auto blocker = blocker_of(snapshot_.facts(index).opt_out, "the pod")) return blocker;
  const LineageFacts& lineage = inventory_.lineage(inventory_.lineage_of(index));
  if (lineage.opt_out != cluster::OptOut::No) return blocker_of(lineage.opt_out, name_of(lineage.lineage));
  const cluster::OptOut by_namespace = snapshot_.opt_out_of_namespace(pod.ns);
  return by_namespace == cluster::OptOut::No ? std::nullopt : blocker_of(by_namespace, "namespace " + ns);
}

// Pods of these classes stay. A drain takes them off their node if the policy or the node allows all their classes.
std::optional<MoveBlocker> Movable::by_its_classes(PodIndex index, Purpose purpose) const {
  std::optional<MoveBlocker> asks;
  std::string needed;  // for the annotation of the node
  const cluster::DrainClasses allowed = snapshot_.node_status(snapshot_.cluster().pod(index).node).drain_allows;
  for (std::size_t i = 0; i < cluster::kDrainClassNames.size(); ++i) {
    const auto which = static_cast<cluster::DrainClass>(i);
    auto blocker = in_class(which, index, purpose);
    if (!blocker) continue;
    if (purpose == Purpose::Improve) return blocker;
    const DrainPolicy policy = policy_for(which, request_.args->rescheduling.maintenance.pods);
    if (policy == DrainPolicy::Evict || allowed.contains(which)) continue;
    if (policy == DrainPolicy::Leave) {
      blocker->reason += "; a drain leaves such pods on the node";
      blocker->left = true;
      return blocker;
    }
    needed += fmt::format("{}{}", needed.empty() ? "" : ",", cluster::kDrainClassNames[i]);
    if (!asks) asks = std::move(blocker);
  }
  if (asks) {
    asks->reason +=
        fmt::format("; to move it, set the annotation {}: {} on the node", cluster::kDrainAllowsKey, needed);
  }
  return asks;
}

std::optional<MoveBlocker> Movable::in_class(cluster::DrainClass which, PodIndex index, Purpose purpose) const {
  const PodFacts& facts = snapshot_.facts(index);
  switch (which) {
    case cluster::DrainClass::ExcludedNamespace:
      if (!excluded_.contains(snapshot_.cluster().pod(index).ns)) return std::nullopt;
      return MoveBlocker{why::kNamespace, fmt::format("namespace {} is excluded", snapshot_.namespace_of(index))};
    case cluster::DrainClass::Critical: return by_its_priority(index);
    case cluster::DrainClass::DoNotEvict: return by_eviction_marks(index, purpose);
    case cluster::DrainClass::BarePod:
      if (facts.owner || !rules_.bare_pods) return std::nullopt;
      return MoveBlocker{why::kBare, "it is a bare pod: no controller would replace it"};
    case cluster::DrainClass::LocalStorage:
      if (!facts.local_storage || !rules_.local_storage) return std::nullopt;
      return MoveBlocker{why::kLocalStorage, "it keeps files on its node (emptyDir or hostPath)"};
  }
  return std::nullopt;
}

std::optional<MoveBlocker> Movable::by_its_priority(PodIndex index) const {
  const std::int32_t priority = snapshot_.cluster().pod(index).compiled_spec->priority;
  if (priority >= kCriticalPriority) {
    return MoveBlocker{why::kCritical, fmt::format("its priority {} is that of critical pods", priority)};
  }
  if (rules_.priority_threshold && priority >= *rules_.priority_threshold) {
    return MoveBlocker{why::kPriority,
                       fmt::format("its priority {} is not below {}", priority, *rules_.priority_threshold)};
  }
  return std::nullopt;
}

// The annotations of other programs. A preference of the descheduler does not keep a pod on a node that must become
// empty.
std::optional<MoveBlocker> Movable::by_eviction_marks(PodIndex index, Purpose purpose) const {
  const cluster::EvictionMarks& marks = snapshot_.facts(index).marks;
  const auto blocker_of = [](std::string_view annotation) {
    return MoveBlocker{why::kDoNotEvict, fmt::format("its annotation {} asks not to evict it", annotation)};
  };
  if (marks.unsafe_to_evict) return blocker_of(fmt::format("{}: \"false\"", cluster::kSafeToEvictKey));
  if (marks.do_not_disrupt == marks.do_not_disrupt.max()) {
    return blocker_of(fmt::format("{}: \"true\"", cluster::kDoNotDisruptKey));
  }
  if (marks.do_not_disrupt.count() > 0 && request_.now - start_of(index) < marks.do_not_disrupt) {
    return blocker_of(
        fmt::format("{}: \"{}\"", cluster::kDoNotDisruptKey, kube::format_duration(marks.do_not_disrupt)));
  }
  if (marks.prefer_no_eviction && purpose == Purpose::Improve) return blocker_of(cluster::kPreferNoEvictionKey);
  return std::nullopt;
}

// When the kubelet started the pod; when it was created, if that is not known.
WallTime Movable::start_of(PodIndex index) const {
  const WallTime started = snapshot_.cluster().pod(index).started;
  return started == WallTime{} ? snapshot_.facts(index).created : started;
}

std::optional<MoveBlocker> Movable::by_its_readiness(PodIndex index) const {
  const PodFacts& facts = snapshot_.facts(index);
  if (!facts.ready) return MoveBlocker{why::kNotReady, "it is not ready, and a move would hide the cause"};
  const WallTime since = start_of(index);
  const auto age = request_.now - since;
  // A clock that differs from ours can create a pod "in the future". With a minimum age of 0 such a pod can move too.
  if (since != WallTime{} && rules_.least_age > rules_.least_age.zero() && age < rules_.least_age) {
    return MoveBlocker{why::kYoung,
                       fmt::format("it is {} old, less than {}", minutes_text(age), minutes_text(rules_.least_age))};
  }
  return std::nullopt;
}

// The name of a volume of the pod that only one host can reach, such as a local disk; nullopt: none.
std::optional<std::string> Movable::pinned_by(PodIndex index) const {
  const AssignedPod& pod = snapshot_.cluster().pod(index);
  const cluster::Volumes& volumes = snapshot_.cluster().volumes();
  for (const cluster::ClaimUse& use : pod.compiled_spec->claims) {
    const cluster::ClaimPtr claim = volumes.claim(pod.ns, use.claim(pod.name));
    if (!claim || claim->volume.empty()) continue;
    const cluster::VolumePtr volume = volumes.volume(claim->volume);
    if (volume && volume->hosts && volume->hosts->size() <= 1) return volume->name;
  }
  return std::nullopt;
}

std::optional<MoveBlocker> Movable::by_its_storage(PodIndex index, Purpose purpose) const {
  const PodFacts& facts = snapshot_.facts(index);
  if (!facts.claims) return std::nullopt;
  if (const auto volume = pinned_by(index)) {
    return MoveBlocker{why::kPinned, fmt::format("its volume {} can only be reached from this node", *volume)};
  }
  if (purpose == Purpose::Empty) return std::nullopt;
  if (rules_.claims) return MoveBlocker{why::kClaim, "it uses a PersistentVolumeClaim"};
  if (rules_.stateful_set_claims && facts.owner && facts.owner->kind == "StatefulSet") {
    return MoveBlocker{why::kStatefulSetClaim,
                       fmt::format("StatefulSet {} keeps data in its PersistentVolumeClaim", facts.owner->name)};
  }
  return std::nullopt;
}

std::optional<MoveBlocker> Movable::by_its_workload(PodIndex index, Purpose purpose) const {
  if (purpose == Purpose::Empty) return std::nullopt;
  const LineageFacts& lineage = inventory_.lineage(inventory_.lineage_of(index));
  if (snapshot_.facts(index).owner && snapshot_.facts(index).owner->kind == "Job") {
    // A move repeats the work, prolongs the load, and counts as a failure of the Job.
    return MoveBlocker{why::kJob, fmt::format("{} would start its work from the beginning", name_of(lineage.lineage))};
  }
  if (lineage.lineage.kind == "Pod") return std::nullopt;  // has no replicas; bare pods have their own rule
  if (lineage.copies() < rules_.least_replicas) {
    return MoveBlocker{why::kFewReplicas,
                       fmt::format("{} has {} {}, fewer than {}", name_of(lineage.lineage), lineage.copies(),
                                   lineage.copies() == 1 ? "replica" : "replicas", rules_.least_replicas)};
  }
  const std::uint32_t most = request_.args->rescheduling.brakes.at_once.per_workload;
  const std::uint32_t away = lineage.pods - lineage.ready;
  if (most != 0 && away >= most) {
    return MoveBlocker{why::kDegraded, fmt::format("{} of the pods of {} {} already not ready", away,
                                                   name_of(lineage.lineage), away == 1 ? "is" : "are")};
  }
  return std::nullopt;
}

// Whether the node of the pod would accept its replacement.
bool Movable::could_return(PodIndex index) const {
  const cluster::Cluster& cluster = snapshot_.cluster();
  const AssignedPod& pod = cluster.pod(index);
  const cluster::Node& node = *cluster.node(pod.node).node;
  const cluster::NodeRequirements& requirements = *pod.compiled_spec->requirements;
  return !node.unschedulable && !cluster::forbidden(requirements.tolerations, node.taints)
         && placement::matches_node_affinity(requirements, node, cluster.interner().symbols);
}

// A pod that returns to its node is disturbed for nothing. A node under maintenance is cordoned, and a scheduling gate
// holds the copy of a bare pod until its node is nominated: these moves need no steering.
std::optional<MoveBlocker> Movable::by_its_scheduler(PodIndex index, Purpose purpose) const {
  const PodFacts& facts = snapshot_.facts(index);
  const Steering& steering = request_.steering;
  if (purpose == Purpose::Empty || !facts.owner) return std::nullopt;
  const std::string& scheduler = snapshot_.cluster().text(facts.scheduler);
  if (steering.own_schedulers.contains(scheduler)) return std::nullopt;
  const std::string& ns = snapshot_.namespace_of(index);
  std::string why = steering.no_webhook;
  if (why.empty() && steering.without_webhook.contains(ns)) why = fmt::format("it is not called in namespace {}", ns);
  if (why.empty() || !could_return(index)) return std::nullopt;
  return MoveBlocker{
      why::kUnsteered,
      fmt::format("{} could place its replacement on the same node, and the webhook does not steer it: {}",
                  scheduler.empty() ? "its scheduler" : "scheduler " + scheduler, why)};
}

std::optional<MoveBlocker> Movable::by_its_budget(PodIndex index, Purpose purpose) const {
  const auto names = [&] {
    std::string list;
    for (const std::uint32_t one : inventory_.budgets_of(index)) {
      list += (list.empty() ? "" : ", ") + snapshot_.cluster().budgets().all()[one].name;
    }
    return list;
  };
  switch (inventory_.verdict_on(index)) {
    case BudgetVerdict::NoBudget:
      if (!rules_.without_budget || purpose == Purpose::Empty) return std::nullopt;
      return MoveBlocker{why::kNoBudget, "no PodDisruptionBudget matches it"};
    case BudgetVerdict::Allowed: return std::nullopt;
    case BudgetVerdict::Exhausted:
      return MoveBlocker{why::kBudget, fmt::format("PodDisruptionBudget {} allows no disruption now", names())};
    case BudgetVerdict::Several:
      return MoveBlocker{
          why::kBudgets,
          fmt::format("PodDisruptionBudgets {} match it, and the Eviction API refuses a pod that several match",
                      names())};
  }
  return std::nullopt;
}

}  // namespace rescheduler::rescheduling
