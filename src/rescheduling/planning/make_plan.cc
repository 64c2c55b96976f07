#include "rescheduling/planning/make_plan.h"

#include <algorithm>
#include <cmath>

#include <boost/container_hash/hash.hpp>
#include <fmt/format.h>

#include "placement/predicted_load.h"
#include "planner/order.h"
#include "rescheduling/planning/adapter.h"
#include "rescheduling/planning/balance_report.h"
#include "rescheduling/planning/move_batches.h"
#include "rescheduling/planning/plan_builder.h"
#include "rescheduling/planning/run_until_stable.h"

namespace rescheduler::rescheduling {
namespace {

using cluster::NodeIndex;
using cluster::PodIndex;
using config::Strategy;

constexpr double kPercent = 100;
// Refused targets that a move lists.
constexpr std::size_t kMostRefused = 3;

// Computes how much each move of a finished plan is worth.
class MoveWorth {
 public:
  explicit MoveWorth(const PlanBuilder& builder)
      : builder_(builder),
        place_(builder.cluster().nodes().size(), kNowhere),
        weights_(builder.request().args->placing.balance_weights()) {
    for (const NodeIndex index : balanceable_nodes(builder.snapshot())) {
      place_[index] = loads_[0].size();
      for (std::size_t i = 0; i < kResources.size(); ++i) {
        const auto& balance_report = builder.cluster().load_summary();
        loads_[i].push_back(placement::predicted_load(builder.cluster().node(index), kResources[i], balance_report));
      }
    }
    deviation_ = deviation();
  }
  // Points of the balance score that the plan loses without the move.
  double of(PodIndex pod, NodeIndex from, NodeIndex to) {
    const auto with = loads_;
    shift(from, pod, +1);
    shift(to, pod, -1);
    const double without = deviation();
    loads_ = with;
    return std::isnan(without) ? 0 : cluster::score_points(without - deviation_);
  }

 private:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
  static constexpr std::array<std::size_t, 2> kResources{cluster::kCpuLoad, cluster::kMemoryLoad};

  void shift(NodeIndex index, PodIndex pod, double factor) {
    if (place_[index] == kNowhere) return;
    for (std::size_t i = 0; i < kResources.size(); ++i) {
      const double whole = std::max(whole_of(*builder_.cluster().node(index).node, kResources[i]), 1.0);
      loads_[i][place_[index]] += factor * builder_.inventory().usage_of(pod)[kResources[i]] / whole;
    }
  }
  double deviation() const {
    return cluster::weighted_deviation(cluster::spread_of(loads_[0]), cluster::spread_of(loads_[1]), weights_);
  }

  const PlanBuilder& builder_;
  std::vector<std::size_t> place_;  // by node: index of its loads in loads_
  std::array<std::vector<double>, 2> loads_{};
  cluster::BalanceWeights weights_;
  double deviation_ = 0;
};

// Orders the moves of the PlanBuilder and writes them into the plan.
class Finishing {
 public:
  Finishing(PlanBuilder& builder, Plan& plan) : builder_(builder), plan_(plan) {}

  void run() {
    collect();
    builder_.what_if().restore();
    if (moves_.empty()) return;
    put_in_order();
    for (const NumberedStep& one : steps_) {
      const PodIndex pod = adapted_.pods[one.step.process];
      builder_.what_if().move(pod, adapted_.nodes[one.step.to]);
    }
    MoveWorth worth(builder_);
    for (const NumberedStep& one : steps_) plan_.moves.push_back(planned_move(one, worth));
  }

 private:
  void collect();
  void put_in_order();
  PlannedMove planned_move(const NumberedStep& one, MoveWorth& worth);
  std::string effect(const Intent& intent, PodIndex pod, NodeIndex from, NodeIndex to) const;

