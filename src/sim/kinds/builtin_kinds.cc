#include "sim/kinds/builtin_kinds.h"

#include "base/check.h"
#include "sim/kinds/rules.h"

namespace rescheduler::sim {
namespace {

// Traits of a kind, as bits.
constexpr unsigned kPlain = 0;
constexpr unsigned kNamespaced = 1U << 0U;
constexpr unsigned kStatus = 1U << 1U;
constexpr unsigned kScale = 1U << 2U;
constexpr unsigned kAll = 1U << 3U;         // category "all": `kubectl get all`
constexpr unsigned kUntyped = 1U << 4U;     // stored as CustomObject
constexpr unsigned kCreateOnly = 1U << 5U;  // a review, which is not stored
constexpr unsigned kReadOnly = 1U << 6U;    // computed on request
constexpr unsigned kExtension = 1U << 7U;   // category "api-extensions"
constexpr unsigned kOneByOne = 1U << 8U;    // no deletecollection

struct BuiltIn {
  const char* group;
  const char* version;
  const char* kind;
  const char* plural;
  const char* singular;
  std::vector<std::string> short_names;
  unsigned traits;
};

// NOLINTNEXTLINE(readability-function-size): one row for each kind
const std::vector<BuiltIn>& table() {
  static const std::vector<BuiltIn> kinds = {
      {"", "v1", "Pod", "pods", "pod", {"po"}, kNamespaced | kStatus | kAll},
      {"", "v1", "Node", "nodes", "node", {"no"}, kStatus},
      {"", "v1", "Namespace", "namespaces", "namespace", {"ns"}, kStatus | kOneByOne},
      {"", "v1", "Service", "services", "service", {"svc"}, kNamespaced | kStatus | kAll},
      {"", "v1", "ConfigMap", "configmaps", "configmap", {"cm"}, kNamespaced},
      {"", "v1", "Secret", "secrets", "secret", {}, kNamespaced},
      {"", "v1", "ServiceAccount", "serviceaccounts", "serviceaccount", {"sa"}, kNamespaced},
      {"",
       "v1",
       "ReplicationController",
       "replicationcontrollers",
       "replicationcontroller",
       {"rc"},
       kNamespaced | kStatus | kScale | kAll},
      {"", "v1", "PersistentVolume", "persistentvolumes", "persistentvolume", {"pv"}, kStatus},
      {"",
       "v1",
       "PersistentVolumeClaim",
       "persistentvolumeclaims",
       "persistentvolumeclaim",
       {"pvc"},
       kNamespaced | kStatus},
      {"", "v1", "Event", "events", "event", {"ev"}, kNamespaced},
      {"", "v1", "Binding", "bindings", "binding", {}, kNamespaced | kCreateOnly},
      {"", "v1", "Endpoints", "endpoints", "endpoints", {"ep"}, kNamespaced | kUntyped},
      {"", "v1", "LimitRange", "limitranges", "limitrange", {"limits"}, kNamespaced | kUntyped},
      {"", "v1", "ResourceQuota", "resourcequotas", "resourcequota", {"quota"}, kNamespaced | kStatus | kUntyped},
      {"", "v1", "PodTemplate", "podtemplates", "podtemplate", {}, kNamespaced | kUntyped},
      {"apps", "v1", "Deployment", "deployments", "deployment", {"deploy"}, kNamespaced | kStatus | kScale | kAll},
      {"apps", "v1", "ReplicaSet", "replicasets", "replicaset", {"rs"}, kNamespaced | kStatus | kScale | kAll},
      {"apps", "v1", "StatefulSet", "statefulsets", "statefulset", {"sts"}, kNamespaced | kStatus | kScale | kAll},
      {"apps", "v1", "DaemonSet", "daemonsets", "daemonset", {"ds"}, kNamespaced | kStatus | kAll},
      {"apps", "v1", "ControllerRevision", "controllerrevisions", "controllerrevision", {}, kNamespaced},
      {"batch", "v1", "Job", "jobs", "job", {}, kNamespaced | kStatus | kAll},
      {"batch", "v1", "CronJob", "cronjobs", "cronjob", {"cj"}, kNamespaced | kStatus | kAll},
      {"autoscaling",
       "v2",
       "HorizontalPodAutoscaler",
       "horizontalpodautoscalers",
       "horizontalpodautoscaler",
       {"hpa"},
       kNamespaced | kStatus | kAll},
      {"coordination.k8s.io", "v1", "Lease", "leases", "lease", {}, kNamespaced},
      {"events.k8s.io", "v1", "Event", "events", "event", {"ev"}, kNamespaced},
      {"policy",
       "v1",
       "PodDisruptionBudget",
       "poddisruptionbudgets",
       "poddisruptionbudget",
       {"pdb"},
       kNamespaced | kStatus},
      {"scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", "priorityclass", {"pc"}, kPlain},
      {"storage.k8s.io", "v1", "StorageClass", "storageclasses", "storageclass", {"sc"}, kPlain},
      {"storage.k8s.io", "v1", "CSINode", "csinodes", "csinode", {}, kPlain},
      {"storage.k8s.io", "v1", "CSIDriver", "csidrivers", "csidriver", {}, kPlain},
      {"storage.k8s.io", "v1", "CSIStorageCapacity", "csistoragecapacities", "csistoragecapacity", {}, kNamespaced},
      {"storage.k8s.io", "v1", "VolumeAttachment", "volumeattachments", "volumeattachment", {}, kStatus},
      {"authentication.k8s.io", "v1", "TokenReview", "tokenreviews", "tokenreview", {}, kCreateOnly},
      {"authentication.k8s.io",
       "v1",
       "SelfSubjectReview",
       "selfsubjectreviews",
       "selfsubjectreview",
       {},
       kUntyped | kCreateOnly},
      {"authorization.k8s.io",
       "v1",
       "LocalSubjectAccessReview",
       "localsubjectaccessreviews",
       "localsubjectaccessreview",
       {},
       kNamespaced | kUntyped | kCreateOnly},
      {"authorization.k8s.io",
       "v1",
       "SubjectAccessReview",
       "subjectaccessreviews",
       "subjectaccessreview",
       {},
       kCreateOnly},
      {"authorization.k8s.io",
       "v1",
       "SelfSubjectAccessReview",
       "selfsubjectaccessreviews",
       "selfsubjectaccessreview",
       {},
       kCreateOnly},
      {"authorization.k8s.io",
       "v1",
       "SelfSubjectRulesReview",
       "selfsubjectrulesreviews",
       "selfsubjectrulesreview",
       {},
       kCreateOnly},
      {"metrics.k8s.io", "v1beta1", "NodeMetrics", "nodes", "", {}, kReadOnly},
      {"metrics.k8s.io", "v1beta1", "PodMetrics", "pods", "", {}, kNamespaced | kReadOnly},
      {"apiextensions.k8s.io",
       "v1",
       "CustomResourceDefinition",
       "customresourcedefinitions",
       "customresourcedefinition",
       {"crd", "crds"},
       kStatus | kUntyped | kExtension},
      {"admissionregistration.k8s.io",
       "v1",
       "MutatingWebhookConfiguration",
       "mutatingwebhookconfigurations",
       "mutatingwebhookconfiguration",
       {},
       kUntyped | kExtension},
      {"admissionregistration.k8s.io",
       "v1",
       "ValidatingWebhookConfiguration",
       "validatingwebhookconfigurations",
       "validatingwebhookconfiguration",
       {},
       kUntyped | kExtension},
      {"rbac.authorization.k8s.io", "v1", "Role", "roles", "role", {}, kNamespaced | kUntyped},
      {"rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings", "rolebinding", {}, kNamespaced | kUntyped},
      {"rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", "clusterrole", {}, kUntyped},
      {"rbac.authorization.k8s.io",
       "v1",
       "ClusterRoleBinding",
       "clusterrolebindings",
       "clusterrolebinding",
       {},
       kUntyped},
      {"networking.k8s.io", "v1", "Ingress", "ingresses", "ingress", {"ing"}, kNamespaced | kStatus | kUntyped},
      {"networking.k8s.io", "v1", "IngressClass", "ingressclasses", "ingressclass", {}, kUntyped},
      {"networking.k8s.io",
       "v1",
       "NetworkPolicy",
       "networkpolicies",
       "networkpolicy",
       {"netpol"},
       kNamespaced | kUntyped},
      {"discovery.k8s.io", "v1", "EndpointSlice", "endpointslices", "endpointslice", {}, kNamespaced | kUntyped},
      {"node.k8s.io", "v1", "RuntimeClass", "runtimeclasses", "runtimeclass", {}, kUntyped},
  };
  return kinds;
}

// Core events are stored as events.k8s.io events; the core kind is a view.
const kube::ResourceType* wire_type_of(const BuiltIn& entry) {
  if ((entry.traits & kUntyped) != 0) return nullptr;
  const bool core_event = std::string_view(entry.group).empty() && std::string_view(entry.kind) == "Event";
  const kube::ResourceType* type = kube::find_kind(core_event ? "events.k8s.io" : entry.group, entry.kind);
  RESCHEDULER_CHECK(type != nullptr, "there is no wire type {} in group '{}'", entry.kind, entry.group);
  return type;
}

std::vector<std::string> verbs_of(unsigned traits) {
  if ((traits & kCreateOnly) != 0) return {"create"};
  if ((traits & kReadOnly) != 0) return {"get", "list"};
  if ((traits & kOneByOne) != 0) return {"create", "delete", "get", "list", "patch", "update", "watch"};
  return {};
}

Kind make_kind(const BuiltIn& entry) {
  Kind kind;
  kind.group = entry.group;
  kind.version = entry.version;
  kind.kind = entry.kind;
  kind.list_kind = kind.kind + "List";
  kind.plural = entry.plural;
  kind.singular = entry.singular;
  kind.short_names = entry.short_names;
  if ((entry.traits & kAll) != 0) kind.categories = {"all"};
  if ((entry.traits & kExtension) != 0) kind.categories = {"api-extensions"};
  kind.namespaced = (entry.traits & kNamespaced) != 0;
  kind.has_status = (entry.traits & kStatus) != 0;
  kind.has_scale = (entry.traits & kScale) != 0;
  kind.type = wire_type_of(entry);
  kind.verbs = verbs_of(entry.traits);
  kind.rules = builtin_rules(kind);
  return kind;
}

}  // namespace

std::vector<Kind> builtin_kinds() {
  std::vector<Kind> kinds;
  for (const BuiltIn& entry : table()) kinds.push_back(make_kind(entry));
  return kinds;
}

}  // namespace rescheduler::sim
