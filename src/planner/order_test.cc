#include "planner/order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "planner/testing.h"

namespace rescheduler::planner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::plain_problem;
using ::testing::SizeIs;

TEST(Order, AMoveWaitsForTheRoomThatAnotherMoveFrees) {
  // Process 0 moves to the machine of process 1; process 1 has room on its own target.
  const Problem problem = plain_problem(10, 10, {{8}, {7}, {}});
  const Ordered ordered = order_moves(problem, {{0, 0, 1, 5, {}}, {1, 1, 2, 1, {}}}, {});
  ASSERT_THAT(ordered.steps, SizeIs(2));
  EXPECT_EQ(ordered.steps[0].process, 1U);
  EXPECT_EQ(ordered.steps[1].process, 0U);
  EXPECT_EQ(ordered.steps[1].batch, 1U);
  EXPECT_THAT(ordered.left_out, IsEmpty());
}

TEST(Order, RoomIsFreeInTheSameBatchIfTheOldProcessLeavesFirst) {
  const Problem problem = plain_problem(10, 10, {{8}, {7}, {}});
  OrderLimits limits;
  limits.room_first = false;
  const Ordered ordered = order_moves(problem, {{1, 1, 2, 5, {}}, {0, 0, 1, 1, {}}}, limits);
  ASSERT_THAT(ordered.steps, SizeIs(2));
  EXPECT_EQ(ordered.steps[1].batch, 0U);
}

TEST(Order, ACycleIsBrokenByADetourThroughAThirdMachine) {
  const Problem problem = plain_problem(10, 10, {{8}, {7}, {1}});
  const Ordered ordered = order_moves(problem, {{0, 0, 1, 0, {}}, {1, 1, 0, 0, {}}}, {});
  ASSERT_THAT(ordered.steps, SizeIs(3));
  EXPECT_TRUE(ordered.steps[0].detour);
  EXPECT_EQ(ordered.steps[0].to, 2U);
  EXPECT_EQ(ordered.steps[1].process, 1U);
  EXPECT_EQ(ordered.steps[2].process, 0U);
  EXPECT_EQ(ordered.steps[2].from, 2U);
  EXPECT_EQ(ordered.steps[2].to, 1U);
  EXPECT_THAT(ordered.left_out, IsEmpty());
}

TEST(Order, ACycleWithoutRoomForADetourIsLeftOutWithTheReason) {
  const Problem problem = plain_problem(10, 10, {{8}, {7}, {6}});
  const Ordered ordered = order_moves(problem, {{0, 0, 1, 0, {}}, {1, 1, 0, 0, {}}}, {});
  EXPECT_THAT(ordered.steps, IsEmpty());
  ASSERT_THAT(ordered.left_out, SizeIs(2));
  EXPECT_THAT(ordered.left_out[0].why, HasSubstr("Machine 1 lacks 5 of resource 0"));
}

TEST(Order, DetoursCanBeForbidden) {
  const Problem problem = plain_problem(10, 10, {{8}, {7}, {1}});
  OrderLimits limits;
  limits.detours = false;
  EXPECT_THAT(order_moves(problem, {{0, 0, 1, 0, {}}, {1, 1, 0, 0, {}}}, limits).steps, IsEmpty());
}

TEST(Order, ABatchKeepsTheLimitsOfConcurrentMovesInTotalAndPerGroup) {
  Problem problem = plain_problem(10, 10, {{1, 1, 1, 1}, {}});
  problem.groups.push_back({});
  problem.groups[0].at_once = 1;
  problem.processes[0].group = problem.processes[1].group = 0;
  std::vector<Move> moves;
  for (Process p = 0; p < 4; ++p) moves.push_back({p, 0, 1, 0, {}});
  OrderLimits limits;
  limits.at_once = 2;
  const Ordered ordered = order_moves(problem, moves, limits);
  std::vector<Process> first;
  std::vector<Process> second;
  for (const Step& step : ordered.steps) (step.batch == 0 ? first : second).push_back(step.process);
  EXPECT_THAT(first, ElementsAre(0, 2));
  EXPECT_THAT(second, ElementsAre(1, 3));
}

TEST(Order, AMoveOfAGroupThatMayNotMoveIsLeftOut) {
  Problem problem = plain_problem(10, 10, {{1}, {}});
  problem.groups.push_back({});
  problem.groups[0].at_once = 0;
  problem.processes[0].group = 0;
  const Ordered ordered = order_moves(problem, {{0, 0, 1, 0, {}}}, {});
  ASSERT_THAT(ordered.left_out, SizeIs(1));
  EXPECT_EQ(ordered.left_out[0].why, "None of its group may be on its way.");
}

}  // namespace
}  // namespace rescheduler::planner
