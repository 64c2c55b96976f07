#include "rescheduler/planning/picture.h"

#include <algorithm>

#include "cluster/estimate.h"
#include "placement/predicted_load.h"

namespace rescheduler::rescheduling {
namespace {

using cluster::kCpuLoad;
using cluster::kMemoryLoad;
using cluster::NodeIndex;

NodePicture picture_of_node(const World& world, NodeIndex index) {
  const cluster::NodeState& node = world.cluster().node(index);
  const auto& picture = world.cluster().load_picture();
  NodePicture out;
  out.name = node.node->name;
  const auto& has = node.node->allocatable;
  out.cpu_requested = cluster::share_of(node.requested.cpu, has.cpu);
  out.memory_requested = cluster::share_of(node.requested.memory, has.memory);
  const bool measured = picture.basis == cluster::LoadBasis::Usage;
  const auto load = [&](std::size_t resource, double requested) {
    if (measured) return node.load.knows(resource) ? node.load.predicted(resource) : cluster::kUnknownLoad;
    return std::max(requested, placement::predicted_load(node, resource, picture));
  };
  out.cpu = load(kCpuLoad, out.cpu_requested);
  out.memory = load(kMemoryLoad, out.memory_requested);
  out.pods = static_cast<std::uint32_t>(node.pod_count());
  return out;
}

}  // namespace

LoadWord load_word(const World& world, NodeIndex index) {
  const cluster::NodeState& node = world.cluster().node(index);
  const NodeFacts& facts = world.node_facts(index);
  if (!node.exists() || !facts.ready || node.node->unschedulable || facts.maintenance || !facts.shutdown.empty()) {
    return LoadWord::OutOfPlay;
  }
  if (world.cluster().load_picture().basis != cluster::LoadBasis::Usage) return LoadWord::Known;
  return node.load.knows(kCpuLoad) && node.load.knows(kMemoryLoad) ? LoadWord::Known : LoadWord::Unknown;
}

std::vector<NodeIndex> nodes_in_play(const World& world) {
  std::vector<NodeIndex> nodes;
  for (const NodeIndex index : world.cluster().existing_nodes()) {
    if (load_word(world, index) == LoadWord::Known) nodes.push_back(index);
  }
  return nodes;
}

cluster::LoadSpread spread_of(const World& world, const std::vector<NodeIndex>& nodes, std::size_t resource) {
  if (nodes.empty()) return {0, 0, 0};
  const auto& picture = world.cluster().load_picture();
  std::vector<double> loads;
  loads.reserve(nodes.size());
  for (const NodeIndex index : nodes) {
    loads.push_back(placement::predicted_load(world.cluster().node(index), resource, picture));
  }
  return cluster::spread_of(loads);
}

Picture picture_of(const World& world, const config::ReschedulerSettings& args) {
  Picture picture;
  for (const NodeIndex index : world.cluster().existing_nodes()) picture.nodes.push_back(picture_of_node(world, index));
  std::ranges::sort(picture.nodes, {}, &NodePicture::name);
  const auto nodes = nodes_in_play(world);
  if (nodes.empty()) return picture;  // nothing is known: that is not the same as all of them being equal
  picture.balance = cluster::balance_of(spread_of(world, nodes, kCpuLoad), spread_of(world, nodes, kMemoryLoad),
                                        args.placing.balance_weights());
  return picture;
}

}  // namespace rescheduler::rescheduling
