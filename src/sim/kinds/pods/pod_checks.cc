// The pod spec as a whole.
#include <fmt/format.h>

#include "cluster/objects/pods.h"
#include "kube/proto/core_pod.pb.h"
#include "sim/kinds/pods/pod_rules.h"
#include "sim/kinds/resources.h"

namespace rescheduler::sim {
namespace {

constexpr std::string_view kMirror = "kubernetes.io/config.mirror";
constexpr std::int64_t kMostSeconds = 2'147'483'647;

void check_policies(const api::PodSpec& spec, const At& at, Faults& faults) {
  if (spec.restart_policy() != "Always") {
    check_one_of(spec.restart_policy(), {"Always", "OnFailure", "Never"}, at.child("restartPolicy"), faults);
  }
  if (spec.dns_policy() != "ClusterFirst") {
    check_one_of(spec.dns_policy(), {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"},
                 at.child("dnsPolicy"), faults);
  }
  if (spec.dns_policy() == "None") {
    if (!spec.has_dns_config()) {
      faults.required(at.child("dnsConfig").str(), "must provide `dnsConfig` when `dnsPolicy` is None");
    } else if (spec.dns_config().nameservers().empty()) {
      faults.required(at.child("dnsConfig").child("nameservers").str(),
                      "must provide at least one DNS nameserver when `dnsPolicy` is None");
    }
  }
  if (spec.has_preemption_policy() && spec.preemption_policy() != "PreemptLowerPriority") {
    check_one_of(spec.preemption_policy(), {"PreemptLowerPriority", "Never"}, at.child("preemptionPolicy"), faults);
  }
}

void check_gates(const api::PodSpec& spec, const At& at, Faults& faults) {
  const At readiness = at.child("readinessGates");
  for (int i = 0; i < spec.readiness_gates_size(); ++i) {
    check_label_key(spec.readiness_gates(i).condition_type(), readiness[i].child("conditionType"), faults);
  }
  const At scheduling = at.child("schedulingGates");
  for (int i = 0; i < spec.scheduling_gates_size(); ++i) {
    const std::string& name = spec.scheduling_gates(i).name();
    check_label_key(name, scheduling[i], faults);
    for (int j = 0; j < i; ++j) {
      if (spec.scheduling_gates(j).name() != name) continue;
      faults.duplicate(scheduling[i].str(), name);
      break;
    }
  }
}

void check_names(const api::PodSpec& spec, const At& at, Faults& faults) {
  const auto check = [&](std::string_view text, std::string_view field, auto rule) {
    if (!text.empty()) rule(text, at.child(field), faults);
  };
  check(spec.service_account_name(), "serviceAccountName", check_dns_subdomain);
  check(spec.node_name(), "nodeName", check_dns_subdomain);
  check(spec.hostname(), "hostname", check_dns_label);
  check(spec.subdomain(), "subdomain", check_dns_label);
  check(spec.priority_class_name(), "priorityClassName", check_dns_subdomain);
  check(spec.runtime_class_name(), "runtimeClassName", check_dns_subdomain);
}

void check_host_network(const api::PodSpec& spec, PodOf of, const At& at, Faults& faults) {
  if (!spec.host_network()) return;
  const At containers = at.child("containers");
  for (int i = 0; i < spec.containers_size(); ++i) {
    const auto& ports = spec.containers(i).ports();
    for (int j = 0; j < ports.size(); ++j) {
      if (ports[j].host_port() == ports[j].container_port()) continue;
      if (of == PodOf::Template && ports[j].host_port() == 0) continue;  // set when the pod is created
      faults.invalid(containers[i].child("ports")[j].child("hostPort").str(), fmt::format("{}", ports[j].host_port()),
                     "must match `containerPort` when `hostNetwork` is true");
    }
  }
}

}  // namespace

void check_pod_annotations(const StringMap& annotations, bool assigned, const At& at, Faults& faults) {
  if (annotations.empty()) return;
  if (const auto mirror = annotations.find(kMirror); mirror != annotations.end() && !assigned) {
    faults.invalid(at.key(kMirror).str(), kube::json_string(mirror->second),
                   "must set spec.nodeName if mirror pod annotation is set");
  }
  if (const auto cost = annotations.find(cluster::kDeletionCostKey); cost != annotations.end()) {
    if (!cluster::parse_deletion_cost(cost->second)) {
      faults.invalid(at.key(cluster::kDeletionCostKey).str(), kube::json_string(cost->second),
                     "must be a 32bit integer");
    }
  }
}

void check_pod_spec(const api::PodSpec& spec, PodOf of, const At& at, Faults& faults) {
  check_volumes(spec, at.child("volumes"), faults);
  check_containers(spec, of, at, faults);
  if (spec.has_resources()) check_container_resources(spec.resources(), at.child("resources"), faults);
  check_host_network(spec, of, at, faults);
  check_policies(spec, at, faults);
  check_labels(spec.node_selector(), at.child("nodeSelector"), faults);
  if (spec.has_affinity()) check_affinity(spec.affinity(), at.child("affinity"), faults);
  check_gates(spec, at, faults);
  check_spread(spec.topology_spread_constraints(), at.child("topologySpreadConstraints"), faults);
  check_names(spec, at, faults);
  if (spec.has_active_deadline_seconds()
      && (spec.active_deadline_seconds() < 1 || spec.active_deadline_seconds() > kMostSeconds)) {
    faults.invalid(at.child("activeDeadlineSeconds").str(), fmt::format("{}", spec.active_deadline_seconds()),
                   fmt::format("must be between 1 and {}, inclusive", kMostSeconds));
  }
  check_tolerations(spec.tolerations(), at.child("tolerations"), faults);
  if (!spec.overhead().empty()) check_amounts(spec.overhead(), at.child("overhead"), faults);
  if (of == PodOf::Pod && !spec.node_name().empty() && !spec.scheduling_gates().empty()) {
    faults.forbidden(at.child("nodeName").str(), "cannot be set until all schedulingGates have been cleared");
  }
}

void check_pod_template(const api::PodTemplateSpec& pod_template, const At& at, Faults& faults) {
  const auto& metadata = pod_template.metadata();
  check_labels(metadata.labels(), at.child("labels"), faults);
  check_annotations(metadata.annotations(), at.child("annotations"), faults);
  check_pod_annotations(metadata.annotations(), !pod_template.spec().node_name().empty(), at.child("annotations"),
                        faults);
  const At spec = at.child("spec");
  check_pod_spec(pod_template.spec(), PodOf::Template, spec, faults);
  if (!pod_template.spec().ephemeral_containers().empty()) {
    faults.forbidden(spec.child("ephemeralContainers").str(), "ephemeral containers not allowed in pod template");
  }
}

}  // namespace rescheduler::sim
