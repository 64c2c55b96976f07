// ResourceOptimization works by requests. Free CPU is stranded on a node without free memory, and free memory on a node
// without free CPU, although the whole cluster has both. Pods are swapped until less is stranded.
//
// The excess on a node is counted in milli-cores; memory is converted at the ratio of the whole cluster. If the cluster
// has more of one resource free than of the other, no swap can change this part, so it does not count.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "rescheduling/planning/adapter.h"
#include "rescheduling/planning/balance_report.h"
#include "rescheduling/strategies/strategies.h"

namespace rescheduler::rescheduling {
namespace {

using cluster::NodeIndex;
using cluster::PodIndex;
using config::Strategy;

constexpr double kPercent = 100;
constexpr int kMostRounds = 4;
// Points of stranded resources that a round must win; otherwise its moves are dropped.
constexpr double kLeastGain = 1;
// A move pays off if it frees at least this part of a mean node.
constexpr double kPrice = 0.02;

class Optimizing {
 public:
  explicit Optimizing(PlanBuilder& builder) : builder_(builder), settings_(builder.settings().resource_optimization) {}
  void run();

 private:
  void find_nodes();
  double stranded() const;  // percent
  double imbalance() const;
  bool too_uneven(double before) const;
  bool round();
  bool mend_shapes();
  bool free_nodes();
  void leave_out_empty();
  bool is_free(NodeIndex node) const;
  void note_free_nodes() const;
  bool is_underused(NodeIndex node) const;
  bool try_to_empty(NodeIndex node);
  std::string shape_of(NodeIndex node) const;
  void undo(const std::vector<std::pair<PodIndex, NodeIndex>>& back);

