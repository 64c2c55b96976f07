#include "planner/ejection_chains.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "planner/improve.h"
#include "planner/testing.h"

namespace rescheduler::planner {
namespace {

using testing::plain_problem;
using testing::random_problem;
using testing::random_shape;

constexpr double kHighPenalty = 1e9;

// The 8 exceeds the target of its machine by three. The second machine has room for it if both 4s leave, each to one of
// the last two machines, whose own processes stay. No move, swap or chain of two achieves this.
Problem crowded() {
  Problem problem = plain_problem(10, 10, {{8}, {4, 4}, {6}, {6}});
  problem.target[0] = 5;
  problem.processes[3].moves = false;
  problem.processes[4].moves = false;
  return problem;
}

TEST(EjectionChains, ALargeProcessTakesThePlaceOfTwoSmallOnes) {
  const Problem problem = crowded();
  SearchLimits limits;
  Budget budget(limits);
  State state(problem);
  ASSERT_EQ(improve(problem, limits).after, state.cost()) << "moves, swaps and chains of two do not help";
  const Cost before = state.cost();
  EjectionChains(state, budget, kHighPenalty).run();
  EXPECT_LT(state.cost(), before);
  EXPECT_EQ(state.where(0), 1U);
  EXPECT_NE(state.where(1), state.where(2));
  EXPECT_EQ(broken_rule(problem, state.where()), std::nullopt);
}

TEST(EjectionChains, NothingChangesIfTheEjectedProcessesFitNowhere) {
  Problem problem = crowded();
  problem.machines[2].takes = false;
  problem.machines[3].takes = false;
  SearchLimits limits;
  Budget budget(limits);
  State state(problem);
  const std::vector<Machine> home = state.where();
  EjectionChains(state, budget, kHighPenalty).run();
  EXPECT_EQ(state.where(), home);
}

RC_GTEST_PROP(EjectionChains, NeverBreakARuleAndNeverRaiseTheCost, (std::uint64_t seed)) {
  const Problem problem = random_problem(seed, random_shape(seed));
  SearchLimits limits;
  limits.most_steps = 200'000;
  Budget budget(limits);
  State state(problem);
  const Cost before = state.cost();
  EjectionChains(state, budget, kHighPenalty).run();
  RC_ASSERT(state.cost() <= before);
  RC_ASSERT(state.cost() == cost_of(problem, state.where()));
  const auto broken = broken_rule(problem, state.where());
  RC_ASSERT(!broken);
}

}  // namespace
}  // namespace rescheduler::planner
