// What it costs to break a rule while a walk may: machines that are too full, groups that lack a location or a group
// they depend on. A fleet that is nearly full has hardly a step that keeps every rule, and the way from one good
// arrangement to another leads through some that keep none; so rules have prices, and as it becomes colder the prices
// see to it that less and less is broken, in the end nothing.
//
// Prices follow what happens: up while more is broken than is tolerated, down while less is. A process of a group that
// is `apart` never shares a machine with another one of it, whatever the price.
#pragma once

#include <cstddef>
#include <vector>

#include "planner/state.h"

namespace rescheduler::planner {

class PenaltyWeights {
 public:
  explicit PenaltyWeights(const State& state);

  // Which rules a walk leaves to the prices.
  Ignoring ignoring() const { return groups_too_ ? Ignoring::kRoomAndGroups : Ignoring::kRoom; }
  // Is nothing broken? As of the last review.
  bool sound() const { return sound_; }

  // Prices to begin with.
  void begin(double temperature);
  // Looks at what is broken. `tolerated`: as part of all demand, and of all processes for groups. `most_change`: by how
  // much a price may change, as a power of e. `raise_only`: nothing becomes cheaper any more.
  void review(double temperature, double tolerated, double most_change, bool raise_only);

  // For all that is broken now.
  double paid() const;
  // What a step changes in what is paid. Exact but for two processes who move at once and depend on each other.
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
  // It was done: the machine has changed.
  void changed(Machine machine) { paid_[machine] = pay(machine); }

 private:
  template <class Left>
  double price_of(const Left& left) const;
  void publish();  // prices have changed
  double pay(Machine machine) const;
  double less(Machine machine, Process out) const;
  double more(Machine machine, Process in) const;
  double instead(Process in, Process out) const;  // where `out` is
  double of_groups(Process process, Machine to) const {
    if (!groups_too_) return 0.0;
    return groups_.price
           * static_cast<double>(state_.groups().lacking_delta(state_.group(process), state_.where(process), to));
  }

  const State& state_;
  std::size_t resources_;
  bool groups_too_;
  bool sound_ = true;
  // Of a rule: what breaking it costs by the unit, and how much of it has been broken of late.
  struct PenaltyWeight {
    double price = 0.0;
    double lately = 0.0;
    void follow(double broken, double tolerated, double least, double most_change, bool raise_only);
  };
  std::vector<PenaltyWeight> room_;  // by resource
  PenaltyWeight groups_;             // a unit: one location or group that lacks
  std::vector<double> total_;        // demand, by resource
  std::vector<double> average_;      // of a process
  std::vector<double> price_;        // of room, by resource: the tariffs' prices side by side
  std::vector<double> paid_;         // by machine
};

}  // namespace rescheduler::planner
