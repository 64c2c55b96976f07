// Simulated annealing over moves and swaps: steps for the worse are taken too, the more rarely the worse they are and
// the colder it is. For when there is time and no referee.
//
// Away has a price. A process that has left its machine goes on taking its transient resources there, so a hot search
// that lets everybody wander soon has no room for anybody. Being away therefore costs extra, in proportion to what
// stays taken and to the temperature: at each temperature those few are away whose being away is worth the most, and at
// the end the extra price is nothing. How much is right depends on how tight those resources are; short pilot searches
// find out.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "planner/budget.h"
#include "planner/state.h"

namespace rescheduler::planner {

class Anneal {
 public:
  Anneal(State& state, Budget& budget, std::uint64_t seed);

  // Ends at the best it has seen.
  void run();

 private:
  // From hot to cold between now and `until` (of the budget); what it ends at.
  Cost pass(double until);
  void weigh_away(double price);
  double typical_loss();

  void shift_one();
  void swap_two();
  Process any_process() { return movable_[rng_.below(movable_.size())]; }
  bool bears(Cost worse, double away);
  double away_delta(Process process, Machine from, Machine to) const;

  void remember_best();
  void return_to_best();

  State& state_;
  Budget& budget_;
  Rng rng_;
  std::vector<Process> movable_;
  std::vector<Machine> open_;    // machines that take processes
  std::vector<float> surprise_;  // -log(u) for u evenly over (0, 1)
  std::vector<double> held_;  // by process: what stays taken when it leaves, 1 on average; nothing is transient: empty
  std::vector<double> away_;  // held_ times the price, in units of the temperature
  double hot_ = 1.0;
  double temperature_ = 1.0;
  std::uint64_t homewards_ = 0;  // of 32
  std::vector<Machine> best_;
  Cost best_cost_;
};

}  // namespace rescheduler::planner
