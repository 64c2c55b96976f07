// For any problem: the result is never worse, breaks no rule, has no more moves than allowed, and is deterministic.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "planner/improve.h"
#include "planner/testing.h"

namespace rescheduler::planner {
namespace {

using testing::random_problem;
using testing::random_shape;
using testing::StrictOracle;

Problem any_problem(std::uint64_t seed) { return random_problem(seed, random_shape(seed)); }

void check_solution(const Problem& problem, const SearchLimits& limits, const Solution& solution) {
  std::vector<Machine> home;
  for (const ProcessFacts& process : problem.processes) home.push_back(process.machine);
  RC_ASSERT(solution.before == cost_of(problem, home));
  RC_ASSERT(solution.after == cost_of(problem, solution.where));
  RC_ASSERT(solution.after <= solution.before);
  RC_ASSERT(solution.bound.has_value() && *solution.bound <= solution.after);
  const auto broken = broken_rule(problem, solution.where);
  RC_ASSERT(!broken);
  RC_ASSERT(solution.moves.size() <= limits.most_moves);
  std::vector<Machine> moved = home;
  for (const Move& move : solution.moves) {
    RC_ASSERT(moved[move.process] == move.from);
    moved[move.process] = move.to;
    std::vector<Machine> without = solution.where;
    without[move.process] = move.from;
    RC_ASSERT(move.gain == cost_of(problem, without) - solution.after);
  }
  RC_ASSERT(moved == solution.where);
}

RC_GTEST_PROP(Improve, TheSolutionIsNeverWorseAndBreaksNoRule, (std::uint64_t seed, bool thorough)) {
  const Problem problem = any_problem(seed);
  SearchLimits limits;
  limits.most_steps = 100'000;  // enough to find the start temperature
  limits.seed = seed;
  limits.thorough = thorough;
  if (seed % 3 == 0) limits.most_moves = seed % 7;
  const Solution solution = improve(problem, limits);
  check_solution(problem, limits, solution);
  const Solution again = improve(problem, limits);
  RC_ASSERT(again.where == solution.where);
}

RC_GTEST_PROP(Improve, FindsNoFurtherMoveOnceItsSolutionIsCarriedOut, (std::uint64_t seed)) {
  // Only the price counts as move cost, which is the same for every target; carrying out the plan frees nothing.
  testing::Shape shape = random_shape(seed);
  shape.caps = false;
  shape.transient = false;
  shape.move_costs = false;
  Problem problem = random_problem(seed, shape);
  const Solution first = improve(problem, {});
  for (Process p = 0; p < problem.processes.size(); ++p) problem.processes[p].machine = first.where[p];
  RC_ASSERT(improve(problem, {}).moves.empty());
}

RC_GTEST_PROP(Improve, ObeysTheOracleAndReportsEveryAssignmentToIt, (std::uint64_t seed)) {
  const Problem problem = any_problem(seed);
  StrictOracle oracle(problem, seed, static_cast<unsigned>(seed % 70), 4 + seed % 8);
  SearchLimits limits;
  if (seed % 3 == 0) limits.most_moves = seed % 7;
  const Solution solution = improve(problem, limits, &oracle);
  check_solution(problem, limits, solution);
  for (const Move& move : solution.moves) RC_ASSERT(!oracle.refuses(move.process, move.to));
  RC_ASSERT(oracle.at_home());
  StrictOracle another(problem, seed, static_cast<unsigned>(seed % 70), 4 + seed % 8);
  RC_ASSERT(improve(problem, limits, &another).where == solution.where);
  RC_ASSERT(another.asked() == oracle.asked());
}

}  // namespace
}  // namespace rescheduler::planner
