#include "planner/penalty_weights.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/rng.h"
#include "planner/testing.h"

namespace rescheduler::planner {
namespace {

using testing::plain_problem;
using testing::random_problem;
using testing::random_shape;

// Missing locations and dependencies, counted from scratch.
std::int64_t lacking(const Problem& problem, const std::vector<Machine>& where) {
  std::vector<std::set<std::uint32_t>> locations(problem.groups.size());
  std::vector<std::set<std::uint32_t>> neighbourhoods(problem.groups.size());
  for (Process p = 0; p < where.size(); ++p) {
    const Group group = problem.processes[p].group;
    if (group == kNoGroup) continue;
    locations[group].insert(problem.machines[where[p]].location);
    neighbourhoods[group].insert(problem.machines[where[p]].neighbourhood);
  }
  std::int64_t sum = 0;
  for (Group g = 0; g < problem.groups.size(); ++g) {
    const std::int64_t needed = problem.groups[g].least_locations;
    if (needed > 1 && !locations[g].empty())
      sum += std::max<std::int64_t>(0, needed - static_cast<std::int64_t>(locations[g].size()));
    const std::set<Group> others(problem.groups[g].depends_on.begin(), problem.groups[g].depends_on.end());
    for (const Group other : others) {
      for (const std::uint32_t n : neighbourhoods[g]) sum += other != g && !neighbourhoods[other].contains(n) ? 1 : 0;
    }
  }
  return sum;
}

bool overfull(const State& state) {
  const Problem& problem = state.problem();
  for (Machine m = 0; m < problem.machines.size(); ++m) {
    for (std::size_t r = 0; r < problem.resource_count(); ++r) {
      if (state.room(m)[r] < 0) return true;
    }
  }
  return false;
}

RC_GTEST_PROP(PenaltyWeights, ThePredictedPenaltyOfAMoveIsThePenaltyPaid, (std::uint64_t seed)) {
  const Problem problem = random_problem(seed, random_shape(seed));
  RC_PRE(!problem.processes.empty());
  State state(problem);
  PenaltyWeights penalties(state);
  RC_ASSERT(penalties.sound());
  penalties.begin(1000.0);
  Rng rng(seed);
  for (int i = 0; i < 200; ++i) {
    const auto p = static_cast<Process>(rng.below(problem.processes.size()));
    const auto to = static_cast<Machine>(rng.below(problem.machines.size()));
    if (!state.movable(p) || !state.may_shift(p, to, penalties.ignoring())) continue;
    const Machine from = state.where(p);
    const double expected = penalties.paid() + penalties.shift(p, to);
    state.shift(p, to);
    penalties.changed(from);
    penalties.changed(to);
    RC_ASSERT(std::abs(penalties.paid() - expected) <= 1e-6 * (1.0 + expected));
    RC_ASSERT(state.groups().lacking() == lacking(problem, state.where()));
    if (i % 16 != 0) continue;
    penalties.review(1000.0, 0.01, 0.001, false);
    RC_ASSERT(penalties.sound() == (!overfull(state) && state.groups().lacking() == 0));
  }
}

RC_GTEST_PROP(PenaltyWeights, ThePredictedPenaltyOfASwapOrChainIsThePenaltyPaid, (std::uint64_t seed)) {
  testing::Shape shape = random_shape(seed);
  shape.groups = false;  // the delta is not exact if two processes that depend on each other move at once
  const Problem problem = random_problem(seed, shape);
  RC_PRE(!problem.processes.empty());
  State state(problem);
  PenaltyWeights penalties(state);
  penalties.begin(1000.0);
  Rng rng(seed);
  for (int i = 0; i < 200; ++i) {
    const auto one = static_cast<Process>(rng.below(problem.processes.size()));
    const auto other = static_cast<Process>(rng.below(problem.processes.size()));
    const auto last = static_cast<Machine>(rng.below(problem.machines.size()));
    const Machine here = state.where(one);
    const Machine middle = state.where(other);
    if (!state.movable(one) || !state.movable(other) || here == middle || last == middle) continue;
    const double more = last == here ? penalties.swap(one, other) : penalties.chain(one, other, last);
    const double expected = penalties.paid() + more;
    if (!state.try_chain(one, other, last, penalties.ignoring())) continue;
    for (const Machine m : {here, middle, last}) penalties.changed(m);
    RC_ASSERT(std::abs(penalties.paid() - expected) <= 1e-6 * (1.0 + expected));
  }
}

TEST(PenaltyWeights, APriceRisesWhileMoreIsBrokenThanToleratedAndFallsOtherwise) {
  const Problem problem = plain_problem(10, 10, {{6}, {6}, {6}});
  State state(problem);
  PenaltyWeights penalties(state);
  penalties.begin(100.0);
  EXPECT_EQ(penalties.paid(), 0.0);
  state.shift(0, 1);  // 12 used of 10
  penalties.changed(0);
  penalties.changed(1);
  const double first = penalties.paid();
  EXPECT_DOUBLE_EQ(first, 100.0 * 2 / 6);  // the overflow of one average process costs the temperature
  penalties.review(100.0, 0.0, 0.001, false);
  EXPECT_FALSE(penalties.sound());
  for (int i = 0; i < 100; ++i) penalties.review(100.0, 0.0, 0.001, false);
  const double raised = penalties.paid();
  EXPECT_GT(raised, first * 1.05);
  for (int i = 0; i < 100; ++i) penalties.review(100.0, 0.9, 0.001, true);
  EXPECT_GT(penalties.paid(), raised);
  for (int i = 0; i < 10'000; ++i) penalties.review(100.0, 0.9, 0.001, false);
  EXPECT_NEAR(penalties.paid(), 0.3 * first, 1e-6);  // the lowest price
  state.shift(0, 0);
  penalties.changed(0);
  penalties.changed(1);
  penalties.review(100.0, 0.0, 0.001, false);
  EXPECT_TRUE(penalties.sound());
  EXPECT_EQ(penalties.paid(), 0.0);
}

TEST(PenaltyWeights, APriceChangesNoFasterThanAllowedAndStaysFinite) {
  const Problem problem = plain_problem(10, 10, {{6}, {6}, {6}});
  State state(problem);
  PenaltyWeights penalties(state);
  penalties.begin(100.0);
  state.shift(0, 1);
  penalties.changed(0);
  penalties.changed(1);
  const double first = penalties.paid();
  for (int i = 0; i < 10; ++i) penalties.review(100.0, 0.0, 0.1, true);
  EXPECT_NEAR(penalties.paid() / first, std::exp(1.0), 1e-9);
  for (int i = 0; i < 1'000; ++i) penalties.review(100.0, 0.0, 100.0, true);
  EXPECT_TRUE(std::isfinite(penalties.paid()));
  EXPECT_EQ(penalties.shift(2, 0), 0.0);  // a step that breaks no rule has no penalty, whatever the price
}

}  // namespace
}  // namespace rescheduler::planner
