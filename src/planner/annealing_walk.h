// Random steps at a temperature: moves, swaps and chains. A loss is accepted with lower probability the larger it is
// and the lower the temperature is.
//
// While every rule is kept, being away from home has a price. A process that has left its home machine still holds its
// transient resources there. A hot walk without a price would soon leave no room for any process. The price is
// proportional to the held resources and to the temperature: at each temperature only the processes that gain most are
// away. At the end the price is zero. With PenaltyWeights the penalties replace this price.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "planner/penalty_weights.h"
#include "planner/state.h"

namespace rescheduler::planner {

class AnnealingWalk {
 public:
  AnnealingWalk(State& state, std::uint64_t seed);

  bool possible() const { return !movable_.empty() && open_.size() > 1; }
  Rng& rng() { return rng_; }

  // The price of being away for a process of average size, in units of the temperature.
  void price_away(double price);
  // `cooled`: the completed part of the cooling, 0 to 1.
  void set_temperature(double temperature, double cooled);
  // By default every rule is kept. With PenaltyWeights, rules that have a price may be broken.
  void use_hard_constraints() { penalties_ = nullptr; }
  void use_penalties(PenaltyWeights& penalties) { penalties_ = &penalties; }
  void steps(std::size_t count);
  std::size_t taken() const { return taken_; }  // accepted steps so far

 private:
  void shift_one();
  void swap_two();
  void chain_two();
  // Faster than Rng::below; its bias, one in millions, does not matter here.
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>((rng_.next() >> 32) * bound >> 32); }
  Process any_process() { return movable_[below(movable_.size())]; }
  Machine any_machine() { return open_[below(open_.size())]; }
  bool heads_home(Process process) { return state_.where(process) != state_.home(process) && below(32) < homewards_; }
  // The largest loss that this step may cause.
  double any_bearable() { return temperature_ * static_cast<double>(surprise_[rng_.next() % kSurprises]); }
  // A step saves at most the cost of its machines; the price of moves is small in comparison. If a step's extra price
  // exceeds that, the step need not be evaluated further.
  double most_gain(Machine one, Machine other) const {
    return static_cast<double>(state_.cost_of(one) + state_.cost_of(other));
  }
  Ignoring ignoring() const { return penalties_ != nullptr ? penalties_->ignoring() : Ignoring::Nothing; }
  void done(Machine one, Machine other);
  double away_delta(Process process, Machine from, Machine to) const;

  static constexpr std::size_t kSurprises = 1 << 12;

  State& state_;
  PenaltyWeights* penalties_ = nullptr;
  std::size_t taken_ = 0;
  Rng rng_;
  std::vector<Process> movable_;
  std::vector<Machine> open_;    // machines that accept processes
  std::vector<float> surprise_;  // -log(u) for u uniform in (0, 1)
  std::vector<double>
      held_;  // by process: resources held at home when it leaves, 1 on average; empty: no transient resources
  std::vector<double> away_;  // held_ times the price, in units of the temperature
  double temperature_ = 1.0;
  std::uint64_t homewards_ = 0;  // of 32
};

}  // namespace rescheduler::planner
