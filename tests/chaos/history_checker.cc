#include "chaos/history_checker.h"

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "kube/codec/protobuf.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/policy.pb.h"
#include "migration/keys.h"
#include "migration/record.h"

namespace rescheduler::test {
namespace {

// The scheduler sees a change of a node at once; the node lifecycle controller checks every five seconds.
constexpr std::chrono::seconds kKnown{10};
// A sweep may undo the surge of a move whose Migration was deleted. The chaos test sweeps every two minutes.
constexpr std::chrono::minutes kSwept{5};

bool announces(const Move& move) { return move.open && (move.phase == "Evicting" || move.phase == "Retiring"); }

}  // namespace

HistoryChecker::HistoryChecker(sim::Server& server)
    : server_(server), disturbances_(server.agenda(), index_), ledger_(server.agenda(), index_, disturbances_) {
  changes_ = server.store().subscribe(nullptr, [this](const sim::Change& change) { on_change(change); });
}

void HistoryChecker::disturb(const std::string& app) {
  disturbances_.touched(app);
  ledger_.app_disturbed(app);
}

void HistoryChecker::user_scales(const std::string& app, int replicas) {
  disturb(app);
  user_replicas_[app] = replicas;
}

void HistoryChecker::user_rolls_out(const std::string& app) {
  disturb(app);
  ++rollouts_[app];
}

void HistoryChecker::node_fails(const std::string& node) {
  disturbances_.node_fails(node);
  ledger_.node_closed(node);
  for (const auto& [uid, pod] : index_.pods()) {
    if (pod.node == node) ledger_.app_disturbed(pod.app);
  }
}

void HistoryChecker::node_recovers(const std::string& node) { disturbances_.node_recovers(node); }

void HistoryChecker::wrote_without_lease(const std::string& what) {
  breach(BreachKind::WroteWithoutLease, "a leader without its lease did {}", what);
}

void HistoryChecker::on_change(const sim::Change& change) {
  const sim::Kind& kind = change.kind();
  if (&kind == &server_.kinds().of<api::Pod>()) {
    const std::string uid = change.after->as<api::Pod>()->metadata().uid();
    const PodFacts* known = index_.pod(uid);
    const auto before = known == nullptr ? std::nullopt : std::optional(*known);
    const bool disturbed = before && disturbances_.disturbed(before->app);
    index_.apply(change);
    pod_changed(before ? &*before : nullptr, index_.pod(uid), disturbed);
    return;
  }
  index_.apply(change);
  if (&kind == &server_.kinds().of<api::Node>()) node_changed(change.after->as<api::Node>()->metadata().name());
  if (&kind == &server_.kinds().of<api::Deployment>()) {
    const auto after = change.after->as<api::Deployment>();
    if (change.what == sim::Change::What::Added) user_replicas_[after->metadata().name()] = after->spec().replicas();
    if (change.what == sim::Change::What::Modified) deployment_changed(*change.before->as<api::Deployment>(), *after);
  }
  if (kind.group == "rescheduler.io" && kind.plural == "migrations") migration_changed(change);
}

void HistoryChecker::pod_changed(const PodFacts* before, const PodFacts* after, bool disturbed) {
  const PodFacts& pod = after != nullptr ? *after : *before;
  const bool bound = after != nullptr && !after->node.empty() && (before == nullptr || before->node.empty());
  const bool leaves = before != nullptr && !before->leaving && (after == nullptr || after->leaving);
  const bool lost = before != nullptr && before->available() && (after == nullptr || !after->available());
  if (before == nullptr) check_copies(pod);
  if (bound) check_binding(pod);
  if (leaves && pod.evicted) check_eviction(pod);
  if (lost && !disturbed) check_loss(pod);
  if (disturbances_.disturbed(pod.app)) ledger_.app_disturbed(pod.app);
}

void HistoryChecker::node_changed(const std::string& name) {
  const NodeFacts& node = *index_.node(name);
  if (node.cordoned || node.unready) ledger_.node_closed(name);
}

void HistoryChecker::check_copies(const PodFacts& pod) {
  if (!single_.contains(pod.app)) return;
  const auto live = std::ranges::count_if(index_.pods(), [&](const auto& one) { return one.second.app == pod.app; });
  if (live > 1) breach(BreachKind::TwoCopies, "{} has {} copies at once: {} is new", pod.app, live, pod.name);
}

// The requests on a node grow only when a pod is bound.
void HistoryChecker::check_binding(const PodFacts& pod) {
  ++bindings_;
  ledger_.pod_bound(pod);
  const NodeFacts* node = index_.node(pod.node);
  if (node == nullptr) return;
  for (const auto& [resource, amount] : index_.requested(pod.node)) {
    const auto has = node->allocatable.find(resource);
    const std::int64_t most = has == node->allocatable.end() ? 0 : has->second;
    if (amount <= most) continue;
    breach(BreachKind::NodeOverflow, "{} has {} of {} and pods that ask for {}", pod.node, most, resource, amount);
  }
  if (node->cordoned && now() - *node->cordoned > kKnown) {
    breach(BreachKind::BoundToCordonedNode, "{} was bound to {}, which is cordoned", pod.name, pod.node);
  }
  if (node->unready && now() - *node->unready > kKnown) {
    breach(BreachKind::BoundToUnreadyNode, "{} was bound to {}, which is not ready", pod.name, pod.node);
  }
}

// Only the product evicts: exactly one Migration must announce the eviction, and the pod must not be protected.
void HistoryChecker::check_eviction(const PodFacts& pod) {
  ++evictions_;
  if (ledger_.forbidden(pod.app)) breach(BreachKind::ProtectedPodMoved, "{} is protected and was evicted", pod.name);
  const auto announced = std::ranges::count_if(
      ledger_.moves(), [&](const auto& one) { return one.second.pod_uid == pod.uid && announces(one.second); });
  if (announced == 0) {
    std::string known;
    for (const auto& [uid, move] : ledger_.moves()) {
      if (move.pod_uid == pod.uid)
        known += fmt::format("; {} is {}{}", move.name, move.phase, move.open ? "" : " and closed");
    }
    breach(BreachKind::UnannouncedEviction, "no Migration announces the eviction of {}{}", pod.name, known);
  }
  if (announced > 1) {
    breach(BreachKind::EvictionAnnouncedTwice, "{} Migrations announce the eviction of {}", announced, pod.name);
  }
}

// An undisturbed workload has lost a ready pod.
void HistoryChecker::check_loss(const PodFacts& lost) {
  const WorkloadFacts* workload = index_.workload(lost.app);
  if (workload == nullptr) return;
  ++judged_workloads_[lost.app];
  if (!lost.evicted && ledger_.forbidden(lost.app)) {
    breach(BreachKind::ProtectedPodMoved, "{} is protected and was removed", lost.name);
  }
  if (!lost.evicted && !explained(lost)) {
    breach(BreachKind::UnexplainedLoss, "{} lost {} and no Migration says why", lost.app, lost.name);
  }
  const Replicas left = index_.replicas(lost.app);
  // One replica may be away. A single replica may not, unless the workload must not have two pods at once.
  const bool surges = workload->kind != "StatefulSet" && !single_.contains(lost.app);
  const int least = surges ? std::max(1, workload->desired - 1) : workload->desired - 1;
  if (left.available < least) {
    breach(BreachKind::TooManyReplicasAway, "{} went while only {} others of {} were ready, not {}", lost.name,
           left.available, lost.app, least);
  }
  check_budgets(lost, left.available, workload->desired);
}

void HistoryChecker::check_budgets(const PodFacts& lost, int available, int desired) {
  for (const auto& [name, least] : index_.budgets(lost.app)) {
    ++judged_budgets_[name];
    // A user may scale a workload below what its PodDisruptionBudget requires. Then no pod may be evicted, but the
    // replica that a move added may be deleted.
    const int asked = lost.evicted ? least : std::min(least, desired);
    if (available >= asked) continue;
    breach(BreachKind::BudgetExceeded, "{} went: PodDisruptionBudget {} has {} healthy pods and asks for {}", lost.name,
           name, available, asked);
  }
}

// A move that adds a replica removes one again, and so does a move that gives up its copy.
bool HistoryChecker::explained(const PodFacts& lost) const {
  return std::ranges::any_of(ledger_.moves(), [&](const auto& one) {
    const Move& move = one.second;
    const bool takes_away = move.mode == "MakeBeforeBreak" || move.mode == "Direct";
    return move.app == lost.app && takes_away && (move.open || now() - move.closed < kSwept);
  });
}

void HistoryChecker::deployment_changed(const api::Deployment& before, const api::Deployment& after) {
  if (kube::encode_bare(before.spec().template_()) == kube::encode_bare(after.spec().template_())) return;
  const std::string& app = after.metadata().name();
  if (++templates_[app] > rollouts_[app]) breach(BreachKind::TemplateTouched, "the template of {} was touched", app);
}

void HistoryChecker::migration_changed(const sim::Change& change) {
  api::Migration migration;
  const auto read = sim::from_stored(change.kind(), *change.after->object(), migration);
  RESCHEDULER_CHECK(read.has_value(), "a stored Migration: {}", read.error().message);
  const Move* ended = ledger_.apply(migration, change.what == sim::Change::What::Deleted);
  if (ended != nullptr) check_success(*ended);
}

void HistoryChecker::check_success(const Move& move) {
  if (move.phase != "Succeeded" || move.expected != Expected::Success) return;
  const PodFacts* source = index_.pod(move.pod_uid);
  const bool serves = std::ranges::any_of(index_.pods(), [&](const auto& one) {
    return one.second.name == move.replacement && one.second.node == move.target && one.second.available();
  });
  if (source != nullptr && source->present()) {
    breach(BreachKind::FalseSuccess, "{} has succeeded and the pod is still on {}", move.name, source->node);
  } else if (!serves && !ledger_.moved_on(move)) {  // a later move may already have moved the replacement
    breach(BreachKind::FalseSuccess, "{} has succeeded and {} is not ready on {}", move.name, move.replacement,
           move.target);
  }
}

void HistoryChecker::check_marks(const api::ObjectMeta& meta, std::string_view kind) {
  if (meta.has_deletion_timestamp()) return;
  if (meta.labels().contains(std::string(migration::kMigrationLabel))) {
    breach(BreachKind::LabelLeft, "{} {} still has our label", kind, meta.name());
  }
  for (const auto& [key, value] : meta.annotations()) {
    const bool ours = key.starts_with("scheduler.alpha.kubernetes.io/") || key == migration::kCostBefore
                      || key == migration::kCopyOf
                      || (key == migration::kDeletionCost && value == migration::kLowestCost);
    if (ours && value != "disabled") breach(BreachKind::AnnotationLeft, "{} {} still has {}", kind, meta.name(), key);
  }
}

void HistoryChecker::check_bare_pods() {
  std::map<std::string, int> copies;
  for (const auto& [uid, pod] : index_.pods()) {
    if (pod.bare && pod.present()) ++copies[pod.app];
  }
  for (const auto& app : index_.bare_apps()) {
    if (disturbances_.ever_affected(app)) continue;
    const int count = copies[app];
    if (count == 0) breach(BreachKind::BarePodLost, "{} is gone, and no copy of it is there", app);
    if (count > 1) breach(BreachKind::BarePodDouble, "{} is there {} times", app, count);
  }
}

void HistoryChecker::check_end() {
  const auto each = [&]<class T>(const T*, const auto& look) {
    server_.store().for_each(server_.kinds().of<T>(), "", "", [&](const sim::VersionPtr& version) {
      look(*version->as<T>());
      return true;
    });
  };
  each(static_cast<const api::Pod*>(nullptr), [&](const api::Pod& pod) {
    check_marks(pod.metadata(), "pod");
    const bool gated = std::ranges::any_of(pod.spec().scheduling_gates(),
                                           [](const auto& gate) { return gate.name() == migration::kGate; });
    if (gated) breach(BreachKind::GateLeft, "pod {} still waits behind our gate", pod.metadata().name());
  });
  each(static_cast<const api::Deployment*>(nullptr), [&](const api::Deployment& deployment) {
    check_marks(deployment.metadata(), "deployment");
    const std::string& app = deployment.metadata().name();
    if (deployment.spec().replicas() == user_replicas_[app]) return;
    breach(BreachKind::ReplicasLeft, "{} has {} replicas, and its user gave it {}", app, deployment.spec().replicas(),
           user_replicas_[app]);
  });
  each(static_cast<const api::ReplicaSet*>(nullptr),
       [&](const api::ReplicaSet& set) { check_marks(set.metadata(), "replicaset"); });
  each(static_cast<const api::StatefulSet*>(nullptr),
       [&](const api::StatefulSet& set) { check_marks(set.metadata(), "statefulset"); });
  each(static_cast<const api::PodDisruptionBudget*>(nullptr), [&](const api::PodDisruptionBudget& budget) {
    const std::string& name = budget.metadata().name();
    if (name.ends_with("-rescheduler-pdb")) breach(BreachKind::BudgetLeft, "budget {} is still there", name);
  });
  for (const auto& [uid, move] : ledger_.moves()) {
    if (move.open) breach(BreachKind::MigrationLeft, "{} is still {}: {}", move.name, move.phase, move.message);
  }
  check_bare_pods();
}

}  // namespace rescheduler::test
