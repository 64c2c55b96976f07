// The properties of a machine, and the Node object that its kubelet registers.
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
  // Reserved for the system: capacity minus this is allocatable. Empty: nothing.
  std::string reserved_cpu{};
  std::string reserved_memory{};
  std::string zone{};
  std::string region{};
  std::string instance_type{};
  std::string architecture = "amd64";
  std::map<std::string, std::string> labels{};  // in addition to the well-known labels
};

inline constexpr std::string_view kKubeletVersion = "v1.36.4-embedded";

// A Ready node, as after the first report of its kubelet. `number` determines its addresses.
api::Node make_node(std::string_view name, const NodeShape& shape, std::uint32_t number, WallTime now);

// Adds what a kubelet reports and the object lacks: well-known labels; capacity, allocatable, addresses, node info,
// images. complete_labels() returns true if it added a label, because labels are not part of the status.
bool complete_labels(api::Node& node, const NodeShape& shape);
void complete_status(api::Node& node, const NodeShape& shape, std::uint32_t number);

// Sets the four conditions. Heartbeat times become `now`; a transition time changes only with its status.
void report_conditions(api::Node& node, bool memory_pressure, WallTime now);

// "172.16.0.1", "172.16.0.2", ...
std::string node_address(std::uint32_t number);

}  // namespace rescheduler::sim
