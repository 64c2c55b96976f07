#include "sim/kinds/pods/pod_rules.h"

#include "kube/proto/core_pod.pb.h"
#include "sim/kinds/rules.h"
#include "sim/kinds/typed_rules.h"

namespace rescheduler::sim {
namespace {

const std::string* pod_field(const api::Pod& pod, std::string_view field, std::string& scratch) {
  if (field == "spec.nodeName") return &pod.spec().node_name();
  if (field == "spec.restartPolicy") return &pod.spec().restart_policy();
  if (field == "spec.schedulerName") return &pod.spec().scheduler_name();
  if (field == "spec.serviceAccountName") return &pod.spec().service_account_name();
  if (field == "status.phase") return &pod.status().phase();
  if (field == "status.podIP" || field == "status.podIPs") return &pod.status().pod_ip();
  if (field == "status.nominatedNodeName") return &pod.status().nominated_node_name();
  if (field != "spec.hostNetwork") return nullptr;
  scratch = pod.spec().host_network() ? "true" : "false";
  return &scratch;
}

void keep_on_update(const api::Pod& before, api::Pod& after) {
  *after.mutable_status() = before.status();
  // Keeps the fields that admission set, because a client that does not know these fields does not send them back.
  auto& spec = *after.mutable_spec();
  add_default_tolerations(spec);
  if (!spec.has_priority() && before.spec().has_priority()) spec.set_priority(before.spec().priority());
  if (!spec.has_preemption_policy() && before.spec().has_preemption_policy()) {
    spec.set_preemption_policy(before.spec().preemption_policy());
  }
}

void keep_on_status_update(const api::Pod& before, api::Pod& after) {
  *after.mutable_spec() = before.spec();
  *after.mutable_metadata()->mutable_owner_references() = before.metadata().owner_references();
  if (after.status().qos_class().empty() && !before.status().qos_class().empty()) {
    after.mutable_status()->set_qos_class(before.status().qos_class());
  }
}

void fill_in(api::Pod& pod) {
  default_pod(pod);
  if (!pod.has_status()) return;
  // podIP must equal the first of podIPs.
  auto& status = *pod.mutable_status();
  if (status.pod_ips().empty() ? !status.pod_ip().empty() : status.pod_ips(0).ip() != status.pod_ip()) {
    if (status.pod_ip().empty()) {
      status.set_pod_ip(status.pod_ips(0).ip());
    } else {
      status.clear_pod_ips();
      status.add_pod_ips()->set_ip(status.pod_ip());
    }
  }
}

void check_pod(const api::Pod& pod, Faults& faults) {
  check_pod_annotations(pod.metadata().annotations(), !pod.spec().node_name().empty(), At("metadata.annotations"),
                        faults);
  check_pod_spec(pod.spec(), PodOf::Pod, At("spec"), faults);
}

void prepare(api::Pod& pod, const RuleContext& context, Faults& faults) {
  if (!pod.spec().ephemeral_containers().empty()) {
    faults.forbidden("spec.ephemeralContainers", "cannot be set on create");
  }
  prepare_new_pod(pod, context.now);
}

}  // namespace

KindRules pod_rules() {
  KindRules rules;
  rules.defaults = on<api::Pod>(fill_in);
  rules.admit = on<api::Pod>(admit_pod);
  rules.on_create = on<api::Pod>(prepare);
  rules.on_update = on_both<api::Pod>(keep_on_update);
  rules.on_status_update = on_both<api::Pod>(keep_on_status_update);
  rules.validate = on<api::Pod>(check_pod);
  rules.validate_update = on_both<api::Pod>(check_pod_update);
  rules.validate_status_update = on_both<api::Pod>(check_pod_status_update);
  add_generation<api::Pod>(rules);
  rules.field = on<api::Pod>(pod_field);
  rules.selectable_fields = {"spec.nodeName",    "spec.restartPolicy", "spec.schedulerName",
                             "spec.hostNetwork", "status.phase",       "spec.serviceAccountName",
                             "status.podIP",     "status.podIPs",      "status.nominatedNodeName"};
  return rules;
}

}  // namespace rescheduler::sim
