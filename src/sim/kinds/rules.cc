#include "sim/kinds/rules.h"

#include <map>

#include "sim/kinds/checks.h"

namespace rescheduler::sim {
namespace {

using Family = KindRules (*)();

const std::map<std::string_view, Family>& typed_families() {
  static const std::map<std::string_view, Family> families = {
      {"Pod", pod_rules},
      {"Node", node_rules},
      {"Namespace", namespace_rules},
      {"Service", service_rules},
      {"ConfigMap", config_map_rules},
      {"Secret", secret_rules},
      {"Deployment", deployment_rules},
      {"ReplicaSet", replica_set_rules},
      {"ReplicationController", replication_controller_rules},
      {"StatefulSet", stateful_set_rules},
      {"DaemonSet", daemon_set_rules},
      {"ControllerRevision", controller_revision_rules},
      {"Job", job_rules},
      {"CronJob", cron_job_rules},
      {"HorizontalPodAutoscaler", autoscaler_rules},
      {"Lease", lease_rules},
      {"PodDisruptionBudget", disruption_budget_rules},
      {"PriorityClass", priority_class_rules},
      {"StorageClass", storage_class_rules},
      {"PersistentVolume", volume_rules},
      {"PersistentVolumeClaim", claim_rules},
      {"CSIDriver", csi_driver_rules},
      {"VolumeAttachment", volume_attachment_rules},
  };
  return families;
}

KindRules untyped_builtin_rules(const Kind& kind) {
  if (kind.kind == "CustomResourceDefinition") return definition_rules();
  const bool has_generation = kind.group == "networking.k8s.io" || kind.group == "admissionregistration.k8s.io"
                              || kind.group == "discovery.k8s.io";
  KindRules rules = untyped_rules(kind.has_status, has_generation);
  // Names such as "system:controller:job-controller".
  if (kind.group == "rbac.authorization.k8s.io") rules.name_fault = path_segment_name;
  return rules;
}

}  // namespace

KindRules builtin_rules(const Kind& kind) {
  if (kind.kind == "Event") return event_rules(kind.group.empty());
  if (kind.type == nullptr) return untyped_builtin_rules(kind);
  const auto found = typed_families().find(kind.kind);
  return found == typed_families().end() ? KindRules{} : found->second();
}

}  // namespace rescheduler::sim
