// Why a pod has no feasible node, node by node, and the message for it.
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
  std::string pre_filter{};             // the PreFilter message for all nodes; empty: PreFilter passed
  Status absent{};                      // the status of the nodes without a verdict of their own
  std::vector<NodeVerdict> verdicts{};  // of the nodes that were examined and rejected
  std::set<std::string> rejected_by{};  // plugins
  std::set<std::string> pending_by{};   // the plugins among them that wait for something outside the scheduler
  std::string post_filter{};            // the message of preemption
  std::set<std::string> relaxed_by{};   // plugins that accepted a node only after relax()
  std::vector<std::string> remarks{};   // problems of the pod that do not prevent scheduling

  const Status& of(cluster::NodeIndex node) const;
  // "0/5 nodes are available: 2 Insufficient cpu, 3 node(s) had untolerated taint(s). preemption: ..."
  std::string message() const;
};

// "0/5 nodes are available: 2 a, 3 b.": counts how often each reason occurs.
std::string availability_message(std::size_t all_nodes, const std::vector<std::string>& reasons);

}  // namespace rescheduler::placement
