#include "planner/annealing_walk.h"

#include <cmath>

namespace rescheduler::planner {

namespace {

// Of 16 steps. Swaps are most frequent: in a full fleet hardly any move fits. Chains (one process replaces another,
// which moves to a third machine) bring a new process to a machine whose room is used up.
constexpr std::uint64_t kSwaps = 8;
constexpr std::uint64_t kChains = 4;

// For a process that is away, this many of 32 steps lead home; random steps would hardly ever do so. Few at a high
// temperature, many at the end, to return processes whose moves gain nothing.
constexpr double kHomewardsHot = 1.0;
constexpr double kHomewardsCold = 9.0;
// In a chain, a replaced process that is away goes home in half of the cases: at home its transient resources are still
// held; on other machines these are scarce.
constexpr std::uint64_t kGuestsHomeIn2 = 1;

}  // namespace

AnnealingWalk::AnnealingWalk(State& state, std::uint64_t seed)
    : state_(state), rng_(seed), away_(state.where().size()) {
  const Problem& problem = state.problem();
  for (Process p = 0; p < state.where().size(); ++p) {
    if (state.movable(p)) movable_.push_back(p);
  }
  for (Machine m = 0; m < problem.machines.size(); ++m) {
    if (state.takes(m)) open_.push_back(m);
  }
  for (std::size_t i = 0; i < kSurprises; ++i) {
    surprise_.push_back(static_cast<float>(-std::log((static_cast<double>(i) + 0.5) / kSurprises)));
  }
  const std::size_t count = problem.resource_count();
  std::vector<double> fleet(count);
  for (std::size_t i = 0; i < problem.capacity.size(); ++i)
    fleet[i % count] += static_cast<double>(problem.capacity[i]);
  double sum = 0.0;
  held_.resize(problem.processes.size());
  for (Process p = 0; p < held_.size(); ++p) {
    for (std::size_t r = 0; r < count; ++r) {
      if (problem.resources[r].transient && fleet[r] > 0.0)
        held_[p] += static_cast<double>(state.demand(p)[r]) / fleet[r];
    }
    sum += held_[p];
  }
  for (double& held : held_) held *= sum > 0.0 ? static_cast<double>(held_.size()) / sum : 0.0;
  if (sum <= 0.0) held_.clear();
}

void AnnealingWalk::price_away(double price) {
  for (Process p = 0; p < held_.size(); ++p) away_[p] = held_[p] * price;
}

void AnnealingWalk::set_temperature(double temperature, double cooled) {
  temperature_ = temperature;
  homewards_ = static_cast<std::uint64_t>(kHomewardsHot + cooled * (kHomewardsCold - kHomewardsHot));
}

void AnnealingWalk::steps(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t kind = rng_.next() % 16;
    if (kind < kSwaps) {
      swap_two();
    } else if (kind < kSwaps + kChains) {
      chain_two();
    } else {
      shift_one();
    }
  }
}

double AnnealingWalk::away_delta(Process process, Machine from, Machine to) const {
  const Machine home = state_.home(process);
  if (from == home) return to == home ? 0.0 : away_[process];
  return to == home ? -away_[process] : 0.0;
}

void AnnealingWalk::done(Machine one, Machine other) {
  if (penalties_ == nullptr) return;
  penalties_->changed(one);
  penalties_->changed(other);
}

void AnnealingWalk::shift_one() {
  const Process p = any_process();
  const Machine from = state_.where(p);
  const Machine to = heads_home(p) ? state_.home(p) : any_machine();
  if (to == from || (penalties_ == nullptr && !state_.fits(p, to))) return;
  const double bearable = any_bearable();
  const double extra = penalties_ != nullptr ? penalties_->shift(p, to) : temperature_ * away_delta(p, from, to);
  if (extra > bearable + most_gain(from, to)) return;
  if (static_cast<double>(state_.shift_delta(p, to)) + extra > bearable || !state_.may_shift(p, to, ignoring())) return;
  state_.shift(p, to);
  ++taken_;
  done(from, to);
}

void AnnealingWalk::swap_two() {
  const Process one = any_process();
  const Machine here = state_.where(one);
  Process other = any_process();
  if (heads_home(one)) {
    const std::vector<Process>& there = state_.on(state_.home(one));
    if (there.empty()) return;
    other = there[below(there.size())];
    if (!state_.movable(other)) return;
  }
  const Machine there = state_.where(other);
  if (here == there || !state_.open(one, there) || !state_.open(other, here)) return;
  if (penalties_ == nullptr && !state_.swap_fits(one, other)) return;
  const double bearable = any_bearable();
  const double extra = penalties_ != nullptr
                           ? penalties_->swap(one, other)
                           : temperature_ * (away_delta(one, here, there) + away_delta(other, there, here));
  if (extra > bearable + most_gain(here, there)) return;
  if (static_cast<double>(state_.swap_delta(one, other)) + extra > bearable) return;
  if (!state_.try_swap(one, other, ignoring())) return;
  ++taken_;
  done(here, there);
}

void AnnealingWalk::chain_two() {
  const Process one = any_process();
  const Process other = any_process();
  const Machine here = state_.where(one);
  const Machine middle = state_.where(other);
  if (here == middle || !state_.open(one, middle) || (penalties_ == nullptr && !state_.fits_instead(one, other)))
    return;
  const bool goes_home = middle != state_.home(other) && rng_.next() % 2 < kGuestsHomeIn2;
  const Machine last = goes_home ? state_.home(other) : any_machine();
  if (last == middle || last == here || !state_.open(other, last)) return;
  if (penalties_ == nullptr && !state_.fits(other, last)) return;
  const double bearable = any_bearable();
  const double extra = penalties_ != nullptr
                           ? penalties_->chain(one, other, last)
                           : temperature_ * (away_delta(one, here, middle) + away_delta(other, middle, last));
  if (extra > bearable + most_gain(here, middle) + static_cast<double>(state_.cost_of(last))) return;
  if (static_cast<double>(state_.chain_delta(one, other, last)) + extra > bearable) return;
  if (!state_.try_chain(one, other, last, ignoring())) return;
  ++taken_;
  done(here, middle);
  done(middle, last);
}

}  // namespace rescheduler::planner
