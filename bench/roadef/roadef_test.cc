// The planner on realistic instances, as a check of its correctness: a second or two each, if the data is present.
#include <algorithm>
#include <string_view>

#include <gtest/gtest.h>

#include "instance.h"
#include "planner/improve.h"
#include "support/skip.h"

namespace rescheduler::roadef {
namespace {

using planner::Cost;

class RoadefInstance : public ::testing::TestWithParam<const char*> {};

TEST_P(RoadefInstance, IsImprovedWithoutViolatingAConstraint) {
  const std::string directory = default_directory();
  const auto known = read_known();
  ASSERT_TRUE(known.has_value()) << known.error().message;
  const auto files = find_instance(directory, GetParam());
  if (!files) RESCHEDULER_SKIP("data") << "no ROADEF data in " << directory << ": point RESCHEDULER_DATA at it";
  const auto problem = read_instance(*files);
  ASSERT_TRUE(problem.has_value()) << problem.error().message;
  const auto row = std::ranges::find_if(*known, [](const Known& one) { return one.name == GetParam(); });
  ASSERT_NE(row, known->end());

  planner::SearchLimits limits;
  // A second or two, and the same result on every machine; a1_4 is the hard one.
  limits.most_steps = GetParam() == std::string_view("a1_4") ? 10'000'000 : 2'000'000;
  limits.thorough = true;
  const planner::Solution solution = planner::improve(*problem, limits);

  EXPECT_EQ(solution.before, row->initial);
  EXPECT_EQ(solution.bound, row->bound);
  EXPECT_EQ(planner::broken_rule(*problem, solution.where), std::nullopt);
  EXPECT_EQ(planner::cost_of(*problem, solution.where), solution.after);
  // At least nine tenths of the known improvement.
  EXPECT_LE(solution.after - row->reference, (row->initial - row->reference) / 10);
  EXPECT_GE(solution.after, row->bound);
}

INSTANTIATE_TEST_SUITE_P(SetA,
                         RoadefInstance,
                         ::testing::Values("a1_1", "a1_2", "a1_3", "a1_4", "a1_5"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace rescheduler::roadef
