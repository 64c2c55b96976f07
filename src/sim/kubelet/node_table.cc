#include "sim/kubelet/node_table.h"

#include <utility>

#include <fmt/format.h>

#include "kube/proto/core_node.pb.h"
#include "kube/value/quantity.h"
#include "sim/names.h"

namespace rescheduler::sim {
namespace {

constexpr std::size_t kAddresses = 1022;  // a /22 per node: 10.0.0.0/8 holds 16,384 of them

std::int64_t capacity_of(const api::Node& node, const std::string& resource, int scale) {
  const auto found = node.status().capacity().find(resource);
  if (found == node.status().capacity().end()) return 0;
  const auto quantity = kube::Quantity::parse(found->second.string());
  return quantity ? quantity->scaled_value(scale) : 0;
}

}  // namespace

std::uint16_t KubeletNode::take_ip() {
  if (ips.size() < kAddresses + 1) ips.resize(kAddresses + 1);
  for (std::size_t tried = 0; tried < kAddresses; ++tried) {
    last_ip = last_ip % kAddresses + 1;
    if (ips[last_ip]) continue;
    ips[last_ip] = true;
    return static_cast<std::uint16_t>(last_ip);
  }
  return 0;
}

void KubeletNode::give_back_ip(std::uint16_t ip) {
  if (ip < ips.size()) ips[ip] = false;
}

std::string KubeletNode::pod_ip(std::uint16_t ip) const {
  const std::uint32_t address = (number % 16'384) * 1024 + ip;
  return fmt::format("10.{}.{}.{}", (address >> 16) & 0xff, (address >> 8) & 0xff, address & 0xff);
}

KubeletNode* NodeTable::find(std::string_view name) {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &nodes_[found->second];
}

KubeletNode& NodeTable::get(std::string_view name) {
  if (KubeletNode* known = find(name)) return *known;
  KubeletNode& added = nodes_.emplace_back();
  added.name = name;
  added.number = static_cast<std::uint32_t>(nodes_.size() - 1);
  index_.emplace(added.name, added.number);
  return added;
}

bool NodeTable::take_facts(KubeletNode& state, const api::Node& node) {
  PodResources used = std::move(state.room.used);
  state.room = room_of(node);
  state.room.used = std::move(used);
  std::erase_if(state.room.taints, [](const cluster::TaintText& taint) { return taint.effect != "NoExecute"; });
  state.uid = node.metadata().uid();
  state.host_ip.clear();
  for (const auto& address : node.status().addresses())
    if (address.type() == "InternalIP" && state.host_ip.empty()) state.host_ip = address.address();
  const auto& annotations = node.metadata().annotations();
  const auto fault = annotations.find(std::string(kNodeFault));
  state.annotated = fault == annotations.end() ? NodeFault::None : node_fault_of(fault->second);
  const std::int64_t cpu = capacity_of(node, "cpu", -6);
  const std::int64_t memory = capacity_of(node, "memory", 0);
  const bool resized = cpu != state.cpu_capacity || memory != state.memory_capacity;
  state.cpu_capacity = cpu;
  state.memory_capacity = memory;
  return resized;
}

}  // namespace rescheduler::sim
