// Random steps at a temperature: moves, swaps and chains, losses accepted the more rarely the larger they are and the
// colder it is.
//
// Away has a price. A process that has left its machine goes on taking its transient resources there, so a hot walk
// that lets everybody wander soon has no room for anybody. Being away therefore costs extra, in proportion to what
// stays taken and to the temperature: at each temperature those few are away whose being away is worth the most, and at
// the end the extra price is nothing.
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

  // Of being away, for a process of average size, in units of the temperature.
  void price_away(double price);
  // `cooled`: how much of the way to the cold end is behind us, 0 to 1.
  void set_temperature(double temperature, double cooled);
  // Until told otherwise every rule is kept; with a Leniency, those that it has a price for may be broken.
  void use_hard_constraints() { penalties_ = nullptr; }
  void use_penalties(PenaltyWeights& penalties) { penalties_ = &penalties; }
  void steps(std::size_t count);
  std::size_t taken() const { return taken_; }  // steps, so far

 private:
  void shift_one();
  void swap_two();
  void chain_two();
  // Quicker than Rng::below; its unfairness, one in millions, is nothing here.
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>((rng_.next() >> 32) * bound >> 32); }
  Process any_process() { return movable_[below(movable_.size())]; }
  Machine any_machine() { return open_[below(open_.size())]; }
  bool heads_home(Process process) { return state_.where(process) != state_.home(process) && below(32) < homewards_; }
  // How much worse a step may make it, this once.
  double any_bearable() { return temperature_ * static_cast<double>(surprise_[rng_.next() % kSurprises]); }
  // A step saves no more than its machines cost, but for the price of moves, which is little beside them: what is
  // dearer than that need not be weighed any further.
  double most_gain(Machine one, Machine other) const {
    return static_cast<double>(state_.cost_of(one) + state_.cost_of(other));
  }
  Ignoring ignoring() const { return penalties_ != nullptr ? penalties_->ignoring() : Ignoring::kNothing; }
  void done(Machine one, Machine other);
  double away_delta(Process process, Machine from, Machine to) const;

  static constexpr std::size_t kSurprises = 1 << 12;

  State& state_;
  PenaltyWeights* penalties_ = nullptr;
  std::size_t taken_ = 0;
  Rng rng_;
  std::vector<Process> movable_;
  std::vector<Machine> open_;    // machines that take processes
  std::vector<float> surprise_;  // -log(u) for u evenly over (0, 1)
  std::vector<double> held_;  // by process: what stays taken when it leaves, 1 on average; nothing is transient: empty
  std::vector<double> away_;  // held_ times the price, in units of the temperature
  double temperature_ = 1.0;
  std::uint64_t homewards_ = 0;  // of 32
};

}  // namespace rescheduler::planner
