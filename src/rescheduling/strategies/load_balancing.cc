// LoadBalancing runs if a node is above its trigger (for long enough, if there is evidence), or if the standard
// deviation between nodes is above its trigger. The search finds better nodes for pods, with a price per move. Then
// moves that the goal does not need are undone, least useful first. The result is dropped unless both the deviation and
// the maximum fall.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "placement/predicted_load.h"
#include "rescheduling/planning/adapter.h"
#include "rescheduling/planning/balance_report.h"
#include "rescheduling/strategies/strategies.h"

namespace rescheduler::rescheduling {
namespace {

using cluster::NodeIndex;
using cluster::PodIndex;
using config::Strategy;

constexpr double kPercent = 100;
// For each allowed move, this many pods of the hottest nodes are considered. Without a cap on moves, all pods are.
constexpr std::size_t kPodsPerMove = 5;
// Each round starts from the result of the last one. Already the second round finds little.
constexpr int kMostRounds = 4;
// Loads are sums of fractions and of amounts rounded to whole units.
constexpr double kRounding = 1e-4;

class Balancing {
 public:
  explicit Balancing(PlanBuilder& builder) : builder_(builder), settings_(builder.settings().load_balancing) {}
  void run();

 private:
  struct State {
    double deviation = 0;  // weighted, of all judged resources
    double worst = 0;      // the largest deviation of one resource
    double max = 0;        // of nodes in helped_, as a share of their trigger
  };
  double load(NodeIndex node, std::size_t resource) const;
  bool is_above(NodeIndex node, double config::LoadBand::* limit) const;
  std::size_t hottest(NodeIndex node) const;
  void find_nodes();
  void find_sources();
  void find_pods();
  State state() const;
  bool round();
  bool leave_out_those_taken_back();
  void take_back(std::vector<planner::Move> moves, const Adapted& adapted);
  bool goal_holds(NodeIndex home, const std::map<NodeIndex, double>& ceilings, double deviation) const;
  bool is_worth_moving(PodIndex pod) const;
  planner::Cost price() const;
  void explain_move(PodIndex pod, const planner::Move& move, const Adapted& adapted);
  void refuse_on_sources() const;

