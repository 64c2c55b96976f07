#include "planner/improve.h"

#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "planner/testing.h"

namespace rescheduler::planner {
namespace {

using ::testing::IsEmpty;
using testing::plain_problem;
using ::testing::SizeIs;

TEST(Improve, AnAssignmentWithoutExcessIsNotChanged) {
  const Solution solution = improve(plain_problem(10, 6, {{3, 3}, {6}, {}}), {});
  EXPECT_THAT(solution.moves, IsEmpty());
  EXPECT_EQ(solution.after, 0);
}

TEST(Improve, OneLargeMoveIsPreferredToThreeSmallOnes) {
  // The first machine exceeds its target by six: move the process of size six, not three of size two.
  const Solution solution = improve(plain_problem(20, 10, {{6, 2, 2, 2, 4}, {}}), {});
  ASSERT_THAT(solution.moves, SizeIs(1));
  EXPECT_EQ(solution.moves[0].process, 0U);
  EXPECT_EQ(solution.moves[0].gain, 6);
  EXPECT_EQ(solution.after, 0);
}

TEST(Improve, AMoveThatCostsMoreThanItGainsIsNotMade) {
  Problem problem = plain_problem(20, 10, {{6, 6}, {}});
  for (ProcessFacts& process : problem.processes) process.price = 3;
  EXPECT_THAT(improve(problem, {}).moves, IsEmpty());
}

TEST(Improve, TwoProcessesAreSwappedIfNoSingleMoveFits) {
  // Both machines are too full for another process; only the two of different size can be swapped.
  const Problem problem = plain_problem(10, 8, {{6, 4}, {5, 2}});
  const Solution solution = improve(problem, {});
  EXPECT_THAT(solution.moves, SizeIs(2));
  EXPECT_LT(solution.after, solution.before);
  EXPECT_EQ(broken_rule(problem, solution.where), std::nullopt);
}

TEST(Improve, AProcessTakesThePlaceOfAnotherThatMovesToAThirdMachine) {
  // The first process may not join the other of its group on the third machine; one from the second machine may.
  Problem problem = plain_problem(10, 8, {{4, 6}, {4, 4}, {4}});
  problem.groups.push_back({true, 0, {}, 1});
  problem.processes[0].group = problem.processes[4].group = 0;
  const Solution solution = improve(problem, {});
  EXPECT_THAT(solution.moves, SizeIs(2));
  EXPECT_EQ(solution.where[0], 1U);
  EXPECT_EQ(solution.after, 0);
  EXPECT_EQ(broken_rule(problem, solution.where), std::nullopt);
}

TEST(Improve, UnderAMoveLimitTheBestMoveIsMade) {
  SearchLimits limits;
  limits.most_moves = 1;
  const Solution solution = improve(plain_problem(30, 10, {{9, 9, 2}, {1}, {1}}), limits);
  ASSERT_THAT(solution.moves, SizeIs(1));
  EXPECT_EQ(solution.moves[0].gain, 9);
}

TEST(Improve, AnOverfullMachineIsRelievedEvenIfItStaysOverfull) {
  const Problem problem = plain_problem(10, 10, {{8, 8, 8}, {}});
  const Solution solution = improve(problem, {});
  EXPECT_THAT(solution.moves, SizeIs(1));
  EXPECT_LT(solution.after, solution.before);
}

// Allows no process on the second machine.
struct SecondMachineRefused final : FeasibilityOracle {
  bool allows(Process, Machine machine) override { return machine != 1; }
  void unassigned(Process, Machine) override {}
  void assigned(Process, Machine) override {}
};

TEST(Improve, AMoveListsTheMachinesThatTheOracleRefused) {
  Problem problem = plain_problem(20, 10, {{6, 6}, {}, {5}});
  SecondMachineRefused oracle;
  const Solution solution = improve(problem, {}, &oracle);
  ASSERT_THAT(solution.moves, SizeIs(1));
  EXPECT_EQ(solution.moves[0].to, 2U);
  ASSERT_THAT(solution.moves[0].refused, SizeIs(1));
  EXPECT_EQ(solution.moves[0].refused[0].machine, 1U);
  EXPECT_EQ(solution.moves[0].refused[0].gain, 2);
}

// Advances by a millisecond at each read.
struct AdvancingClock final : Clock {
  WallTime wall_now() const override { return {}; }
  SteadyTime steady_now() const override { return SteadyTime{std::chrono::milliseconds{++reads}}; }
  mutable int reads = 0;
};

TEST(Improve, StopsAtTheTimeLimitAndKeepsItsResult) {
  const Problem problem = testing::random_problem(3, {});
  const AdvancingClock clock;
  SearchLimits limits;
  limits.clock = &clock;
  limits.time = std::chrono::milliseconds{200};
  limits.thorough = true;
  const Solution solution = improve(problem, limits);
  EXPECT_LT(solution.after, solution.before);
  EXPECT_EQ(broken_rule(problem, solution.where), std::nullopt);
  EXPECT_LT(clock.reads, 500);
}

// Twenty random pairs of an optimal assignment are swapped: forty moves repair it, and fewer if there is room.
TEST(Improve, AThoroughSearchRemovesTheExcessOfALargeFleetWithFewMoves) {
  constexpr std::size_t kMachines = 40;
  constexpr std::size_t kEach = 60;
  Rng rng(7);
  std::vector<std::vector<Amount>> demands(kMachines);
  std::vector<Amount> target;
  for (std::vector<Amount>& there : demands) {
    for (std::size_t i = 0; i < kEach; ++i) there.push_back(1 + static_cast<Amount>(rng.below(100)));
    target.push_back(std::accumulate(there.begin(), there.end(), Amount{10}));
  }
  const auto any = [&]() -> Amount& { return demands[rng.below(kMachines)][rng.below(kEach)]; };
  for (int pair = 0; pair < 20; ++pair) {
    Amount& one = any();
    std::swap(one, any());
  }
  Problem problem = plain_problem(10'000, 0, demands);
  problem.target = target;
  problem.resources[0].excess_weight = 100;
  for (ProcessFacts& process : problem.processes) process.price = 100;
  SearchLimits limits;
  limits.thorough = true;
  limits.most_steps = 3'000'000;
  const Solution solution = improve(problem, limits);
  EXPECT_EQ(solution.after, 100 * static_cast<Cost>(solution.moves.size()));  // no excess is left
  EXPECT_LE(solution.moves.size(), 25U);
}

TEST(Improve, StartsFromTheGivenAssignment) {
  const Problem problem = plain_problem(20, 10, {{6, 6}, {}});
  SearchLimits limits;
  limits.start = {0, 1};
  const Solution solution = improve(problem, limits);
  EXPECT_EQ(solution.where, limits.start);
  EXPECT_EQ(solution.before, 2);
  EXPECT_EQ(solution.after, 0);
}

TEST(Improve, TheBoundShowsThatNoBetterAssignmentExists) {
  // The fleet as a whole exceeds its targets by two in any assignment.
  const Solution solution = improve(plain_problem(10, 5, {{6}, {6}}), {});
  EXPECT_EQ(solution.bound, 2);
  EXPECT_EQ(solution.after, 2);
}

TEST(BrokenRule, DescribesTheBrokenRule) {
  Problem problem = plain_problem(10, 10, {{6}, {5}});
  EXPECT_EQ(broken_rule(problem, {0, 1}), std::nullopt);
  EXPECT_EQ(broken_rule(problem, {0, 0}), "machine 0 has 10 of resource 0 and uses 11");
  problem.resources[0].transient = true;
  problem.capacity = {10, 11};
  EXPECT_EQ(broken_rule(problem, {1, 1}), std::nullopt);
  EXPECT_EQ(broken_rule(problem, {1, 0}), "machine 0 has 10 of resource 0 and uses 11");
  problem.groups.push_back({true, 2, {}, 1});
  problem.processes[0].group = problem.processes[1].group = 0;
  EXPECT_EQ(broken_rule(problem, {1, 1}), "two of group 0 share a machine");
  problem.groups[0].apart = false;
  EXPECT_EQ(broken_rule(problem, {1, 1}), "group 0 is in 1 locations and needs 2");
}

}  // namespace
}  // namespace rescheduler::planner
