#include "rescheduler/picture.h"

#include <algorithm>
#include <cmath>

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

Spread spread_of(const World& world, const std::vector<NodeIndex>& nodes, std::size_t resource) {
  Spread spread;
  if (nodes.empty()) return spread;
  const auto& picture = world.cluster().load_picture();
  std::vector<double> loads;
  loads.reserve(nodes.size());
  for (const NodeIndex index : nodes) {
    loads.push_back(placement::predicted_load(world.cluster().node(index), resource, picture));
  }
  const auto count = static_cast<double>(loads.size());
  for (const double load : loads) {
    spread.mean += load / count;
    spread.max = std::max(spread.max, load);
  }
  double variance = 0;
  for (const double load : loads) variance += (load - spread.mean) * (load - spread.mean) / count;
  spread.deviation = std::sqrt(variance);
  return spread;
}

Picture picture_of(const World& world, const placement::ReschedulerArgs& args) {
  constexpr double kPercent = 100;
  Picture picture;
  for (const NodeIndex index : world.cluster().existing_nodes()) picture.nodes.push_back(picture_of_node(world, index));
  std::ranges::sort(picture.nodes, {}, &NodePicture::name);
  const auto nodes = nodes_in_play(world);
  if (nodes.empty()) {
    // Nothing is known: that is not the same as all of them being equal.
    picture.balance_score = picture.cpu_deviation = picture.memory_deviation = cluster::kUnknownLoad;
    picture.cpu_max = picture.memory_max = cluster::kUnknownLoad;
    return picture;
  }
  const Spread cpu = spread_of(world, nodes, kCpuLoad);
  const Spread memory = spread_of(world, nodes, kMemoryLoad);
  picture.cpu_deviation = cpu.deviation * kPercent;
  picture.memory_deviation = memory.deviation * kPercent;
  picture.cpu_max = cpu.max * kPercent;
  picture.memory_max = memory.max * kPercent;
  const double weights = args.cpu_score_weight + args.memory_score_weight;
  if (weights > 0) {
    const double deviation =
        (args.cpu_score_weight * picture.cpu_deviation + args.memory_score_weight * picture.memory_deviation) / weights;
    picture.balance_score = std::clamp(kPercent - 2 * deviation, 0.0, kPercent);
  }
  return picture;
}

}  // namespace rescheduler::rescheduling
