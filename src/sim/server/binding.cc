// pods/<name>/binding: stores a scheduler's decision. Bypasses the rules of pods, which do not allow a change of
// spec.nodeName. Writes node, labels, annotations and the PodScheduled condition in one step.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/meta.pb.h"
#include "kube/value/name.h"
#include "kube/value/quote.h"
#include "sim/kinds/pods/pod_rules.h"
#include "sim/server/conditions.h"
#include "sim/server/server.h"

namespace rescheduler::sim {
namespace {

// The real server returns an invalid binding as a plain 500 without a reason.
std::optional<StatusError> fault_in(const api::Binding& binding) {
  std::vector<std::string> faults;
  const std::string& kind = binding.target().kind();
  const std::string& node = binding.target().name();
  if (!kind.empty() && kind != "Node") {
    faults.push_back(
        fmt::format("target.kind: Unsupported value: {}: supported values: \"<empty>\", \"Node\"", kube::quoted(kind)));
  }
  if (node.empty()) {
    faults.emplace_back("target.name: Required value");
  } else if (const auto checked = kube::check_dns_subdomain(node); !checked) {
    faults.push_back(fmt::format("target.name: Invalid value: {}: {}", kube::quoted(node), checked.error().message));
  }
  if (faults.empty()) return std::nullopt;
  return StatusError{500, "", faults.size() == 1 ? faults.front() : fmt::format("[{}]", fmt::join(faults, ", "))};
}

std::optional<StatusError> precondition_fault(const Kind& pods, const api::Pod& pod, const api::ObjectMeta& wanted) {
  const api::ObjectMeta& is = pod.metadata();
  std::string why;
  if (!wanted.uid().empty() && wanted.uid() != is.uid()) {
    why = fmt::format("UID in precondition: {}, UID in object meta: {}", wanted.uid(), is.uid());
  } else if (!wanted.resource_version().empty() && wanted.resource_version() != is.resource_version()) {
    why = fmt::format("ResourceVersion in precondition: {}, ResourceVersion in object meta: {}",
                      wanted.resource_version(), is.resource_version());
  }
  if (why.empty()) return std::nullopt;
  return conflict(pods, is.name(),
                  fmt::format("StorageError: invalid object, Code: 4, Key: /registry/pods/{}/{}, ResourceVersion: 0, "
                              "AdditionalErrorMsg: Precondition failed: {}",
                              is.namespace_(), is.name(), why));
}

std::string why_not(const api::Pod& pod) {
  const std::string& name = pod.metadata().name();
  if (pod.metadata().has_deletion_timestamp()) {
    return fmt::format("pod {} is being deleted, cannot be assigned to a host", name);
  }
  if (!pod.spec().node_name().empty()) {
    return fmt::format("pod {} is already assigned to node \"{}\"", name, pod.spec().node_name());
  }
  if (!pod.spec().scheduling_gates().empty()) return fmt::format("pod {} has non-empty .spec.schedulingGates", name);
  return {};
}

}  // namespace

ApiResult<void> Server::bind(std::string_view ns,
                             std::string_view pod_name,
                             const api::Binding& binding,
                             bool dry_run) {
  if (binding.metadata().name() != pod_name) {
    return refuse(bad_request("name in URL does not match name in Binding object"));
  }
  if (auto fault = fault_in(binding)) return refuse(*std::move(fault));
  const Kind& pods = kinds_.of<api::Pod>();
  const VersionPtr before = store_.find(pods, ns, pod_name);
  if (!before) return refuse(not_found(pods, pod_name));
  auto pod = std::make_unique<api::Pod>(*before->as<api::Pod>());
  if (auto fault = precondition_fault(pods, *pod, binding.metadata())) return refuse(*std::move(fault));
  if (const std::string why = why_not(*pod); !why.empty()) {
    StatusError refusal = conflict(pods, pod_name, why);
    refusal.kind = "pods/binding";
    refusal.message = fmt::format("Operation cannot be fulfilled on pods/binding \"{}\": {}", pod_name, why);
    return refuse(std::move(refusal));
  }
  if (dry_run) return {};

  const std::string& target = binding.target().name();
  pod->mutable_spec()->set_node_name(target);
  pod->mutable_status()->clear_nominated_node_name();
  for (const auto& [key, value] : binding.metadata().annotations()) {
    (*pod->mutable_metadata()->mutable_annotations())[key] = value;
  }
  for (const auto& [key, value] : binding.metadata().labels()) {
    (*pod->mutable_metadata()->mutable_labels())[key] = value;
  }
  if (const auto node = find<api::Node>("", target); node && binding.target().kind() == "Node") {
    copy_topology(*node, *pod);
  }
  set_condition(*pod->mutable_status(), {"PodScheduled", "True"}, agenda_.wall_now());
  store_.put(pods, std::move(pod), before->managed_fields());
  return {};
}

}  // namespace rescheduler::sim
