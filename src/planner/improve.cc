#include "planner/improve.h"

#include <algorithm>

#include "planner/anneal.h"
#include "planner/bound.h"
#include "planner/budget.h"
#include "planner/checked_state.h"
#include "planner/descent.h"

namespace rescheduler::planner {

namespace {

void begin_at(State& state, const std::vector<Machine>& start) {
  for (Process p = 0; p < start.size(); ++p) {
    if (start[p] != state.where(p)) state.shift(p, start[p]);
  }
}

std::vector<Move> moves_of(const CheckedState& checked) {
  const State& state = checked.state();
  std::vector<Move> moves;
  for (Process p = 0; p < state.where().size(); ++p) {
    const Machine home = state.home(p);
    const Machine now = state.where(p);
    if (now != home) moves.push_back({p, home, now, state.shift_delta(p, home), checked.refused(p)});
  }
  std::ranges::sort(
      moves, [](const Move& a, const Move& b) { return a.gain != b.gain ? a.gain > b.gain : a.process < b.process; });
  return moves;
}

}  // namespace

Solution improve(const Problem& problem, const SearchLimits& limits, FeasibilityOracle* oracle) {
  State state(problem, limits.most_moves);
  Budget budget(limits);
  CheckedState checked(state, oracle);
  Solution solution;
  solution.before = state.cost();
  if (oracle == nullptr) begin_at(state, limits.start);
  if (limits.thorough && oracle == nullptr && budget.bounded())
    Anneal(state, budget, limits.seed).run(limits.start.empty());
  Descent(checked, budget).run();
  solution.after = state.cost();
  solution.where = state.where();
  solution.moves = moves_of(checked);
  solution.bound = lower_bound(problem);
  solution.steps = budget.steps();
  if (oracle != nullptr) checked.go_home();
  return solution;
}

}  // namespace rescheduler::planner
