// What a machine looks like, and the Node object a kubelet registers for it.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace rescheduler::api {
class Node;
}

namespace rescheduler::sim {

struct NodeShape {
  std::string cpu = "4";
  std::string memory = "16Gi";
  std::string ephemeral_storage = "100Gi";
  int pods = 110;
  std::map<std::string, std::string> extended{};  // "nvidia.com/gpu": "8"
  // What the kubelet keeps for the system: capacity less this is allocatable. Empty: nothing.
  std::string reserved_cpu{};
  std::string reserved_memory{};
  std::string zone{};
  std::string region{};
  std::string instance_type{};
  std::string architecture = "amd64";
  std::map<std::string, std::string> labels{};  // besides the well-known ones
};

inline constexpr std::string_view kKubeletVersion = "v1.36.4-embedded";

// Ready, as it is once its kubelet has reported for the first time. `number` makes its addresses.
api::Node make_node(std::string_view name, const NodeShape& shape, std::uint32_t number, WallTime now);

// Adds what a kubelet would report and is not there yet: well-known labels; capacity, allocatable, addresses, node
// info, images. True if it added a label, which is not part of the status.
bool complete_labels(api::Node& node, const NodeShape& shape);
void complete_status(api::Node& node, const NodeShape& shape, std::uint32_t number);

// The four conditions. Heartbeat times become `now`; a transition time moves only with its status.
void report_conditions(api::Node& node, bool memory_pressure, WallTime now);

// "172.16.0.1" and up.
std::string node_address(std::uint32_t number);

}  // namespace rescheduler::sim