  PlanBuilder& builder_;
  Plan& plan_;
  std::vector<std::pair<PodIndex, NodeIndex>> moves_;  // pod and target
  Adapted adapted_;
  std::vector<NumberedStep> steps_;
};

// Most important strategy first; within a strategy in order of PodIndex.
void Finishing::collect() {
  for (const Strategy strategy : builder_.request().strategies) {
    for (const auto& [pod, intent] : builder_.intents()) {
      if (intent.strategy == strategy && builder_.is_moved(pod))
        moves_.emplace_back(pod, builder_.what_if().now_on(pod));
    }
  }
}

void Finishing::put_in_order() {
  std::vector<PodIndex> pods;
  for (const auto& [pod, to] : moves_) pods.push_back(pod);
  adapted_ = adapt(builder_, {.nodes = builder_.cluster().existing_nodes(), .pods = pods});
  const auto machine_of = [&](NodeIndex node) {
    return static_cast<planner::Machine>(std::ranges::lower_bound(adapted_.nodes, node) - adapted_.nodes.begin());
  };
  std::vector<planner::Move> moves;
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    moves.push_back(
        {static_cast<planner::Process>(i), adapted_.problem.processes[i].machine, machine_of(moves_[i].second)});
  }
  planner::OrderLimits limits;
  PlanBuilderOracle oracle(builder_, adapted_);
  const planner::Ordered ordered = planner::order_moves(adapted_.problem, moves, limits, &oracle);
  steps_ = number_steps(ordered.steps, adapted_, builder_);
  for (const planner::LeftOut& left : ordered.left_out) {
    const PodIndex pod = adapted_.pods[left.move.process];
    builder_.refuse(pod, {why::kNoOrder, fmt::format("there is no order of moves in which the pod can move to {}",
                                                     builder_.name_of(adapted_.nodes[left.move.to]))});
  }
}

std::string Finishing::effect(const Intent& intent, PodIndex pod, NodeIndex from, NodeIndex to) const {
  const auto& balance_report = builder_.cluster().load_summary();
  const std::size_t resource = intent.resource;
  const std::string& name = builder_.rules().name(resource);
  const auto known = [&](NodeIndex index) {
    return balance_report.basis != cluster::LoadBasis::Usage || builder_.cluster().node(index).load.knows(resource);
  };
  std::string text;
  if (known(from)) {
    const double whole = std::max(whole_of(*builder_.cluster().node(from).node, resource), 1.0);
    text = fmt::format("; reduces its load by {:.0f} points",
                       kPercent * builder_.inventory().usage_of(pod)[resource] / whole);
  }
  const cluster::NodeInfo& target = builder_.cluster().node(to);
  if (known(to)) {
    text += fmt::format("{} {} goes to {:.0f} % {}", text.empty() ? ";" : ",", target.node->name,
                        kPercent * placement::predicted_load(target, resource, balance_report), name);
  }
  return text;
}

PlannedMove Finishing::planned_move(const NumberedStep& one, MoveWorth& worth) {
  const PodIndex pod = adapted_.pods[one.step.process];
  const NodeIndex from = adapted_.nodes[one.step.from];
  const NodeIndex to = adapted_.nodes[one.step.to];
  const cluster::AssignedPod& placed = builder_.cluster().pod(pod);
  const Intent& intent = builder_.intents().at(pod);
  PlannedMove move;
  move.ns = builder_.snapshot().namespace_of(pod);
  move.pod = placed.name;
  move.uid = placed.uid;
  const LineageFacts& lineage = builder_.inventory().lineage(builder_.inventory().lineage_of(pod));
  move.lineage = lineage.lineage;
  move.autoscaled = lineage.autoscaled;
  if (lineage.autoscaled) {
    builder_.note(
        fmt::format("a HorizontalPodAutoscaler sets the replicas of {} {}/{}: their number can change before the moves",
                    lineage.lineage.kind, lineage.lineage.ns, lineage.lineage.name));
  }
  move.source = builder_.name_of(from);
  move.target = builder_.name_of(to);
  move.strategy = intent.strategy;
  move.step = one.number;
  move.detour = one.step.detour;
  move.budget = builder_.inventory().verdict_on(pod);
  if (one.step.detour) {
    move.reason = fmt::format("moves so that another pod fits; {}", intent.cause);
  } else {
    move.reason = intent.cause + effect(intent, pod, from, to);
    move.gain = worth.of(pod, builder_.what_if().first_on(pod), to);
  }
  for (const RefusedTarget& target : intent.refused) {
    if (move.refused.size() >= kMostRefused) break;
    const auto node = builder_.cluster().find_node(target.node);
    if (!node || *node == builder_.what_if().now_on(pod)) continue;
    const NodeIndex on = builder_.what_if().now_on(pod);
    builder_.what_if().unassign(pod);
    std::string why = builder_.what_if().refusal(pod, *node);
    builder_.what_if().assign(pod, on);
    move.refused.push_back({target.node, why.empty() ? "its load would be above the threshold" : std::move(why)});
  }
  return move;
}

std::string id_of(const Plan& plan) {
  std::size_t seed = 0;
  for (const PlannedMove& move : plan.moves) {
    boost::hash_combine(seed, move.uid);
    boost::hash_combine(seed, move.target);
  }
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(plan.made.time_since_epoch()).count();
  return fmt::format("{:x}-{:08x}", seconds, seed & 0xffffffffU);
}

}  // namespace

Plan make_plan(const Snapshot& snapshot, const PlanRequest& request) {
  Plan plan;
  plan.made = request.now;
  plan.judged_by = snapshot.cluster().load_summary().source;
  plan.before = balance_report_of(snapshot, *request.args);
  PlanBuilder builder(snapshot, request, plan);
  run_until_stable(builder);
  Finishing(builder, plan).run();
  plan.after = balance_report_of(builder.snapshot(), *request.args);
  std::set<std::pair<std::string, std::string>> moved;
  for (const PlannedMove& move : plan.moves) moved.emplace(move.ns, move.pod);
  std::erase_if(plan.refused, [&](const UnmovedPod& one) { return moved.contains({one.ns, one.pod}); });
  const bool unsteered = std::ranges::find(plan.refused, why::kUnsteered, &UnmovedPod::code) != plan.refused.end();
  if (unsteered && !request.steering.no_webhook.empty()) {
    plan.notes.push_back(fmt::format("pods of other schedulers stay, because the webhook does not steer them: {}",
                                     request.steering.no_webhook));
  }
  plan.id = id_of(plan);
  return plan;
}

}  // namespace rescheduler::rescheduling
