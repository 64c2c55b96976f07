// Creates the pods of a StatefulSet and their claims.
#include <algorithm>

#include <fmt/format.h>

#include "kube/proto/core_storage.pb.h"
#include "kube/value/repeated.h"
#include "sim/controllers/pods/ownership.h"
#include "sim/controllers/pods/pod_template.h"
#include "sim/controllers/stateful_set/stateful_set_reconcile_state.h"

namespace rescheduler::sim {

namespace {

constexpr std::string_view kReporter = "statefulset-controller";

bool is_deleted(std::string_view policy) { return policy == "Delete"; }

const api::PersistentVolumeClaim* claim_named(const api::StatefulSetSpec& spec, const std::string& volume) {
  const auto found = std::ranges::find_if(spec.volume_claim_templates(),
                                          [&volume](const auto& claim) { return claim.metadata().name() == volume; });
  return found == spec.volume_claim_templates().end() ? nullptr : &*found;
}

bool owns(const api::ObjectMeta& metadata, std::string_view uid) {
  return std::ranges::any_of(metadata.owner_references(),
                             [uid](const api::OwnerReference& reference) { return reference.uid() == uid; });
}

api::OwnerReference reference_to(const PodView& pod) {
  api::OwnerReference reference;
  reference.set_api_version("v1");
  reference.set_kind("Pod");
  reference.set_name(std::string(pod.name()));
  reference.set_uid(std::string(pod.uid()));
  reference.set_controller(true);
  reference.set_block_owner_deletion(true);
  return reference;
}

}  // namespace

void StatefulSetController::create_pod(ReconcileState& state, int ordinal) {
  if (!create_claims(state, ordinal)) return;
  const api::StatefulSetUpdateStrategy& strategy = state.spec().update_strategy();
  const int kept =
      strategy.has_rolling_update() ? strategy.rolling_update().partition() : state.set->status().current_replicas();
  const bool is_current =
      (strategy.has_rolling_update() || strategy.type() == "RollingUpdate") && ordinal < state.start() + kept;
  const RevisionPtr& revision = is_current ? state.current : state.update;
  const api::PodTemplateSpec pod_template =
      revision == state.update ? state.spec().template_() : template_in(*revision);

  auto pod = pod_from_template(pod_template, state.ns(), controller_reference(*state.set));
  const std::string name = state.pod_name(ordinal);
  api::ObjectMeta& metadata = *pod->mutable_metadata();
  metadata.set_name(name);
  auto& labels = *metadata.mutable_labels();
  labels["statefulset.kubernetes.io/pod-name"] = name;
  labels["apps.kubernetes.io/pod-index"] = std::to_string(ordinal);
  labels[std::string(kRevisionLabel)] = name_of(revision);
  api::PodSpec& spec = *pod->mutable_spec();
  spec.set_hostname(name);
  if (!state.spec().service_name().empty()) spec.set_subdomain(state.spec().service_name());
  auto& volumes = *spec.mutable_volumes();
  // A claim replaces a volume with the same name.
  kube::erase_if(volumes, [&](const auto& volume) { return claim_named(state.spec(), volume.name()) != nullptr; });
  for (const auto& claim : state.spec().volume_claim_templates()) {
    api::Volume& volume = *volumes.Add();
    volume.set_name(claim.metadata().name());
    volume.mutable_volume_source()->mutable_persistent_volume_claim()->set_claim_name(
        state.claim_name(claim.metadata().name(), ordinal));
  }
  control_.create(state.key, *state.set, std::move(pod));
}

bool StatefulSetController::create_claims(ReconcileState& state, int ordinal) {
  for (const auto& wanted : state.spec().volume_claim_templates()) {
    const std::string name = state.claim_name(wanted.metadata().name(), ordinal);
    if (const auto there = server_.find<api::PersistentVolumeClaim>(state.ns(), name)) {
      if (!there->metadata().has_deletion_timestamp()) continue;
      state.fault = fmt::format("pvc {} is being deleted", name);
      return false;
    }
    api::PersistentVolumeClaim claim = wanted;
    claim.clear_status();
    claim.mutable_metadata()->set_name(name);
    claim.mutable_metadata()->set_namespace_(state.ns());
    for (const auto& [key, value] : state.spec().selector().match_labels()) {
      (*claim.mutable_metadata()->mutable_labels())[key] = value;
    }
    const auto created = server_.create(claim);
    if (!created) state.fault = fmt::format("failed to create PVC {}: {}", name, created.error().message);
    events_.note(kube::ref_to(*state.set), created ? kube::EventType::Normal : kube::EventType::Warning,
                 created ? "SuccessfulCreate" : "FailedCreate", "Create",
                 created ? fmt::format("Create Claim {} Pod {} in StatefulSet {} success", name,
                                       state.pod_name(ordinal), state.name())
                         : fmt::format("Create Claim {} for Pod {} in StatefulSet {} failed error: {}", name,
                                       state.pod_name(ordinal), state.name(), created.error().message),
                 kReporter);
    if (!created) return false;
  }
  return true;
}

// Sets the owners of claims, according to the retention policy. With whenDeleted: Delete, the StatefulSet owns them.
// With whenScaled: Delete, a surplus pod owns its claims. Retained claims have no owner.
void StatefulSetController::own_claims(ReconcileState& state, const PodView& pod, int ordinal) {
  const auto& policy = state.spec().persistent_volume_claim_retention_policy();
  const bool surplus = ordinal < state.start() || ordinal >= state.start() + state.spec().replicas();
  const bool by_pod = surplus && is_deleted(policy.when_scaled());
  const bool by_set = is_deleted(policy.when_deleted()) && !by_pod;
  const bool settled = state.set->status().observed_generation() == state.set->metadata().generation();
  if (!by_pod && !by_set && !is_deleted(policy.when_scaled()) && settled) return;  // no owner is needed or left over
  const std::string pod_uid(pod.uid());
  const api::OwnerReference pod_reference = reference_to(pod);
  for (const auto& wanted : state.spec().volume_claim_templates()) {
    const std::string name = state.claim_name(wanted.metadata().name(), ordinal);
    const auto there = server_.find<api::PersistentVolumeClaim>(state.ns(), name);
    if (!there) continue;
    const std::string& set_uid = state.set->metadata().uid();
    if (owns(there->metadata(), set_uid) == by_set && owns(there->metadata(), pod_uid) == by_pod) continue;
    static_cast<void>(
        server_.modify<api::PersistentVolumeClaim>(state.ns(), name, [&](api::PersistentVolumeClaim& claim) {
          api::ObjectMeta& metadata = *claim.mutable_metadata();
          remove_owner(metadata, set_uid);
          remove_owner(metadata, pod_uid);
          if (by_set) static_cast<void>(add_controller(metadata, controller_reference(*state.set)));
          if (by_pod) static_cast<void>(add_controller(metadata, pod_reference));
        }));
  }
}

// Whether a claim of an earlier pod with this name is still being deleted. Such a claim must not be used again.
bool StatefulSetController::has_stale_claim(const ReconcileState& state, int ordinal) const {
  if (!is_deleted(state.spec().persistent_volume_claim_retention_policy().when_scaled())) return false;
  return std::ranges::any_of(state.spec().volume_claim_templates(), [&](const auto& wanted) {
    const auto claim =
        server_.find<api::PersistentVolumeClaim>(state.ns(), state.claim_name(wanted.metadata().name(), ordinal));
    return claim && std::ranges::any_of(claim->metadata().owner_references(), [&](const auto& reference) {
             return reference.kind() == "Pod" && reference.name() == state.pod_name(ordinal);
           });
  });
}

}  // namespace rescheduler::sim
