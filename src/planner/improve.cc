#include "planner/improve.h"

#include <algorithm>

#include "planner/anneal.h"
#include "planner/board.h"
#include "planner/bound.h"
#include "planner/budget.h"
#include "planner/descent.h"

namespace rescheduler::planner {

namespace {

void begin_at(State& state, const std::vector<Machine>& start) {
  for (Process p = 0; p < start.size(); ++p) {
    if (start[p] != state.where(p)) state.shift(p, start[p]);
  }
}

std::vector<Move> moves_of(const Board& board) {
  const State& state = board.state();
  std::vector<Move> moves;
  for (Process p = 0; p < state.where().size(); ++p) {
    const Machine home = state.home(p);
    const Machine now = state.where(p);
    if (now != home) moves.push_back({p, home, now, state.shift_delta(p, home), board.refused(p)});
  }
  std::sort(moves.begin(), moves.end(),
            [](const Move& a, const Move& b) { return a.gain != b.gain ? a.gain > b.gain : a.process < b.process; });
  return moves;
}

}  // namespace

Solution improve(const Problem& problem, const SearchLimits& limits, Referee* referee) {
  State state(problem, limits.most_moves);
  Budget budget(limits);
  Board board(state, referee);
  Solution solution;
  solution.before = state.cost();
  if (referee == nullptr) begin_at(state, limits.start);
  if (limits.thorough && referee == nullptr && budget.bounded()) Anneal(state, budget, limits.seed).run(limits.start.empty());
  Descent(board, budget).run();
  solution.after = state.cost();
  solution.where = state.where();
  solution.moves = moves_of(board);
  solution.bound = lower_bound(problem);
  solution.steps = budget.steps();
  if (referee != nullptr) board.go_home();
  return solution;
}

}  // namespace rescheduler::planner