  PlanBuilder& builder_;
  const config::LoadBalancingSettings& settings_;
  std::vector<NodeIndex> nodes_;
  std::vector<NodeIndex> hot_;
  bool uneven_ = false;
  std::vector<PodIndex> pods_;     // pods that can move
  std::set<NodeIndex> helped_;     // nodes with at least one of these pods
  std::set<PodIndex> taken_back_;  // in the last round, although the cap on moves was reached
  std::map<NodeIndex, cluster::Loads> first_;
};

double Balancing::load(NodeIndex node, std::size_t resource) const {
  return placement::predicted_load(builder_.cluster().node(node), resource, builder_.cluster().load_summary());
}

bool Balancing::is_above(NodeIndex node, double config::LoadBand::* limit) const {
  return std::ranges::any_of(builder_.rules().judged(), [&](std::size_t resource) {
    return load(node, resource) > builder_.rules().band(node, resource).*limit + kRounding;
  });
}

std::size_t Balancing::hottest(NodeIndex node) const {
  const auto& judged = builder_.rules().judged();
  return *std::ranges::max_element(judged, {}, [&](std::size_t resource) {
    return load(node, resource) / std::max(builder_.rules().band(node, resource).trigger, 0.01);
  });
}

void Balancing::find_nodes() {
  std::size_t unknown = 0;
  std::size_t off = 0;
  for (const NodeIndex index : builder_.cluster().existing_nodes()) {
    if (!builder_.rules().takes(index)) continue;
    if (load_state_of(builder_.snapshot(), index) == LoadState::Unknown) {
      ++unknown;
    } else if (builder_.rules().is_off(index, Strategy::LoadBalancing)) {
      ++off;
    } else {
      nodes_.push_back(index);
    }
  }
  if (unknown != 0) {
    builder_.note(fmt::format("LoadBalancing skips {} without a fresh load sample",
                              unknown == 1 ? "one node" : fmt::format("{} nodes", unknown)));
  }
  if (off != 0) builder_.note(fmt::format("LoadBalancing skips {} nodes: the strategy is off in their pool", off));
}

void Balancing::find_sources() {
  const auto& evidence = builder_.request().evidence;
  for (const NodeIndex index : nodes_) {
    const bool hot = evidence
                         ? evidence->hot.contains(builder_.name_of(index)) && is_above(index, &config::LoadBand::target)
                         : is_above(index, &config::LoadBand::trigger);
    if (hot) hot_.push_back(index);
  }
  uneven_ = (!evidence || evidence->uneven) && state().worst * kPercent > settings_.deviation_trigger;
}

Balancing::State Balancing::state() const {
  State state;
  double weights = 0;
  for (const std::size_t resource : builder_.rules().judged()) {
    const cluster::LoadSpread spread = spread_of(builder_.snapshot(), nodes_, resource);
    const double weight = builder_.rules().weight(resource);
    state.deviation += weight * spread.deviation;
    state.worst = std::max(state.worst, spread.deviation);
    weights += weight;
    for (const NodeIndex index : nodes_) {
      if (!helped_.empty() && !helped_.contains(index)) continue;
      const double limit = std::max(builder_.rules().band(index, resource).trigger, 0.01);
      state.max = std::max(state.max, load(index, resource) / limit);
    }
  }
  if (weights > 0) state.deviation /= weights;
  return state;
}

bool Balancing::is_worth_moving(PodIndex pod) const {
  const cluster::Node& node = *builder_.cluster().node(builder_.cluster().pod(pod).node).node;
  const cluster::Amounts& carried = builder_.inventory().usage_of(pod);
  return std::ranges::any_of(builder_.rules().judged(), [&](std::size_t resource) {
    return carried[resource] / std::max(whole_of(node, resource), 1.0) * kPercent >= settings_.least_gain;
  });
}

// The gain of moving a pod of the smallest size worth moving, between nodes that differ by the target deviation.
planner::Cost Balancing::price() const {
  const double least = settings_.least_gain * kPercent;
  const double apart = settings_.deviation_target * kPercent;
  double weight = 0;
  for (const std::size_t resource : builder_.rules().judged())
    weight = std::max(weight, builder_.rules().weight(resource) * 10);
  return std::max<planner::Cost>(1, std::llround(2 * least * apart * weight));
}

void Balancing::refuse_on_sources() const {
  std::set<NodeIndex> sources(hot_.begin(), hot_.end());
  if (uneven_) {
    for (const std::size_t resource : builder_.rules().judged()) {
      const double mean = spread_of(builder_.snapshot(), nodes_, resource).mean;
      for (const NodeIndex index : nodes_) {
        if (load(index, resource) > mean) sources.insert(index);
      }
    }
  }
  for (const NodeIndex index : sources) {
    for (const PodIndex pod : builder_.cluster().node(index).pods) {
      if (const auto blocker = builder_.why_not_movable(pod, Purpose::Improve)) builder_.refuse(pod, *blocker);
    }
  }
}

// Every hot node is at or below its target, or as low as the search could bring it, and the deviation is no higher than
// `deviation`.
bool Balancing::goal_holds(NodeIndex home, const std::map<NodeIndex, double>& ceilings, double deviation) const {
  for (const auto& [index, ceiling] : ceilings) {
    for (const std::size_t resource : builder_.rules().judged()) {
      const double target = std::max(builder_.rules().band(index, resource).target, 0.01);
      if (load(index, resource) / target > ceiling + kRounding) return false;
    }
  }
  // Undoing a move must not make a cool node hot.
  if (!ceilings.contains(home) && is_above(home, &config::LoadBand::trigger)) return false;
  return !uneven_ || state().worst <= deviation + kRounding;
}

void Balancing::take_back(std::vector<planner::Move> moves, const Adapted& adapted) {
  std::map<NodeIndex, double> ceilings;
  for (const NodeIndex index : hot_) {
    double& ceiling = ceilings[index] = 1;
    for (const std::size_t resource : builder_.rules().judged()) {
      const double target = std::max(builder_.rules().band(index, resource).target, 0.01);
      ceiling = std::max(ceiling, load(index, resource) / target);
    }
  }
  const double deviation = std::max(state().worst, settings_.deviation_target / kPercent);
  std::ranges::reverse(moves);  // the least useful first
  for (const planner::Move& move : moves) {
    const PodIndex pod = adapted.pods[move.process];
    const NodeIndex home = adapted.nodes[move.from];
    const NodeIndex to = builder_.what_if().now_on(pod);
    builder_.what_if().unassign(pod);
    // The pod ran on this node, so the filters accept it there, unless other pods have come since.
    const bool free = builder_.what_if().admits_back(pod, home);
    builder_.what_if().assign(pod, free ? home : to);
    if (free && !goal_holds(home, ceilings, deviation)) builder_.what_if().move(pod, to);
  }
}

// "node-a at 91 % CPU, above 80 %"
void Balancing::explain_move(PodIndex pod, const planner::Move& move, const Adapted& adapted) {
  const NodeIndex from = builder_.what_if().home_of(pod);
  const auto known = first_.find(from);
  Intent intent;
  intent.strategy = Strategy::LoadBalancing;
  if (known != first_.end()) {
    const auto& judged = builder_.rules().judged();
    intent.resource = *std::ranges::max_element(judged, {}, [&](std::size_t resource) {
      return known->second[resource] / std::max(builder_.rules().band(from, resource).trigger, 0.01);
    });
    const double at = known->second[intent.resource];
    const double trigger = builder_.rules().band(from, intent.resource).trigger;
    const double mean = spread_of(builder_.snapshot(), nodes_, intent.resource).mean;
    const std::string where =
        fmt::format("{} at {:.0f} % {}", builder_.name_of(from), at * kPercent, builder_.rules().name(intent.resource));
    if (at > trigger) {
      intent.cause = fmt::format("{}, above {:.0f} %", where, trigger * kPercent);
    } else {
      intent.cause = fmt::format("{}, {} the mean of {:.0f} %", where, at >= mean ? "above" : "below", mean * kPercent);
    }
  }
  for (const planner::RefusedTarget& one : move.refused) {
    intent.refused.push_back({builder_.name_of(adapted.nodes[one.machine]), {}});
  }
  builder_.moved(pod, std::move(intent));
}

bool is_mine(const std::pair<const PodIndex, Intent>& one) { return one.second.strategy == Strategy::LoadBalancing; }

bool Balancing::round() {
  Adapted adapted = adapt(builder_, {.nodes = nodes_, .pods = pods_, .balance_loads = true, .price = price()});
  const std::size_t most = builder_.left_in_total();
  const planner::Solution found = search(builder_, adapted);
  taken_back_.clear();
  if (found.moves.empty()) return false;
  const State before = state();
  for (const planner::Move& move : found.moves) builder_.what_if().unassign(adapted.pods[move.process]);
  for (const planner::Move& move : found.moves) {
    builder_.what_if().assign(adapted.pods[move.process], adapted.nodes[move.to]);
  }
  take_back(found.moves, adapted);
  const State after = state();
  // If the cap on moves is reached, the hottest node may have to wait for the next plan. Then it is enough that the
  // maximum does not rise.
  const bool capped = found.moves.size() >= most;
  for (const planner::Move& move : found.moves) {
    const PodIndex pod = adapted.pods[move.process];
    if (capped && builder_.what_if().now_on(pod) == adapted.nodes[move.from]) taken_back_.insert(pod);
  }
  const double max_before = capped ? before.max + 2 * kRounding : before.max;
  if (after.deviation >= before.deviation - kRounding || after.max >= max_before - kRounding) {
    for (const planner::Move& move : found.moves) {
      const PodIndex pod = adapted.pods[move.process];
      if (builder_.what_if().now_on(pod) != adapted.nodes[move.from])
        builder_.what_if().move(pod, adapted.nodes[move.from]);
    }
    if (std::ranges::none_of(builder_.intents(), is_mine)) {
      builder_.note("LoadBalancing found no moves that reduce both the deviation and the maximum");
    }
    return false;
  }
  bool any = false;
  for (const planner::Move& move : found.moves) {
    const PodIndex pod = adapted.pods[move.process];
    if (builder_.what_if().now_on(pod) == adapted.nodes[move.from]) continue;
    explain_move(pod, move, adapted);
    any = true;
  }
  return any;
}

// With a low cap, the search can spend moves that the goal does not need. Without their pods, other pods can use these
// moves.
bool Balancing::leave_out_those_taken_back() {
  return std::erase_if(pods_, [&](PodIndex pod) { return taken_back_.contains(pod); }) > 0;
}

void Balancing::find_pods() {
  std::vector<std::pair<double, NodeIndex>> hottest_first;
  for (const NodeIndex index : nodes_) {
    auto& loads = first_[index];
    for (const std::size_t resource : builder_.rules().judged()) loads[resource] = load(index, resource);
    const std::size_t fullest = hottest(index);
    hottest_first.emplace_back(-loads[fullest] / std::max(builder_.rules().band(index, fullest).trigger, 0.01), index);
  }
  std::ranges::sort(hottest_first);
  const std::uint32_t moves = builder_.request().caps.total;
  const bool all = moves == 0;
  for (const auto& [heat, index] : hottest_first) {
    if (!all && pods_.size() >= kPodsPerMove * moves) break;
    for (const PodIndex pod : builder_.cluster().node(index).pods) {
      if (is_worth_moving(pod) && !builder_.why_not_movable(pod, Purpose::Improve)) pods_.push_back(pod);
    }
  }
  std::ranges::sort(pods_);
}

void Balancing::run() {
  if (builder_.cluster().load_summary().basis == cluster::LoadBasis::RoundRobin) {
    builder_.note("LoadBalancing is skipped: neither load nor requests of the nodes are known");
    return;
  }
  find_nodes();
  if (nodes_.size() < 2 || builder_.rules().judged().empty()) return;
  find_sources();
  if (hot_.empty() && !uneven_) return;
  refuse_on_sources();
  find_pods();
  for (const PodIndex pod : pods_) helped_.insert(builder_.cluster().pod(pod).node);
  for (int i = 0; i < kMostRounds; ++i) {
    const bool moved = round();
    if (!leave_out_those_taken_back() && !moved) break;
    if (std::ranges::none_of(hot_, [&](NodeIndex index) { return is_above(index, &config::LoadBand::target); })
        && state().worst * kPercent <= settings_.deviation_trigger) {
      break;
    }
  }
}

}  // namespace

void balance_loads(PlanBuilder& builder) { Balancing(builder).run(); }

}  // namespace rescheduler::rescheduling
