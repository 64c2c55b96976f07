// Annealing, for when there is time and no referee: walks (walk.h) that begin hot enough to forget where even the
// largest processes were and cool until nothing but an improvement is accepted; then shorter ones that begin lukewarm
// at the best known place, where the large ones stay and the many small ones are arranged anew; last, a cold one that
// brings those home who left for nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/budget.h"
#include "planner/state.h"
#include "planner/walk.h"

namespace rescheduler::planner {

class Anneal {
 public:
  Anneal(State& state, Budget& budget, std::uint64_t seed);

  // Ends at the best it has seen. `fresh`: the place where it begins is worth nothing; otherwise no hot walk is made.
  void run(bool fresh);

 private:
  // Cools from `hot` to `cold` between now and `until` (of the budget).
  void cool(double hot, double cold, double until);
  double large_loss() const;
  double typical_loss();

  void remember_best();
  void return_to_best();

  State& state_;
  Budget& budget_;
  Walk walk_;
  double away_price_;
  std::vector<Machine> best_;
  Cost best_cost_;
};

}  // namespace rescheduler::planner
