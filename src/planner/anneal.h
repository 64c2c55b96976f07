// Simulated annealing, for searches with a time budget and without a FeasibilityOracle. The phases:
//   1. A search near the initial assignment, because a few moves may be enough.
//   2. A hot walk (annealing_walk.h), except in a large fleet where only the price of the moves can still be saved. It
//      starts hot enough to move even the largest processes. It may break rules at a price (penalty_weights.h), and
//      cools until hardly any step is accepted.
//   3. In a small fleet: shorter lukewarm walks that keep every rule and start from the best assignment. Large
//      processes stay, small ones are rearranged, and ejection chains (ejection_chains.h) make space for large ones.
//   4. A cold walk that returns the processes home whose moves gain nothing.
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

  // Ends at the best assignment found. `fresh`: the start is the problem's own assignment. Otherwise the start is the
  // result of another search, and phases 1 and 2 are skipped.
  void run(bool fresh);

 private:
  bool small() const;
  void look_around(double typical, double cool_end);
  bool only_moves_left() const;
  void hot_walk(double cool_end);
  void make_places();
  void lukewarm_walk(double typical, double cool_end);
  void cold_walk(double cool_end, double until);
  // Each cools from `hot` to `cold` between now and `until`, a share of the budget.
  void cool(double hot, double cold, double until);
  void cool_with_penalties(double hot, double cold, double until);
  // Cools quickly; returns the temperature, at least `cold`, at which few steps are accepted. Ends at the best.
  double freezing_point(double hot, double cold, double until);
  void steps_at(double temperature, double cooled);
  // `whole`: the share of the budget for the whole walk, which determines how fast prices may change.
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
  double large_;  // large_loss() of the start
  double away_price_;
  std::vector<Machine> best_;
  Cost best_cost_;
  Cost made_places_at_ = -1;  // the best cost when ejection chains last ran
};

}  // namespace rescheduler::planner
