#include "migration/migration_observer.h"

#include <algorithm>

#include <fmt/format.h>

#include "cluster/objects/annotations.h"
#include "cluster/objects/nodes.h"
#include "cluster/objects/pods.h"
#include "cluster/objects/workloads.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/autoscaling.pb.h"
#include "kube/proto/batch.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/policy.pb.h"
#include "kube/value/time.h"
#include "kube/value/wire_selectors.h"
#include "migration/intent.h"
#include "migration/keys.h"

namespace rescheduler::migration {
namespace {

constexpr std::int32_t kCritical = 2'000'000'000;  // system-cluster-critical; higher priorities are system pods

template <class Map>
std::string value_of(const Map& map, std::string_view key) {
  const auto found = map.find(std::string(key));
  return found == map.end() ? std::string() : found->second;
}

bool has_host_port(const api::Pod& pod) {
  if (pod.spec().host_network()) return true;
  return std::ranges::any_of(pod.spec().containers(), [](const api::Container& container) {
    return std::ranges::any_of(container.ports(), [](const api::ContainerPort& port) { return port.host_port() != 0; });
  });
}

std::string protection_of(const api::Pod& pod) {
  const auto* owner = cluster::controller_of(pod.metadata());
  if (owner != nullptr && owner->kind() == "DaemonSet") return "pods of a DaemonSet are not moved";
  if (cluster::is_mirror(pod)) return "static pods are not moved";
  return opt_out_of(pod.metadata(), "the pod");
}

// The fields that all workload kinds have in common.
template <class T>
void common(const T& object, ObservedWorkload& observed) {
  const api::ObjectMeta& meta = object.metadata();
  observed.name = meta.name();
  observed.uid = meta.uid();
  observed.version = meta.resource_version();
  observed.leaving = meta.has_deletion_timestamp();
  observed.mark = value_of(meta.labels(), kMigrationLabel);
  observed.protected_because = opt_out_of(meta, "its workload");
  if (const auto intent = parse_intent(value_of(meta.annotations(), kIntentAnnotation))) {
    observed.surged_from = intent->surged_from;
    observed.surged_to = intent->surged_to;
  }
  if (const auto selector = kube::compile_selector(object.spec().selector())) observed.selector = selector->to_string();
}

void read(const api::Deployment& object, ObservedWorkload& observed) {
  common(object, observed);
  observed.kind = "Deployment";
  observed.desired = cluster::wanted_replicas(object).value_or(1);
  const api::DeploymentStatus& status = object.status();
  observed.settled =
      status.observed_generation() >= object.metadata().generation() && status.updated_replicas() >= status.replicas();
}

void read(const api::ReplicaSet& object, ObservedWorkload& observed) {
  common(object, observed);
  observed.kind = "ReplicaSet";
  observed.desired = cluster::wanted_replicas(object).value_or(1);
}

void read(const api::StatefulSet& object, ObservedWorkload& observed) {
  common(object, observed);
  observed.kind = "StatefulSet";
  observed.desired = cluster::wanted_replicas(object).value_or(1);
  const api::StatefulSetStatus& status = object.status();
  observed.settled = status.observed_generation() >= object.metadata().generation()
                     && (status.update_revision().empty() || status.update_revision() == status.current_revision()
                         || object.spec().update_strategy().type() == "OnDelete"
                         || object.spec().update_strategy().rolling_update().partition() > 0);
}

void read(const api::Job& object, ObservedWorkload& observed) {
  common(object, observed);
  observed.kind = "Job";
  const bool over = std::ranges::any_of(object.status().conditions(), [](const api::JobCondition& condition) {
    return (condition.type() == "Complete" || condition.type() == "Failed") && condition.status() == "True";
  });
  observed.leaving = observed.leaving || over;
}

std::string node_problem(const api::Node& node) {
  const std::string& name = node.metadata().name();
  if (node.metadata().has_deletion_timestamp()) return fmt::format("node {} is being removed", name);
  if (node.spec().unschedulable()) return fmt::format("node {} is cordoned", name);
  return cluster::reports_not_ready(node) ? fmt::format("node {} is not ready", name) : std::string{};
}

}  // namespace

std::string opt_out_of(const api::ObjectMeta& metadata, const std::string& whose) {
  const cluster::OptOutValue opt_out = cluster::opt_out_value(metadata);
  switch (opt_out.meaning) {
    case cluster::OptOut::No: return {};
    case cluster::OptOut::Disabled: return fmt::format("{} has opted out of moves ({}: disabled)", whose, opt_out.key);
    case cluster::OptOut::Unclear: break;
  }
  return fmt::format("{} has {} with the unknown value \"{}\" and is not moved", whose, opt_out.key, opt_out.value);
}

std::optional<ObservedWorkload> copied_intent(const api::ReplicaSet& set, const std::string& migration) {
  const auto* owner = cluster::controller_of(set.metadata());
  if (owner == nullptr || owner->kind() != "Deployment") return std::nullopt;
  const auto intent = parse_intent(value_of(set.metadata().annotations(), kIntentAnnotation));
  if (!intent || intent->migration != migration) return std::nullopt;
  ObservedWorkload observed;
  observed.kind = "ReplicaSet";
  observed.name = set.metadata().name();
  observed.uid = set.metadata().uid();
  observed.version = set.metadata().resource_version();
  return observed;
}

ObservedPod observed_pod(const api::Pod& pod) {
  const api::ObjectMeta& meta = pod.metadata();
  ObservedPod observed;
  observed.name = meta.name();
  observed.uid = meta.uid();
  observed.version = meta.resource_version();
  observed.node = pod.spec().node_name();
  if (const auto* owner = cluster::controller_of(meta)) {
    observed.owner_kind = owner->kind();
    observed.owner = owner->uid();
  }
  observed.scheduler = pod.spec().scheduler_name();
  observed.nominated = pod.status().nominated_node_name();
  observed.mark = value_of(meta.labels(), kMigrationLabel);
  observed.copy_of = value_of(meta.annotations(), kCopyOf);
  observed.created = kube::wall_time(meta.creation_timestamp());
  observed.ready = cluster::is_ready(pod);
  observed.leaving = cluster::is_terminating(meta);
  observed.over = cluster::is_finished(pod);
  observed.gated =
      std::ranges::any_of(pod.spec().scheduling_gates(), [](const auto& gate) { return gate.name() == kGate; });
  observed.critical = pod.spec().priority() >= kCritical;
  observed.protected_because = protection_of(pod);
  for (const auto& volume : pod.spec().volumes()) {
    const auto& source = volume.volume_source();
    if (source.has_persistent_volume_claim()) {
      observed.no_second_copy = fmt::format("its volume {} may allow one pod only", volume.name());
    }
    if (source.has_host_path())
      observed.no_copy = fmt::format("its volume {} is a hostPath of its node", volume.name());
    if (source.has_ephemeral()) observed.no_copy = fmt::format("its volume {} is deleted with the pod", volume.name());
  }
  if (has_host_port(pod)) observed.no_second_copy = "it uses host ports";
  return observed;
}

net::Task<Result<ObservedState>> MigrationObserver::look(const api::Migration& migration, WallTime now) {
  ObservedState observed;
  observed.now = now;
  Owner owner;
  auto done = co_await observe_pods(migration, observed, owner);
  if (done) done = co_await observe_workload(migration, owner, observed);
  if (done) done = co_await observe_replicas(migration, observed);
  if (done) done = co_await observe_sets(migration, observed);
  if (done) done = co_await observe_budgets(migration, observed);
  if (done) done = co_await observe_target(migration, observed);
  if (!done) co_return fail(std::move(done.error()));
  co_return observed;
}

// The source pod and, in Direct mode, its copies.
net::Task<Result<void>> MigrationObserver::observe_pods(const api::Migration& migration,
                                                        ObservedState& observed,
                                                        Owner& owner) {
  const std::string ns = migration.metadata().namespace_();
  auto pod = co_await client_.get<api::Pod>(ns, migration.spec().pod());
  if (!pod && pod.error().code != Errc::NotFound) co_return fail(std::move(pod.error()));
  source_labels_.clear();
  if (pod && pod->metadata().uid() == migration.spec().pod_uid()) {
    observed.source = observed_pod(*pod);
    for (const auto& [key, value] : pod->metadata().labels()) source_labels_.emplace_back(key, value);
    std::ranges::sort(source_labels_);
    if (const auto* controller = cluster::controller_of(pod->metadata())) {
      owner = {controller->kind(), controller->name(), controller->uid()};
    }
  } else if (pod && pod->metadata().labels().contains(std::string(kMigrationLabel))) {
    observed.restored = observed_pod(*pod);
  }
  if (!migration.status().has_copy()) co_return Result<void>{};
  auto copy = co_await client_.get<api::Pod>(ns, migration.status().copy());
  if (!copy && copy.error().code != Errc::NotFound) co_return fail(std::move(copy.error()));
  if (!copy) co_return Result<void>{};
  ObservedPod found = observed_pod(*copy);
  const bool ours = found.copy_of == migration.spec().pod_uid() || found.uid == migration.status().replacement_uid();
  observed.copy_name_taken = !ours;
  if (ours) observed.copy = std::move(found);
  co_return Result<void>{};
}

net::Task<Result<MigrationObserver::Owner>> MigrationObserver::top_owner(std::string ns, Owner of_pod) {
  if (of_pod.kind != "ReplicaSet") co_return of_pod;
  auto set = co_await client_.get<api::ReplicaSet>(ns, of_pod.name);
  if (!set && set.error().code == Errc::NotFound) co_return of_pod;
  if (!set) co_return fail(std::move(set.error()));
  if (set->metadata().uid() != of_pod.uid) co_return of_pod;
  const auto* controller = cluster::controller_of(set->metadata());
  if (controller == nullptr || controller->kind() != "Deployment") co_return of_pod;
  Owner top;
  top.kind = controller->kind();
  top.name = controller->name();
  top.uid = controller->uid();
  co_return top;
}

template <class T>
net::Task<Result<void>> MigrationObserver::read_workload(std::string ns, Owner owner, ObservedState& observed) {
  auto object = co_await client_.get<T>(ns, owner.name);
  if (!object && object.error().code == Errc::NotFound) co_return Result<void>{};
  if (!object) co_return fail(std::move(object.error()));
  if (object->metadata().uid() != owner.uid) co_return Result<void>{};
  observed.workload.emplace();
  read(*object, *observed.workload);
  co_return Result<void>{};
}

net::Task<Result<void>> MigrationObserver::observe_workload(const api::Migration& migration,
                                                            const Owner& owner,
                                                            ObservedState& observed) {
  const std::string ns = migration.metadata().namespace_();
  Owner top;
  if (migration.status().has_workload()) {
    const api::MigrationOwner& known = migration.status().workload();
    top = {known.kind(), known.name(), known.uid()};
  } else {
    auto found = co_await top_owner(ns, owner);
    if (!found) co_return fail(std::move(found.error()));
    top = std::move(*found);
  }
  Result<void> done;
  if (top.kind == "Deployment") done = co_await read_workload<api::Deployment>(ns, top, observed);
  if (top.kind == "ReplicaSet") done = co_await read_workload<api::ReplicaSet>(ns, top, observed);
  if (top.kind == "StatefulSet") done = co_await read_workload<api::StatefulSet>(ns, top, observed);
  if (top.kind == "Job") done = co_await read_workload<api::Job>(ns, top, observed);
  if (!done || !observed.workload) co_return done;
  const Phase phase = phase_of(migration);
  const bool scales = observed.workload->kind == "Deployment" || observed.workload->kind == "ReplicaSet";
  if (scales && (phase == Phase::Pending || phase == Phase::Preparing))
    done = co_await observe_autoscaler(ns, observed);
  co_return done;
}

net::Task<Result<void>> MigrationObserver::observe_autoscaler(const std::string& ns, ObservedState& observed) {
  auto all = co_await client_.list<api::HorizontalPodAutoscaler>(ns);
  // Without permission an autoscaler cannot be ruled out. If the kind does not exist, there is none.
  if (!all && all.error().code == Errc::Denied) observed.workload->autoscaled = true;
  if (!all && (all.error().code == Errc::Denied || all.error().code == Errc::NotFound)) co_return Result<void>{};
  if (!all) co_return fail(std::move(all.error()));
  for (const auto& one : *all) {
    const auto& target = one->spec().scale_target_ref();
    if (target.kind() == observed.workload->kind && target.name() == observed.workload->name)
      observed.workload->autoscaled = true;
  }
  co_return Result<void>{};
}

net::Task<Result<void>> MigrationObserver::observe_replicas(const api::Migration& migration, ObservedState& observed) {
  const std::string& selector = migration.status().selector();
  if (!migration.status().has_workload() || selector.empty()) co_return Result<void>{};
  kube::ListSettings which;
  which.label_selector = selector;
  auto pods = co_await client_.list<api::Pod>(migration.metadata().namespace_(), which);
  if (!pods) co_return fail(std::move(pods.error()));
  const api::MigrationOwner& workload = migration.status().workload();
  const bool through_sets = workload.kind() == "Deployment";
  for (const auto& pod : *pods) {
    ObservedPod one = observed_pod(*pod);
    const bool its = through_sets ? one.owner_kind == "ReplicaSet" : one.owner == workload.uid();
    if (its) observed.pods.push_back(std::move(one));
  }
  co_return Result<void>{};
}

// While cleaning up: the Deployment controller copies annotations to its ReplicaSets and never removes them there.
net::Task<Result<void>> MigrationObserver::observe_sets(const api::Migration& migration, ObservedState& observed) {
  if (phase_of(migration) != Phase::CleaningUp || migration.status().workload().kind() != "Deployment") {
    co_return Result<void>{};
  }
  kube::ListSettings which;
  which.label_selector = migration.status().selector();
  auto sets = co_await client_.list<api::ReplicaSet>(migration.metadata().namespace_(), which);
  if (!sets) co_return fail(std::move(sets.error()));
  for (const auto& set : *sets) {
    if (auto copied = copied_intent(*set, migration.metadata().name()))
      observed.copied_to.push_back(std::move(*copied));
  }
  co_return Result<void>{};
}

net::Task<Result<void>> MigrationObserver::observe_budgets(const api::Migration& migration, ObservedState& observed) {
  const Phase phase = phase_of(migration);
  const bool matters = phase == Phase::Preparing || phase == Phase::Evicting
                       || (phase == Phase::CleaningUp && migration.status().has_budget());
  if (!matters) co_return Result<void>{};
  auto budgets = co_await client_.list<api::PodDisruptionBudget>(migration.metadata().namespace_());
  if (!budgets) co_return fail(std::move(budgets.error()));
  const kube::LabelLookup::SortedPairs labels(source_labels_);
  for (const auto& budget : *budgets) {
    const api::ObjectMeta& meta = budget->metadata();
    if (meta.name() == migration.status().budget()
        && value_of(meta.labels(), kMigrationLabel) == migration.metadata().name()) {
      observed.budgets.own = !meta.has_deletion_timestamp();
      observed.budgets.own_uid = meta.uid();
      observed.budgets.own_counts = budget->status().observed_generation() >= meta.generation();
      continue;
    }
    if (!budget->spec().has_selector()) continue;
    const auto selector = kube::compile_selector(budget->spec().selector());
    if (selector && selector->matches(labels)) ++observed.budgets.matching;
  }
  co_return Result<void>{};
}

net::Task<Result<void>> MigrationObserver::observe_target(const api::Migration& migration, ObservedState& observed) {
  const Phase phase = phase_of(migration);
  if (phase != Phase::Pending && phase != Phase::Preparing) co_return Result<void>{};
  auto node = co_await client_.get<api::Node>("", migration.spec().target());
  if (node) observed.target_problem = node_problem(*node);
  if (!node && node.error().code != Errc::NotFound) co_return fail(std::move(node.error()));
  if (!node) observed.target_problem = fmt::format("there is no node {}", migration.spec().target());
  co_return Result<void>{};
}

}  // namespace rescheduler::migration
