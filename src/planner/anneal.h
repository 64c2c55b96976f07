// Annealing, for when there is time and no referee. First a look around home, where a few moves may be all it takes.
// Then, unless the moves' own price is all that is left to save, a walk (annealing_walk.h) that begins hot enough to
// forget where even the largest processes were, may break rules at a price (penalty_weights.h) and cools until hardly a
// step is taken; in a small fleet, shorter ones that keep every rule and begin lukewarm at the best known place, where
// the large ones stay and the many small ones are arranged anew, and place is made for large ones (ejection_chains.h);
// last, a cold one that brings those home who left for nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/annealing_walk.h"
#include "planner/budget.h"
#include "planner/penalty_weights.h"
#include "planner/state.h"

namespace rescheduler::planner {

class Anneal {
 public:
  Anneal(State& state, Budget& budget, std::uint64_t seed);

  // Ends at the best it has seen. `fresh`: the place where it begins is worth nothing; otherwise no hot walk is made.
  void run(bool fresh);

 private:
  bool small() const;
  void look_around(double typical, double cool_end);
  bool only_moves_left() const;
  void hot_walk(double cool_end);
  void make_places();
  void lukewarm_walk(double typical, double cool_end);
  void cold_walk(double cool_end, double until);
  // Each cools from `hot` to `cold` between now and `until` (of the budget).
  void cool(double hot, double cold, double until);
  void cool_with_penalties(double hot, double cold, double until);
  // Cools quickly and says at which temperature hardly a step is taken any more, `cold` at the least; ends where it
  // began.
  double freezing_point(double hot, double cold, double until);
  void steps_at(double temperature, double cooled);
  // `whole`: of the budget, what the walk has in all, which tells how fast prices may change.
  void penalty_steps_at(double temperature, double hot, double cooled, double whole);
  double large_loss() const;
  double typical_loss();
  double move_price();

  void remember_best();
  void return_to_best();

  State& state_;
  Budget& budget_;
  AnnealingWalk walk_;
  PenaltyWeights penalties_;
  std::size_t block_;
  double large_;  // loss
  double away_price_;
  std::vector<Machine> best_;
  Cost best_cost_;
  Cost made_places_at_ = -1;  // the best's cost, when last looked at
};

}  // namespace rescheduler::planner
