#include "rescheduling/planning/balance_report.h"

#include <algorithm>

#include "cluster/estimate.h"
#include "placement/predicted_load.h"

namespace rescheduler::rescheduling {
namespace {

using cluster::kCpuLoad;
using cluster::kMemoryLoad;
using cluster::NodeIndex;

NodeUtilization utilization_of(const Snapshot& snapshot, NodeIndex index) {
  const cluster::NodeInfo& node = snapshot.cluster().node(index);
  const auto& balance_report = snapshot.cluster().load_summary();
  NodeUtilization out;
  out.name = node.node->name;
  const auto& has = node.node->allocatable;
  out.cpu_requested = cluster::share_of(node.requested.cpu, has.cpu);
  out.memory_requested = cluster::share_of(node.requested.memory, has.memory);
  const bool measured = balance_report.basis == cluster::LoadBasis::Usage;
  const auto load = [&](std::size_t resource, double requested) {
    if (measured) return node.load.knows(resource) ? node.load.predicted(resource) : cluster::kUnknownLoad;
    return std::max(requested, placement::predicted_load(node, resource, balance_report));
  };
  out.cpu = load(kCpuLoad, out.cpu_requested);
  out.memory = load(kMemoryLoad, out.memory_requested);
  out.pods = static_cast<std::uint32_t>(node.pod_count());
  return out;
}

}  // namespace

LoadState load_state_of(const Snapshot& snapshot, NodeIndex index) {
  const cluster::NodeInfo& node = snapshot.cluster().node(index);
  const NodeStatus& facts = snapshot.node_status(index);
  if (!node.exists() || !facts.ready || node.node->unschedulable || facts.maintenance || !facts.shutdown.empty()) {
    return LoadState::Excluded;
  }
  if (snapshot.cluster().load_summary().basis != cluster::LoadBasis::Usage) return LoadState::Known;
  return node.load.knows(kCpuLoad) && node.load.knows(kMemoryLoad) ? LoadState::Known : LoadState::Unknown;
}

std::vector<NodeIndex> balanceable_nodes(const Snapshot& snapshot) {
  std::vector<NodeIndex> nodes;
  for (const NodeIndex index : snapshot.cluster().existing_nodes()) {
    if (load_state_of(snapshot, index) == LoadState::Known) nodes.push_back(index);
  }
  return nodes;
}

cluster::LoadSpread spread_of(const Snapshot& snapshot, const std::vector<NodeIndex>& nodes, std::size_t resource) {
  if (nodes.empty()) return {0, 0, 0};
  const auto& balance_report = snapshot.cluster().load_summary();
  std::vector<double> loads;
  loads.reserve(nodes.size());
  for (const NodeIndex index : nodes) {
    loads.push_back(placement::predicted_load(snapshot.cluster().node(index), resource, balance_report));
  }
  return cluster::spread_of(loads);
}

BalanceReport balance_report_of(const Snapshot& snapshot, const config::ReschedulerSettings& args) {
  BalanceReport balance_report;
  for (const NodeIndex index : snapshot.cluster().existing_nodes())
    balance_report.nodes.push_back(utilization_of(snapshot, index));
  std::ranges::sort(balance_report.nodes, {}, &NodeUtilization::name);
  const auto nodes = balanceable_nodes(snapshot);
  if (nodes.empty()) return balance_report;  // no node is known, which does not mean that all nodes are equal
  balance_report.balance = cluster::balance_of(spread_of(snapshot, nodes, kCpuLoad),
                                               spread_of(snapshot, nodes, kMemoryLoad), args.placing.balance_weights());
  return balance_report;
}

}  // namespace rescheduler::rescheduling
