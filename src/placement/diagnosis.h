// Why a pod fits nowhere, node by node, and the sentence that says so.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cluster/node.h"
#include "placement/status.h"

namespace rescheduler::placement {

struct NodeVerdict {
  cluster::NodeIndex node = cluster::kNoNode;
  Status status{};
};

struct Diagnosis {
  std::size_t all_nodes = 0;
  std::string pre_filter{};             // said of all nodes at once; empty: nothing was
  Status absent{};                      // of the nodes that have no verdict of their own
  std::vector<NodeVerdict> verdicts{};  // of the nodes that were looked at and refused
  std::set<std::string> rejected_by{};  // plugins
  std::set<std::string> pending_by{};   // those among them that wait for something outside
  std::string post_filter{};            // what preemption has to say
  std::set<std::string> relaxed_by{};   // plugins that took a node they had rather refused
  std::vector<std::string> remarks{};   // what is wrong with the pod, but stops nothing

  const Status& of(cluster::NodeIndex node) const;
  // "0/5 nodes are available: 2 Insufficient cpu, 3 node(s) had untolerated taint(s). preemption: ..."
  std::string message() const;
};

// "0/5 nodes are available: 2 a, 3 b." of how often each reason was given.
std::string availability_message(std::size_t all_nodes, const std::vector<std::string>& reasons);

}  // namespace rescheduler::placement
