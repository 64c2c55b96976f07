// Penalties for broken rules in a walk: overfull machines, and groups that lack a location or a group that they depend
// on. In a nearly full fleet hardly any step keeps every rule, and the way from one good assignment to another leads
// through assignments that break rules. So rules have prices. As the temperature falls, the prices ensure that fewer
// rules are broken, and none at the end.
//
// A price rises while more is broken than tolerated, and falls while less is. Two processes of an `apart` group never
// share a machine, whatever the price.
#pragma once

#include <cstddef>
#include <vector>

#include "planner/state.h"

namespace rescheduler::planner {

class PenaltyWeights {
 public:
  explicit PenaltyWeights(const State& state);

  // The rules that are replaced by prices.
  Ignoring ignoring() const { return groups_too_ ? Ignoring::RoomAndGroups : Ignoring::Room; }
  // True if no rule was broken at the last review.
  bool sound() const { return sound_; }

  // Sets the initial prices.
  void begin(double temperature);
  // Updates the prices from the broken rules. `tolerated`: as a share of all demand, and of all processes for groups.
  // `most_change`: the largest change of a price, as a power of e. `raise_only`: no price falls.
  void review(double temperature, double tolerated, double most_change, bool raise_only);

  // The penalty for everything that is broken now.
  double paid() const;
  // The change of the penalty by a step. Exact, except if two processes that depend on each other move at once.
  double shift(Process process, Machine to) const {
    const Machine from = state_.where(process);
    return less(from, process) + more(to, process) + of_groups(process, to);
  }
  double swap(Process one, Process other) const {
    return instead(one, other) + instead(other, one) + of_groups(one, state_.where(other))
           + of_groups(other, state_.where(one));
  }
  double chain(Process one, Process other, Machine last) const {
    return less(state_.where(one), one) + instead(one, other) + more(last, other) + of_groups(one, state_.where(other))
           + of_groups(other, last);
  }
  // Call it after a step for each machine that has changed.
  void changed(Machine machine) { paid_[machine] = pay(machine); }

 private:
  template <class Left>
  double price_of(const Left& left) const;
  void publish();  // after prices have changed
  double pay(Machine machine) const;
  double less(Machine machine, Process out) const;
  double more(Machine machine, Process in) const;
  double instead(Process in, Process out) const;  // on the machine of `out`
  double of_groups(Process process, Machine to) const {
    if (!groups_too_) return 0.0;
    return groups_.price
           * static_cast<double>(state_.groups().lacking_delta(state_.group(process), state_.where(process), to));
  }

  const State& state_;
  std::size_t resources_;
  bool groups_too_;
  bool sound_ = true;
  // For one rule: the price per unit, and the recent average of broken units.
  struct PenaltyWeight {
    double price = 0.0;
    double lately = 0.0;
    void follow(double broken, double tolerated, double least, double most_change, bool raise_only);
  };
  std::vector<PenaltyWeight> room_;  // by resource
  PenaltyWeight groups_;             // a unit: one missing location or dependency
  std::vector<double> total_;        // demand, by resource
  std::vector<double> average_;      // demand of a process, by resource
  std::vector<double> price_;        // of room, by resource: the prices of room_ in one array
  std::vector<double> paid_;         // by machine
};

}  // namespace rescheduler::planner
