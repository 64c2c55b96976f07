#include "sim/kubelet/fault_board.h"

#include <utility>

#include <fmt/format.h>

namespace rescheduler::sim {

NodeFault node_fault_of(std::string_view text) {
  if (text == "slow") return NodeFault::Slow;
  if (text == "frozen") return NodeFault::Frozen;
  if (text == "dead") return NodeFault::Dead;
  return NodeFault::None;
}

void FaultBoard::set_node(std::string_view node, std::optional<NodeFault> fault) {
  if (fault) {
    nodes_.insert_or_assign(std::string(node), *fault);
  } else if (const auto found = nodes_.find(node); found != nodes_.end()) {
    nodes_.erase(found);
  }
  if (on_node_) on_node_(node);
}

std::optional<NodeFault> FaultBoard::node(std::string_view node) const {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return std::nullopt;
  return found->second;
}

void FaultBoard::set_pod(std::string_view ns, std::string_view name, PodFaults faults) {
  const std::string key = fmt::format("{}/{}", ns, name);
  if (faults == PodFaults{}) {
    pods_.erase(key);
  } else {
    pods_.insert_or_assign(key, faults);
  }
  if (on_pod_) on_pod_(key);
}

PodFaults FaultBoard::pod(std::string_view key) const {
  const auto found = pods_.find(key);
  return found == pods_.end() ? PodFaults{} : found->second;
}

}  // namespace rescheduler::sim
