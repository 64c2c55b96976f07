// Compares the incremental state after random steps with cost and rules computed from scratch.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/rng.h"
#include "planner/improve.h"
#include "planner/state.h"
#include "planner/testing.h"

namespace rescheduler::planner {
namespace {

using testing::random_problem;
using testing::random_shape;

Problem any_problem(std::uint64_t seed) { return random_problem(seed, random_shape(seed)); }

// After a swap or chain: if done, the cost changed by the delta and no rule is broken; if refused, nothing changed.
void expect_exact_delta(const Problem& problem,
                        const State& state,
                        const std::vector<Machine>& before,
                        Cost cost,
                        Cost delta,
                        bool done) {
  if (done) {
    // If two groups both have the most moves, the group term may differ by one move each.
    const Cost off = state.cost() - cost - delta;
    RC_ASSERT(off <= 2 * problem.group_move_weight && off >= -2 * problem.group_move_weight);
    RC_ASSERT(!broken_rule(problem, state.where()));
  } else {
    RC_ASSERT(state.where() == before);
    RC_ASSERT(state.cost() == cost);
  }
  RC_ASSERT(state.cost() == cost_of(problem, state.where()));
}

RC_GTEST_PROP(State, EveryAllowedMoveKeepsTheRulesAndChangesTheCostByItsDelta, (std::uint64_t seed)) {
  const Problem problem = any_problem(seed);
  RC_PRE(!problem.processes.empty());
  State state(problem);
  RC_ASSERT(!broken_rule(problem, state.where()));
  RC_ASSERT(state.cost() == cost_of(problem, state.where()));
  Rng rng(seed);
  for (int i = 0; i < 200; ++i) {
    const auto p = static_cast<Process>(rng.below(problem.processes.size()));
    const auto to = static_cast<Machine>(rng.below(problem.machines.size()));
    if (!state.movable(p) || !state.may_shift(p, to)) continue;
    const Cost expected = state.cost() + state.shift_delta(p, to);
    state.shift(p, to);
    RC_ASSERT(state.cost() == expected);
    RC_ASSERT(state.cost() == cost_of(problem, state.where()));
    const auto broken = broken_rule(problem, state.where());
    RC_ASSERT(!broken);
  }
}

RC_GTEST_PROP(State, EverySwapKeepsTheRulesAndARefusedSwapChangesNothing, (std::uint64_t seed)) {
  const Problem problem = any_problem(seed);
  RC_PRE(!problem.processes.empty());
  State state(problem);
  Rng rng(seed);
  for (int i = 0; i < 300; ++i) {
    const auto one = static_cast<Process>(rng.below(problem.processes.size()));
    const auto other = static_cast<Process>(rng.below(problem.processes.size()));
    if (state.where(one) == state.where(other) || !state.movable(one) || !state.movable(other)) continue;
    const std::vector<Machine> before = state.where();
    const Cost cost = state.cost();
    const bool fits = state.swap_fits(one, other);
    const Cost delta = state.swap_delta(one, other);
    const bool done = state.try_swap(one, other);
    RC_ASSERT(fits || !done);
    expect_exact_delta(problem, state, before, cost, delta, done);
  }
}

RC_GTEST_PROP(State, EveryChainKeepsTheRulesAndARefusedChainChangesNothing, (std::uint64_t seed)) {
  const Problem problem = any_problem(seed);
  RC_PRE(!problem.processes.empty());
  State state(problem);
  Rng rng(seed);
  for (int i = 0; i < 300; ++i) {
    const auto one = static_cast<Process>(rng.below(problem.processes.size()));
    const auto other = static_cast<Process>(rng.below(problem.processes.size()));
    const auto last = static_cast<Machine>(rng.below(problem.machines.size()));
    if (!state.movable(one) || !state.movable(other) || state.where(one) == state.where(other)) continue;
    if (last == state.where(one) || last == state.where(other)) continue;
    const std::vector<Machine> before = state.where();
    const Cost cost = state.cost();
    const bool fits = state.fits_instead(one, other) && state.fits(other, last);
    const Cost delta = state.chain_delta(one, other, last);
    const bool done = state.try_chain(one, other, last);
    if (done) {
      RC_ASSERT(fits);
      RC_ASSERT(state.where(one) == before[other] && state.where(other) == last);
    }
    expect_exact_delta(problem, state, before, cost, delta, done);
  }
}

RC_GTEST_PROP(State, AMoveIsAllowedIfAndOnlyIfNoRuleWouldBeBroken, (std::uint64_t seed)) {
  const Problem problem = any_problem(seed);
  RC_PRE(!problem.processes.empty());
  State state(problem);
  Rng rng(seed);
  for (int i = 0; i < 200; ++i) {
    const auto p = static_cast<Process>(rng.below(problem.processes.size()));
    const auto to = static_cast<Machine>(rng.below(problem.machines.size()));
    if (!state.movable(p) || to == state.where(p)) continue;
    std::vector<Machine> after = state.where();
    after[p] = to;
    const Machine from = state.where(p);
    const bool sound = !broken_rule(problem, after);
    RC_ASSERT(state.may_shift(p, to) == sound);
    state.unassign(p);
    RC_ASSERT(state.may_put(p, from, to) == sound);
    state.put(p, sound ? to : from);
  }
}

}  // namespace
}  // namespace rescheduler::planner
