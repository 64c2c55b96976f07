#include "sim/kubelet/node_shape.h"

#include <algorithm>

#include <fmt/format.h>

#include "kube/proto/core_node.pb.h"
#include "kube/value/quantity.h"
#include "sim/load/profile.h"
#include "sim/server/conditions.h"

namespace rescheduler::sim {
namespace {

using Quantities = google::protobuf::Map<std::string, api::Quantity>;

void put_if_absent(Quantities& quantities, const std::string& name, const std::string& value) {
  if (!quantities.contains(name)) quantities[name].set_string(value);
}

void subtract(Quantities& quantities, const std::string& name, const std::string& reserved) {
  const auto less = kube::Quantity::parse(reserved);
  const auto all = kube::Quantity::parse(quantities[name].string());
  if (less && all) quantities[name].set_string((*all - *less).to_string());
}

void complete_resources(api::NodeStatus& status, const NodeShape& shape) {
  const bool fresh = status.capacity().empty();
  Quantities& capacity = *status.mutable_capacity();
  put_if_absent(capacity, "cpu", shape.cpu);
  put_if_absent(capacity, "memory", shape.memory);
  put_if_absent(capacity, "pods", fmt::format("{}", shape.pods));
  put_if_absent(capacity, "ephemeral-storage", shape.ephemeral_storage);
  if (fresh)
    for (const auto& [name, amount] : shape.extended) put_if_absent(capacity, name, amount);
  if (status.allocatable().empty()) {
    *status.mutable_allocatable() = capacity;
    subtract(*status.mutable_allocatable(), "cpu", shape.reserved_cpu);
    subtract(*status.mutable_allocatable(), "memory", shape.reserved_memory);
    return;
  }
  for (const auto& [name, amount] : capacity) put_if_absent(*status.mutable_allocatable(), name, amount.string());
}

// The ids of a machine, derived from its name: any 128 bits that differ between machines.
std::string id_of(std::string_view name, std::string_view what) {
  return fmt::format("{:016x}{:016x}", seed_of(what, name, "1"), seed_of(what, name, "2"));
}

std::string dashed(const std::string& id) {
  return fmt::format("{}-{}-{}-{}-{}", id.substr(0, 8), id.substr(8, 4), id.substr(12, 4), id.substr(16, 4),
                     id.substr(20));
}

void complete_info(api::NodeStatus& status, const std::string& name, const NodeShape& shape) {
  auto& info = *status.mutable_node_info();
  if (info.has_kubelet_version()) return;
  info.set_machine_id(id_of(name, "machine"));
  info.set_system_uuid(dashed(id_of(name, "system")));
  info.set_boot_id(dashed(id_of(name, "boot")));
  info.set_kernel_version("6.1.0-embedded");
  info.set_os_image("Embedded Linux");
  info.set_container_runtime_version("containerd://2.0.0-embedded");
  info.set_kubelet_version(std::string(kKubeletVersion));
  info.set_kube_proxy_version("");
  info.set_operating_system("linux");
  info.set_architecture(shape.architecture);
}

void set_node_condition(api::NodeStatus& status, const ConditionText& text, WallTime now) {
  api::NodeCondition* condition = nullptr;
  for (auto& known : *status.mutable_conditions())
    if (known.type() == text.type) condition = &known;
  if (condition == nullptr) {
    condition = status.add_conditions();
    condition->set_type(std::string(text.type));
  }
  if (condition->status() != text.status) *condition->mutable_last_transition_time() = stamp(now);
  condition->set_status(std::string(text.status));
  condition->set_reason(std::string(text.reason));
  condition->set_message(std::string(text.message));
  *condition->mutable_last_heartbeat_time() = stamp(now);
}

}  // namespace

std::string node_address(std::uint32_t number) {
  const std::uint32_t host = number + 1;
  return fmt::format("172.{}.{}.{}", 16 + (host >> 16) % 16, (host >> 8) & 0xff, host & 0xff);
}

bool complete_labels(api::Node& node, const NodeShape& shape) {
  auto& labels = *node.mutable_metadata()->mutable_labels();
  const auto before = labels.size();
  const auto add = [&labels](const std::string& key, const std::string& value) {
    if (!value.empty()) labels.insert({key, value});
  };
  add("kubernetes.io/hostname", node.metadata().name());
  add("kubernetes.io/os", "linux");
  add("kubernetes.io/arch", shape.architecture);
  add("topology.kubernetes.io/zone", shape.zone);
  add("topology.kubernetes.io/region", shape.region);
  add("node.kubernetes.io/instance-type", shape.instance_type);
  for (const auto& [key, value] : shape.labels) labels.insert({key, value});
  return labels.size() != before;
}

void complete_status(api::Node& node, const NodeShape& shape, std::uint32_t number) {
  api::NodeStatus& status = *node.mutable_status();
  complete_resources(status, shape);
  complete_info(status, node.metadata().name(), shape);
  if (status.addresses().empty()) {
    auto& ip = *status.add_addresses();
    ip.set_type("InternalIP");
    ip.set_address(node_address(number));
    auto& host = *status.add_addresses();
    host.set_type("Hostname");
    host.set_address(node.metadata().name());
  }
  if (!status.has_daemon_endpoints()) status.mutable_daemon_endpoints()->mutable_kubelet_endpoint()->set_port(10250);
  if (status.images().empty()) {
    auto& image = *status.add_images();
    image.add_names("registry.k8s.io/pause:3.10");
    image.set_size_bytes(320'368);
  }
}

void report_conditions(api::Node& node, bool memory_pressure, WallTime now) {
  api::NodeStatus& status = *node.mutable_status();
  if (memory_pressure) {
    set_node_condition(
        status, {"MemoryPressure", "True", "KubeletHasInsufficientMemory", "kubelet has insufficient memory available"},
        now);
  } else {
    set_node_condition(
        status, {"MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"},
        now);
  }
  set_node_condition(status, {"DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"},
                     now);
  set_node_condition(status,
                     {"PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"}, now);
  set_node_condition(status, {"Ready", "True", "KubeletReady", "kubelet is posting ready status"}, now);
}

api::Node make_node(std::string_view name, const NodeShape& shape, std::uint32_t number, WallTime now) {
  api::Node node;
  node.mutable_metadata()->set_name(std::string(name));
  complete_labels(node, shape);
  complete_status(node, shape, number);
  report_conditions(node, false, now);
  return node;
}

}  // namespace rescheduler::sim
