#include "planner/penalty_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rescheduler::planner {

namespace {

// Number of reviews over which broken units are averaged: the change between two reviews is mostly random.
constexpr double kMemory = 64.0;
// The lowest price for the overflow of one process of average size, in units of the temperature.
constexpr double kLeastPrice = 0.3;
// The highest price, in units of the lowest: far above the loss that any step accepts, far below the range of a double.
constexpr double kMostPrice = 1e12;
// Groups that depend on each other must be able to change neighbourhoods one process at a time. Groups of one process
// cannot, and get stuck halfway. So group rules have a price only if groups have about this size.
constexpr std::size_t kLargeGroups = 4;

}  // namespace

PenaltyWeights::PenaltyWeights(const State& state)
    : state_(state),
      resources_(state.problem().resource_count()),
      groups_too_(state.problem().processes.size() >= kLargeGroups * state.problem().groups.size()),
      room_(resources_),
      total_(resources_),
      average_(resources_),
      price_(resources_),
      paid_(state.problem().machines.size()) {
  const Problem& problem = state.problem();
  for (std::size_t i = 0; i < problem.demand.size(); ++i)
    total_[i % resources_] += static_cast<double>(problem.demand[i]);
  for (std::size_t r = 0; r < resources_; ++r) {
    average_[r] = std::max(1.0, total_[r] / static_cast<double>(std::max<std::size_t>(1, problem.processes.size())));
  }
  begin(1.0);
  review(1.0, 0.0, 0.0, false);
}

void PenaltyWeights::begin(double temperature) {
  for (std::size_t r = 0; r < resources_; ++r) room_[r] = {temperature / average_[r], 0.0};
  groups_ = {temperature, 0.0};
  publish();
}

void PenaltyWeights::PenaltyWeight::follow(double broken,
                                           double tolerated,
                                           double least,
                                           double most_change,
                                           bool raise_only) {
  lately += (broken - lately) / kMemory;
  if (raise_only && broken <= 0.0) return;
  constexpr double kNothing = 1e-9;
  const double off = std::clamp(std::log((lately + kNothing) / (tolerated + kNothing)), -1.0, 1.0);
  price = std::clamp(price * std::exp(raise_only ? most_change : most_change * off), least, kMostPrice * least);
}

void PenaltyWeights::review(double temperature, double tolerated, double most_change, bool raise_only) {
  std::vector<double> overflow(resources_);
  for (Machine m = 0; m < paid_.size(); ++m) {
    const Amount* const free = state_.room(m);
    for (std::size_t r = 0; r < resources_; ++r) {
      if (free[r] < 0) overflow[r] -= static_cast<double>(free[r]);
    }
  }
  const auto lacking = static_cast<double>(state_.groups().lacking());
  sound_ = lacking <= 0.0;
  for (std::size_t r = 0; r < resources_; ++r) {
    sound_ = sound_ && overflow[r] <= 0.0;
    room_[r].follow(overflow[r], tolerated * total_[r], kLeastPrice * temperature / average_[r], most_change,
                    raise_only);
  }
  const auto processes = static_cast<double>(state_.where().size());
  groups_.follow(lacking, tolerated * processes, kLeastPrice * temperature, most_change, raise_only);
  publish();
}

void PenaltyWeights::publish() {
  for (std::size_t r = 0; r < resources_; ++r) price_[r] = room_[r].price;
  for (Machine m = 0; m < paid_.size(); ++m) changed(m);
}

double PenaltyWeights::paid() const {
  const double groups = groups_too_ ? groups_.price * static_cast<double>(state_.groups().lacking()) : 0.0;
  return std::accumulate(paid_.begin(), paid_.end(), groups);
}

// `left`: the remaining room by resource. A walk spends most of its time here: no unpredictable branch, and two
// independent sums.
template <class Left>
double PenaltyWeights::price_of(const Left& left) const {
  const auto one = [&](std::size_t r) { return price_[r] * static_cast<double>(std::max<Amount>(0, -left(r))); };
  double even = 0.0;
  double odd = 0.0;
  std::size_t r = 0;
  for (; r + 1 < resources_; r += 2) {
    even += one(r);
    odd += one(r + 1);
  }
  return r < resources_ ? even + odd + one(r) : even + odd;
}

double PenaltyWeights::pay(Machine machine) const {
  const Amount* const free = state_.room(machine);
  return price_of([&](std::size_t r) { return free[r]; });
}

double PenaltyWeights::less(Machine machine, Process out) const {
  if (paid_[machine] <= 0.0) return 0.0;
  const Amount* const free = state_.room(machine);
  const Amount* const leaves = state_.room_taken(out, machine);
  return price_of([&](std::size_t r) { return free[r] + leaves[r]; }) - paid_[machine];
}

double PenaltyWeights::more(Machine machine, Process in) const {
  const Amount* const free = state_.room(machine);
  const Amount* const comes = state_.room_taken(in, machine);
  return price_of([&](std::size_t r) { return free[r] - comes[r]; }) - paid_[machine];
}

double PenaltyWeights::instead(Process in, Process out) const {
  const Machine machine = state_.where(out);
  const Amount* const free = state_.room(machine);
  const Amount* const comes = state_.room_taken(in, machine);
  const Amount* const leaves = state_.room_taken(out, machine);
  return price_of([&](std::size_t r) { return free[r] - comes[r] + leaves[r]; }) - paid_[machine];
}

}  // namespace rescheduler::planner
