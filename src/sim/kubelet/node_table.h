// The state that the kubelets keep of their nodes.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/kubelet/fault_board.h"
#include "sim/kubelet/pod_needs.h"
#include "sim/time/agenda.h"

namespace rescheduler::api {
class Lease;
class Node;
}  // namespace rescheduler::api

namespace rescheduler::sim {

struct KubeletNode {
  std::string name;
  std::string uid;
  NodeRoom room{};  // its taints are only those with effect NoExecute
  std::string host_ip;
  std::int64_t cpu_capacity = 0;  // millionths of a core
  std::int64_t memory_capacity = 0;
  std::vector<std::uint32_t> pods{};  // all pods bound here, in the order of arrival
  std::vector<bool> ips{};            // IPs in use
  std::size_t last_ip = 0;
  std::shared_ptr<const api::Lease> lease{};  // as last renewed; kept to avoid decoding it again
  SteadyTime status_due{};
  std::uint32_t number = 0;
  NodeFault annotated = NodeFault::None;
  NodeFault fault = NodeFault::Dead;  // the effective fault; a node without an object counts as Dead
  bool present = false;               // there is a Node object
  bool memory_pressure = false;
  bool beating = false;  // has a slot in Heartbeats

  bool powered() const { return fault != NodeFault::Dead; }
  bool acts() const { return fault == NodeFault::None || fault == NodeFault::Slow; }

  std::uint16_t take_ip();  // 1 to 1022; 0 if none is free
  void give_back_ip(std::uint16_t ip);
  std::string pod_ip(std::uint16_t ip) const;
};

class NodeTable {
 public:
  KubeletNode& at(std::uint32_t number) { return nodes_[number]; }
  KubeletNode& get(std::string_view name);  // created if unknown
  KubeletNode* find(std::string_view name);
  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }

  // Copies the data of the Node object. True if its capacity changed.
  static bool take_facts(KubeletNode& state, const api::Node& node);

 private:
  std::deque<KubeletNode> nodes_;
  std::map<std::string, std::uint32_t, std::less<>> index_;
};

}  // namespace rescheduler::sim