  PlanBuilder& builder_;
  const config::ResourceOptimizationSettings& settings_;
  std::vector<NodeIndex> nodes_;
  double cpu_ = 0;  // of all nodes
  double memory_ = 0;
};

void Optimizing::find_nodes() {
  for (const NodeIndex index : builder_.cluster().existing_nodes()) {
    if (!builder_.rules().takes(index) || builder_.rules().is_off(index, Strategy::ResourceOptimization)) continue;
    const cluster::ResourceList& has = builder_.cluster().node(index).node->allocatable;
    if (has.cpu <= 0 || has.memory <= 0) continue;
    nodes_.push_back(index);
    cpu_ += static_cast<double>(has.cpu);
    memory_ += static_cast<double>(has.memory);
  }
}

double Optimizing::stranded() const {
  double more_cpu = 0;
  double more_memory = 0;
  for (const NodeIndex index : nodes_) {
    const cluster::NodeInfo& node = builder_.cluster().node(index);
    const auto cpu = static_cast<double>(node.node->allocatable.cpu - node.requested.cpu) / cpu_;
    const auto memory = static_cast<double>(node.node->allocatable.memory - node.requested.memory) / memory_;
    more_cpu += std::max(cpu - memory, 0.0);
    more_memory += std::max(memory - cpu, 0.0);
  }
  return std::min(more_cpu, more_memory) * kPercent;
}

double Optimizing::imbalance() const {
  double worst = 0;
  const auto known = balanceable_nodes(builder_.snapshot());
  for (const std::size_t resource : builder_.rules().judged()) {
    worst = std::max(worst, spread_of(builder_.snapshot(), known, resource).deviation * kPercent);
  }
  return worst;
}

// LoadBalancing must not have to undo the moves of this strategy.
bool Optimizing::too_uneven(double before) const {
  const auto& strategies = builder_.request().strategies;
  if (std::ranges::find(strategies, Strategy::LoadBalancing) == strategies.end()) return false;
  return imbalance() > std::max(before, builder_.settings().load_balancing.deviation_trigger);
}

std::string Optimizing::shape_of(NodeIndex index) const {
  const cluster::NodeInfo& node = builder_.cluster().node(index);
  const auto free = [](std::int64_t has, std::int64_t asked) {
    return has > 0 ? kPercent * static_cast<double>(has - asked) / static_cast<double>(has) : 0.0;
  };
  return fmt::format("{} has {:.0f} % of its CPU and {:.0f} % of its memory free", node.node->name,
                     free(node.node->allocatable.cpu, node.requested.cpu),
                     free(node.node->allocatable.memory, node.requested.memory));
}

void Optimizing::undo(const std::vector<std::pair<PodIndex, NodeIndex>>& back) {
  for (const auto& [pod, home] : back) builder_.what_if().unassign(pod);
  for (const auto& [pod, home] : back) builder_.what_if().assign(pod, home);
}

bool Optimizing::round() {
  std::vector<PodIndex> pods;
  for (const NodeIndex index : nodes_) {
    for (const PodIndex pod : builder_.cluster().node(index).pods) {
      if (!builder_.why_not_movable(pod, Purpose::Improve)) pods.push_back(pod);
    }
  }
  std::ranges::sort(pods);
  const double price = std::max(1.0, kPrice * cpu_ / static_cast<double>(nodes_.size()));
  const Adapted adapted =
      adapt(builder_, {.nodes = nodes_, .pods = pods, .balance_requests = true, .price = std::llround(price)});
  const planner::Solution found = search(builder_, adapted);
  if (found.moves.empty()) return false;
  const double before = stranded();
  const double uneven = imbalance();
  std::vector<std::string> shapes;
  std::vector<std::pair<PodIndex, NodeIndex>> back;
  for (const planner::Move& move : found.moves) {
    shapes.push_back(shape_of(adapted.nodes[move.from]));
    back.emplace_back(adapted.pods[move.process], adapted.nodes[move.from]);
  }
  for (const planner::Move& move : found.moves) builder_.what_if().unassign(adapted.pods[move.process]);
  for (const planner::Move& move : found.moves) {
    builder_.what_if().assign(adapted.pods[move.process], adapted.nodes[move.to]);
  }
  const double after = stranded();
  if (before - after < kLeastGain || too_uneven(uneven)) {
    undo(back);
    return false;
  }
  for (std::size_t i = 0; i < found.moves.size(); ++i) {
    builder_.moved(adapted.pods[found.moves[i].process],
                   {.strategy = Strategy::ResourceOptimization,
                    .cause = fmt::format(
                        "{}; {:.0f} % of the resources of the nodes are free but unusable, {:.0f} % after the moves",
                        shapes[i], before, after)});
  }
  return true;
}

bool Optimizing::mend_shapes() {
  bool any = false;
  for (int i = 0; i < kMostRounds && nodes_.size() > 1 && stranded() > settings_.stranded_trigger; ++i) {
    if (!round()) break;
    any = true;
  }
  return any;
}

// --- Freeing nodes ---

bool Optimizing::is_underused(NodeIndex index) const {
  const cluster::NodeInfo& node = builder_.cluster().node(index);
  const double limit = settings_.underused / kPercent;
  const cluster::ResourceList& has = node.node->allocatable;
  return static_cast<double>(node.requested.cpu) < limit * static_cast<double>(has.cpu)
         && static_cast<double>(node.requested.memory) < limit * static_cast<double>(has.memory);
}

bool Optimizing::try_to_empty(NodeIndex index) {
  std::vector<PodIndex> leaving;
  for (const PodIndex pod : builder_.cluster().node(index).pods) {
    const auto blocker = builder_.why_not_movable(pod, Purpose::Improve);
    if (blocker && (blocker->code == why::kDaemon || blocker->code == why::kMirror)) continue;
    if (blocker) return false;  // the node would not become free
    leaving.push_back(pod);
  }
  std::ranges::sort(leaving);
  if (leaving.empty()) return false;
  const double uneven = imbalance();
  const std::string cause = fmt::format("{} is underused and can be emptied", builder_.name_of(index));
  const double packed = settings_.packed_target / kPercent;
  std::vector<std::pair<PodIndex, NodeIndex>> back;
  std::vector<PodIndex> fresh;  // pods that were not moved before
  for (const PodIndex pod : leaving) {
    if (!builder_.is_moved(pod) && !builder_.within_caps(pod)) break;
    builder_.what_if().unassign(pod);
    const cluster::ResourceList& asked = builder_.cluster().pod(pod).compiled_spec->requirements->requests.plain;
    const NodeIndex target = builder_.best_target(pod, [&](NodeIndex to) {
      const cluster::NodeInfo& node = builder_.cluster().node(to);
      const cluster::ResourceList& has = node.node->allocatable;
      return !is_underused(to) && std::ranges::find(nodes_, to) != nodes_.end()
             && static_cast<double>(node.requested.cpu + asked.cpu) <= packed * static_cast<double>(has.cpu)
             && static_cast<double>(node.requested.memory + asked.memory) <= packed * static_cast<double>(has.memory);
    });
    builder_.what_if().assign(pod, target == cluster::kNoNode ? index : target);
    if (target == cluster::kNoNode) break;
    back.emplace_back(pod, index);
    if (builder_.moved(pod, {.strategy = Strategy::ResourceOptimization, .cause = cause})) fresh.push_back(pod);
  }
  if (back.size() == leaving.size() && !too_uneven(uneven)) return true;
  undo(back);
  for (const PodIndex pod : fresh) builder_.forget_move(pod);
  return false;
}

// Tries the nodes with the least requested CPU first.
bool Optimizing::free_nodes() {
  std::vector<std::pair<std::int64_t, NodeIndex>> candidates;
  for (const NodeIndex index : nodes_) {
    if (is_underused(index)) candidates.emplace_back(builder_.cluster().node(index).requested.cpu, index);
  }
  std::ranges::sort(candidates);
  bool freed = false;
  for (const auto& [requested, index] : candidates) {
    if (is_underused(index) && try_to_empty(index)) freed = true;
  }
  return freed;
}

bool Optimizing::is_free(NodeIndex index) const {
  return std::ranges::all_of(builder_.cluster().node(index).pods, [&](PodIndex pod) {
    const auto blocker = builder_.why_not_movable(pod, Purpose::Improve);
    return blocker && (blocker->code == why::kDaemon || blocker->code == why::kMirror);
  });
}

// Empty nodes are no targets, because they are to be removed from the cluster.
void Optimizing::leave_out_empty() {
  std::erase_if(nodes_, [&](NodeIndex index) { return is_free(index); });
}

void Optimizing::note_free_nodes() const {
  std::set<NodeIndex> freed;
  for (const auto& [pod, intent] : builder_.intents()) {
    const NodeIndex from = builder_.what_if().first_on(pod);
    if (intent.strategy == Strategy::ResourceOptimization && builder_.is_moved(pod) && is_free(from))
      freed.insert(from);
  }
  if (!freed.empty()) {
    builder_.note_about("free", fmt::format("ResourceOptimization: {} nodes would be free", freed.size()));
  }
}

void Optimizing::run() {
  find_nodes();
  for (int i = 0; i < kMostRounds; ++i) {
    const bool freed = settings_.free_nodes && free_nodes();
    if (settings_.free_nodes) leave_out_empty();
    if (!mend_shapes() && !freed) break;
    if (!settings_.free_nodes) break;
  }
  note_free_nodes();
}

}  // namespace

void optimize_resources(PlanBuilder& builder) { Optimizing(builder).run(); }

}  // namespace rescheduler::rescheduling
