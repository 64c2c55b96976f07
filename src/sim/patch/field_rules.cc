#include "sim/patch/field_rules.h"

#include <algorithm>
#include <unordered_map>

#include <google/protobuf/descriptor.h>

namespace rescheduler::sim {
namespace {

constexpr FieldRule keyed(std::string_view field, std::string_view key) {
  return {field, Strategy::Merge, key, ListType::Map, {key, {}}};
}
constexpr FieldRule keyed(std::string_view field, std::string_view key, std::string_view second_key) {
  return {field, Strategy::Merge, key, ListType::Map, {key, second_key}};
}
// Server-side apply identifies items by key; strategic merge does not.
constexpr FieldRule apply_only(std::string_view field, std::string_view key) {
  return {field, Strategy::Default, {}, ListType::Map, {key, {}}};
}
// Strategic merge identifies items by key; server-side apply does not.
constexpr FieldRule merge_only(std::string_view field, std::string_view key) { return {field, Strategy::Merge, key}; }
constexpr FieldRule merged_set(std::string_view field) { return {field, Strategy::Merge, {}, ListType::Set}; }
constexpr FieldRule apply_set(std::string_view field) { return {field, Strategy::Default, {}, ListType::Set}; }
constexpr FieldRule atomic_map(std::string_view field) {
  return {field, Strategy::Default, {}, ListType::Atomic, {}, true};
}

constexpr std::array kRules = {
    // apps, autoscaling, batch
    keyed("DaemonSetStatus.conditions", "type"),
    keyed("DeploymentStatus.conditions", "type"),
    keyed("ReplicaSetStatus.conditions", "type"),
    keyed("StatefulSetStatus.conditions", "type"),
    keyed("HorizontalPodAutoscalerStatus.conditions", "type"),
    merge_only("JobStatus.conditions", "type"),
    apply_set("PodFailurePolicyOnExitCodesRequirement.values"),
    apply_set("UncountedTerminatedPods.failed"),
    apply_set("UncountedTerminatedPods.succeeded"),
    // core: containers
    keyed("Container.env", "name"),
    keyed("Container.ports", "containerPort", "protocol"),
    keyed("Container.volume_devices", "devicePath"),
    keyed("Container.volume_mounts", "mountPath"),
    keyed("EphemeralContainerCommon.env", "name"),
    keyed("EphemeralContainerCommon.ports", "containerPort", "protocol"),
    keyed("EphemeralContainerCommon.volume_devices", "devicePath"),
    keyed("EphemeralContainerCommon.volume_mounts", "mountPath"),
    apply_set("ContainerRestartRuleOnExitCodes.values"),
    apply_only("ResourceRequirements.claims", "name"),
    // core: pods
    keyed("PodSpec.containers", "name"),
    keyed("PodSpec.ephemeral_containers", "name"),
    keyed("PodSpec.host_aliases", "ip"),
    keyed("PodSpec.image_pull_secrets", "name"),
    keyed("PodSpec.init_containers", "name"),
    atomic_map("PodSpec.node_selector"),
    keyed("PodSpec.resource_claims", "name"),
    keyed("PodSpec.scheduling_gates", "name"),
    keyed("PodSpec.topology_spread_constraints", "topologyKey", "whenUnsatisfiable"),
    keyed("PodSpec.volumes", "name"),
    keyed("ContainerStatus.allocated_resources_status", "name"),
    keyed("ContainerStatus.volume_mounts", "mountPath"),
    apply_set("NodeAllocatableResourceClaimStatus.containers"),
    keyed("PodStatus.conditions", "type"),
    merge_only("PodStatus.host_ips", "ip"),
    keyed("PodStatus.node_allocatable_resource_claim_statuses", "resourceClaimName"),
    keyed("PodStatus.pod_ips", "ip"),
    keyed("PodStatus.resource_claim_statuses", "name"),
    apply_only("ResourceStatus.resources", "resourceID"),
    // core: other types. Taints and tolerations have no mark: their lists are replaced.
    keyed("NamespaceStatus.conditions", "type"),
    keyed("NodeStatus.addresses", "type"),
    keyed("NodeStatus.conditions", "type"),
    merged_set("NodeSpec.pod_cidrs"),
    keyed("PersistentVolumeClaimStatus.conditions", "type"),
    FieldRule{"PersistentVolumeSpec.claim_ref", Strategy::Default, {}, ListType::Atomic, {}, false, true},
    keyed("ReplicationControllerStatus.conditions", "type"),
    atomic_map("ReplicationControllerSpec.selector"),
    keyed("ServiceAccount.secrets", "name"),
    keyed("ServiceSpec.ports", "port", "protocol"),
    atomic_map("ServiceSpec.selector"),
    keyed("ServiceStatus.conditions", "type"),
    // meta, policy, storage
    merged_set("ObjectMeta.finalizers"),
    keyed("ObjectMeta.owner_references", "uid"),
    FieldRule{"PodDisruptionBudgetSpec.selector", Strategy::Replace},
    keyed("PodDisruptionBudgetStatus.conditions", "type"),
    apply_set("CSIDriverSpec.volume_lifecycle_modes"),
    keyed("CSINodeSpec.drivers", "name"),
};

constexpr std::array<std::string_view, 14> kAtomicStructures = {
    "ConfigMapKeySelector", "FileKeySelector",           "LabelSelector",       "LocalObjectReference",
    "NodeSelector",         "NodeSelectorTerm",          "ObjectFieldSelector", "ObjectReference",
    "OwnerReference",       "ResourceFieldSelector",     "SecretKeySelector",   "SecretReference",
    "TopologySelectorTerm", "TypedLocalObjectReference",
};

constexpr std::string_view kPackage = "rescheduler.api";

}  // namespace

const FieldRule* rule_of(const google::protobuf::FieldDescriptor& field) {
  static const std::unordered_map<std::string_view, const FieldRule*> book = [] {
    std::unordered_map<std::string_view, const FieldRule*> rules;
    for (const FieldRule& rule : kRules) rules.emplace(rule.field, &rule);
    return rules;
  }();
  if (field.file()->package() != kPackage) return nullptr;
  const auto found = book.find(std::string_view(field.full_name()).substr(kPackage.size() + 1));
  return found == book.end() ? nullptr : found->second;
}

std::size_t rule_count() { return kRules.size(); }

bool is_atomic(const google::protobuf::Descriptor& structure) {
  return structure.file()->package() == kPackage
         && std::ranges::find(kAtomicStructures, std::string_view(structure.name())) != kAtomicStructures.end();
}

std::string_view key_default(std::string_view key) { return key == "protocol" ? "TCP" : ""; }

}  // namespace rescheduler::sim
