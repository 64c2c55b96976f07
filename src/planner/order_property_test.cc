// Carries out a plan step by step in its order and checks every rule from scratch.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/rng.h"
#include "planner/order.h"
#include "planner/state.h"
#include "planner/testing.h"

namespace rescheduler::planner {
namespace {

using testing::random_problem;
using testing::random_shape;
using testing::StrictOracle;

std::vector<Machine> homes(const Problem& problem) {
  std::vector<Machine> home;
  for (const ProcessFacts& process : problem.processes) home.push_back(process.machine);
  return home;
}

// Moves to a random assignment that obeys the rules, whatever its cost. It includes cycles, because pairs are swapped.
std::vector<Move> random_moves(const Problem& problem, std::uint64_t seed) {
  State state(problem);
  Rng rng(seed);
  for (int i = 0; i < 300 && !problem.processes.empty(); ++i) {
    const auto one = static_cast<Process>(rng.below(problem.processes.size()));
    const auto other = static_cast<Process>(rng.below(problem.processes.size()));
    if (!state.movable(one) || !state.movable(other)) continue;
    if (rng.below(3) == 0) {
      const auto to = static_cast<Machine>(rng.below(problem.machines.size()));
      if (state.may_shift(one, to)) state.shift(one, to);
    } else if (state.where(one) != state.where(other)) {
      state.try_swap(one, other);
    }
  }
  std::vector<Move> moves;
  for (Process p = 0; p < problem.processes.size(); ++p) {
    if (state.where(p) != state.home(p)) moves.push_back({p, state.home(p), state.where(p), 0, {}});
  }
  return moves;
}

// Usage during a batch: by all processes on their old machines, and by the moving ones on their new machines.
void check_capacity(const Problem& problem,
                    const std::vector<Machine>& before,
                    const std::vector<Step>& batch,
                    bool room_first) {
  const std::size_t count = problem.resource_count();
  std::vector<Amount> used = problem.taken;
  for (Process p = 0; p < before.size(); ++p) {
    const bool on_its_way = std::ranges::any_of(batch, [&](const Step& step) { return step.process == p; });
    const Machine home = problem.processes[p].machine;
    for (std::size_t r = 0; r < count; ++r) {
      const Amount need = problem.demand[p * count + r];
      if (!on_its_way || room_first || problem.resources[r].transient) used[before[p] * count + r] += need;
      if (problem.resources[r].transient && home != before[p]) used[home * count + r] += need;
    }
  }
  for (const Step& step : batch) {
    for (std::size_t r = 0; r < count; ++r) used[step.to * count + r] += problem.demand[step.process * count + r];
  }
  for (std::size_t i = 0; i < used.size(); ++i) RC_ASSERT(used[i] <= problem.capacity[i]);
}

// The group rules hold in whichever order the steps of the batch are done.
void check_rules(const Problem& problem, const std::vector<Machine>& before, const std::vector<Step>& batch, Rng& rng) {
  Problem free = problem;
  for (ResourceRule& rule : free.resources) rule.transient = false;
  for (Amount& amount : free.capacity) amount = 1'000'000;
  for (int i = 0; i < 10; ++i) {
    std::vector<Machine> where = before;
    for (const Step& step : batch) {
      if (rng.below(2) == 0) where[step.process] = step.to;
    }
    const auto broken = broken_rule(free, where);
    RC_ASSERT(!broken);
  }
}

void check_budgets(const Problem& problem, const std::vector<Step>& batch, const OrderLimits& limits) {
  RC_ASSERT(batch.size() <= limits.at_once);
  std::vector<std::uint32_t> of_group(problem.groups.size());
  for (const Step& step : batch) {
    const Group group = problem.processes[step.process].group;
    if (group != kNoGroup) RC_ASSERT(++of_group[group] <= problem.groups[group].at_once);
  }
}

void carry_out(const Problem& problem,
               const std::vector<Move>& moves,
               const OrderLimits& limits,
               const Ordered& ordered,
               std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Machine> where = homes(problem);
  std::size_t at = 0;
  for (std::uint32_t number = 0; at < ordered.steps.size(); ++number) {
    std::vector<Step> batch;
    while (at < ordered.steps.size() && ordered.steps[at].batch == number) batch.push_back(ordered.steps[at++]);
    RC_ASSERT(!batch.empty());  // no batch is empty, and batches are in order
    for (const Step& step : batch) RC_ASSERT(where[step.process] == step.from);
    check_capacity(problem, where, batch, limits.room_first);
    check_rules(problem, where, batch, rng);
    check_budgets(problem, batch, limits);
    for (const Step& step : batch) where[step.process] = step.to;
  }
  std::set<Process> left;
  for (const LeftOut& one : ordered.left_out) {
    RC_ASSERT(!one.why.empty());
    left.insert(one.move.process);
    RC_ASSERT(where[one.move.process] == one.move.from);
  }
  for (const Move& move : moves) RC_ASSERT(left.contains(move.process) || where[move.process] == move.to);
}

OrderLimits any_limits(std::uint64_t seed) {
  Rng rng(seed + 1);
  OrderLimits limits;
  if (rng.below(2) == 0) limits.at_once = 1 + static_cast<std::uint32_t>(rng.below(4));
  limits.room_first = rng.below(3) != 0;
  limits.detours = rng.below(4) != 0;
  return limits;
}

RC_GTEST_PROP(Order, NoStepOfTheOrderBreaksARule, (std::uint64_t seed)) {
  const Problem problem = random_problem(seed, random_shape(seed));
  const std::vector<Move> moves = random_moves(problem, seed);
  const OrderLimits limits = any_limits(seed);
  const Ordered ordered = order_moves(problem, moves, limits);
  carry_out(problem, moves, limits, ordered, seed);
}

RC_GTEST_PROP(Order, TheOracleAllowsEveryStepAndEndsInItsInitialState, (std::uint64_t seed)) {
  const Problem problem = random_problem(seed, random_shape(seed));
  const std::vector<Move> moves = random_moves(problem, seed);
  const OrderLimits limits = any_limits(seed);
  StrictOracle oracle(problem, seed, static_cast<unsigned>(seed % 50), 6 + seed % 8);
  const Ordered ordered = order_moves(problem, moves, limits, &oracle);
  carry_out(problem, moves, limits, ordered, seed);
  for (const Step& step : ordered.steps) {
    RC_ASSERT(step.to == problem.processes[step.process].machine || !oracle.refuses(step.process, step.to));
  }
  RC_ASSERT(oracle.at_home());
}

}  // namespace
}  // namespace rescheduler::planner
