#include "cli/daemon/permissions.h"

#include <string_view>

namespace rescheduler::cli {
namespace {

struct Grant {
  std::string_view group;
  std::string_view resource;
  std::string_view subresource;
  std::vector<std::string_view> verbs;
  std::string_view why;
  std::string_view ns{};    // empty: all namespaces, or cluster-scoped
  std::string_view name{};  // empty: any
};

// Default namespace of the lease and of the stored state. Objects that `kubectl delete -f` must remove are in the
// manifests. The daemon only updates the configuration and the Secret of the webhook, so it needs no permission to
// create them. It can create the lease and the ConfigMap of finished moves again if they were deleted, because there is
// no leader without the lease and no move history without the ConfigMap.
constexpr std::string_view kHome = "kube-system";
constexpr std::string_view kAdmission = "admissionregistration.k8s.io";

const std::vector<std::string_view> kFollow{"list", "watch"};
// With "get", because a changed object is computed from the current one.
const std::vector<std::string_view> kFollowAndGet{"get", "list", "watch"};

std::vector<Grant> grants() {
  return {
      {"", "nodes", "", kFollowAndGet, "to know where pods can go"},
      {"", "pods", "", kFollowAndGet, "to know which pods run and which are pending"},
      {"", "namespaces", "", kFollow, "to honour namespace selectors and exclusions"},
      {"", "services", "", kFollow, "to spread the pods of a service, and to find Prometheus"},
      {"", "replicationcontrollers", "", kFollow, "to spread the pods of a controller"},
      {"", "persistentvolumeclaims", "", kFollowAndGet, "to place pods where their volumes are"},
      {"", "persistentvolumes", "", kFollowAndGet, "to place pods where their volumes are"},
      {"apps", "deployments", "", kFollowAndGet, "to know a pod's workload"},
      {"apps", "replicasets", "", kFollowAndGet, "to know a pod's workload"},
      {"apps", "statefulsets", "", kFollowAndGet, "to know a pod's workload"},
      {"apps", "daemonsets", "", kFollowAndGet, "to know which pods belong to a DaemonSet"},
      {"batch", "jobs", "", kFollowAndGet, "to know a pod's workload"},
      {"batch", "cronjobs", "", kFollowAndGet, "to know a pod's workload"},
      {"autoscaling", "horizontalpodautoscalers", "", kFollow, "to know which autoscaler scales a workload"},
      {"policy", "poddisruptionbudgets", "", kFollow, "to respect PodDisruptionBudgets"},
      {"storage.k8s.io", "storageclasses", "", kFollow, "to bind volumes when a pod is placed"},
      {"storage.k8s.io", "csinodes", "", kFollow, "to respect volume limits"},
      {"storage.k8s.io", "csistoragecapacities", "", kFollow, "to respect storage capacity"},
      {"storage.k8s.io", "csidrivers", "", kFollow, "to respect storage capacity"},
      {"storage.k8s.io", "volumeattachments", "", kFollow, "to respect volume limits"},
      {"metrics.k8s.io", "nodes", "", {"list"}, "to read the load of nodes if Prometheus has no data"},
      {"metrics.k8s.io", "pods", "", {"list"}, "to know how much load a move removes from a node"},
      {"", "nodes", "", {"patch"}, "to cordon and uncordon nodes for maintenance"},
      {"", "nodes", "status", {"patch"}, "to report the progress of node maintenance"},
      {"", "configmaps", "", {"create"}, "to record finished moves", kHome},
      {"", "configmaps", "", {"get", "update"}, "to record finished moves", kHome, "rescheduler-moves"},
      {"", "persistentvolumeclaims", "", {"update"}, "to have volumes provisioned for the node of a pod"},
      {"", "persistentvolumes", "", {"update"}, "to bind volumes when a pod is placed"},
      {"authentication.k8s.io", "tokenreviews", "", {"create"}, "to authenticate requests on the secure port"},
      {"authorization.k8s.io", "subjectaccessreviews", "", {"create"}, "to authorize requests on the secure port"},
      {"rescheduler.io", "migrations", "", {"get", "list", "watch", "create", "delete"}, "to record moves"},
      {"rescheduler.io", "migrations", "", {"patch"}, "to cancel a move from the dashboard"},
      {"rescheduler.io", "migrations", "status", {"patch"}, "to record the progress of a move"},
      {"apps", "deployments", "", {"patch"}, "to mark a workload while its pod is moved, and to scale it by one"},
      {"apps", "replicasets", "", {"patch"}, "to mark a workload while its pod is moved, and to scale it by one"},
      {"apps", "statefulsets", "", {"patch"}, "to mark a workload while its pod is moved"},
      {"batch", "jobs", "", {"patch"}, "to mark a workload while its pod is moved"},
      {"policy", "poddisruptionbudgets", "", {"create", "delete"}, "to protect a workload while its pod is moved"},
      {"", "pods", "", {"create", "patch"}, "to copy bare pods, and to mark which replica is removed first"},
      {"", "pods", "binding", {"create"}, "to place a pod"},
      {"", "pods", "eviction", {"create"}, "to move a pod"},
      {"", "pods", "status", {"patch"}, "to report why a pod is pending"},
      {"", "pods", "", {"delete"}, "to preempt"},
      {"apps", "deployments", "", {"patch"}, "to count retries of failing pods"},
      {"apps", "replicasets", "", {"patch"}, "to count retries of failing pods"},
      {"apps", "statefulsets", "", {"patch"}, "to count retries of failing pods"},
      {"apps", "daemonsets", "", {"patch"}, "to count retries of failing pods"},
      {"batch", "jobs", "", {"patch"}, "to count retries of failing pods"},
      {"batch", "cronjobs", "", {"patch"}, "to count retries of failing pods"},
      {"", "pods", "", {"create"}, "to create failing bare pods again"},
      {"",
       "configmaps",
       "",
       {"list", "create", "delete"},
       "to save failing bare pods while they are created again",
       kHome},
      {"", "nodes", "", {"update"}, "to quarantine nodes on which many workloads fail"},
      {"", "secrets", "", {"get", "update"}, "to keep the webhook's certificate", kHome, "rescheduler-webhook-tls"},
      {kAdmission,
       "mutatingwebhookconfigurations",
       "",
       {"patch"},
       "to register the webhook",
       {},
       "rescheduler-recovery"},
      {"events.k8s.io", "events", "", {"create", "patch"}, "to report actions and their reasons"},
      {"events.k8s.io", "events", "", {"list"}, "to show a pod's events on the dashboard"},
      {"coordination.k8s.io", "leases", "", {"create"}, "to elect a leader", kHome},
      {"coordination.k8s.io", "leases", "", {"get", "update"}, "to elect a leader", kHome, "rescheduler-scheduler"},
  };
}

}  // namespace

std::vector<kube::Permission> needed_permissions() {
  std::vector<kube::Permission> permissions;
  for (const Grant& grant : grants()) {
    for (const std::string_view verb : grant.verbs) {
      kube::Permission permission;
      permission.group = grant.group;
      permission.resource = grant.resource;
      permission.subresource = grant.subresource;
      permission.verb = verb;
      permission.why = grant.why;
      permission.ns = grant.ns;
      permission.name = grant.name;
      permissions.push_back(std::move(permission));
    }
  }
  return permissions;
}

}  // namespace rescheduler::cli
