#include "planner/anneal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace rescheduler::planner {

namespace {

constexpr std::size_t kSurprises = 1 << 12;
constexpr int kBlock = 512;  // steps between two looks at the clock and at the best

// The first temperature in units of a typical loss: hot enough that the start is forgotten. The last one: a step that
// costs more than a few dozen is never taken.
constexpr double kHot = 2.0;
constexpr double kCold = 10.0;
// Prices of being away that pilots try, for a process of average size. Which is right depends on how tight the
// transient resources are; both kinds occur.
constexpr std::array kAwayPrices{5.0, 60.0};
// Of the whole budget, for each pilot.
constexpr double kPilot = 0.07;

// Swaps are weighed three times as often as moves: in a full fleet hardly any move fits.
constexpr std::uint64_t kSwapsIn4 = 3;
// Of the steps of a process that is away, so many in 32 lead home, where chance alone would hardly ever lead it: few as
// long as it is hot, many at the end, when the point is to get those home who left for nothing.
constexpr double kHomewardsHot = 1.0;
constexpr double kHomewardsCold = 9.0;

}  // namespace

Anneal::Anneal(State& state, Budget& budget, std::uint64_t seed)
    : state_(state),
      budget_(budget),
      rng_(seed),
      away_(state.where().size()),
      best_(state.where()),
      best_cost_(state.cost()) {
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

void Anneal::weigh_away(double price) {
  for (Process p = 0; p < held_.size(); ++p) away_[p] = held_[p] * price;
}

// What a move that fits but is not wanted costs, in the middle of them.
double Anneal::typical_loss() {
  constexpr std::size_t kTried = 20'000;
  std::vector<Cost> losses;
  for (std::size_t i = 0; i < kTried; ++i) {
    const Process p = any_process();
    const Machine to = open_[rng_.below(open_.size())];
    if (!state_.may_shift(p, to)) continue;
    const Cost loss = state_.shift_delta(p, to);
    if (loss > 0) losses.push_back(loss);
  }
  budget_.count(kTried);
  if (losses.empty()) return 1.0;
  const auto middle = losses.begin() + static_cast<std::ptrdiff_t>(losses.size() / 2);
  std::nth_element(losses.begin(), middle, losses.end());
  return static_cast<double>(*middle);
}

void Anneal::run() {
  if (movable_.empty() || open_.size() < 2 || budget_.spent()) return;
  hot_ = std::max(typical_loss() * kHot, 2.0 * kCold);
  double price = 0.0;
  if (!held_.empty()) {
    Cost end = 0;
    for (const double tried : kAwayPrices) {
      weigh_away(tried);
      const Cost reached = pass(budget_.used() + kPilot);
      if (price == 0.0 || reached < end) {
        price = tried;
        end = reached;
      }
    }
  }
  weigh_away(price);
  pass(1.0);
  return_to_best();
}

Cost Anneal::pass(double until) {
  const double began = budget_.used();
  for (double now = began; now < until && !budget_.spent(); now = budget_.used()) {
    const double done = (now - began) / (until - began);
    temperature_ = hot_ * std::pow(kCold / hot_, done);
    homewards_ = static_cast<std::uint64_t>(kHomewardsHot + done * (kHomewardsCold - kHomewardsHot));
    for (int i = 0; i < kBlock; ++i) {
      if (rng_.next() % 4 < kSwapsIn4) {
        swap_two();
      } else {
        shift_one();
      }
    }
    budget_.count(kBlock);
    remember_best();
  }
  return state_.cost();
}

bool Anneal::bears(Cost worse, double away) {
  const double most = temperature_ * (static_cast<double>(surprise_[rng_.next() % kSurprises]) - away);
  return static_cast<double>(worse) <= most;
}

double Anneal::away_delta(Process process, Machine from, Machine to) const {
  const Machine home = state_.home(process);
  if (from == home) return to == home ? 0.0 : away_[process];
  return to == home ? -away_[process] : 0.0;
}

void Anneal::shift_one() {
  const Process p = any_process();
  const Machine from = state_.where(p);
  const bool homewards = from != state_.home(p) && rng_.next() % 32 < homewards_;
  const Machine to = homewards ? state_.home(p) : open_[rng_.below(open_.size())];
  if (to == from || !state_.fits(p, to)) return;
  if (bears(state_.shift_delta(p, to), away_delta(p, from, to)) && state_.may_shift(p, to)) state_.shift(p, to);
}

void Anneal::swap_two() {
  const Process one = any_process();
  const Machine here = state_.where(one);
  Process other = any_process();
  if (here != state_.home(one) && rng_.next() % 32 < homewards_) {
    const std::vector<Process>& there = state_.on(state_.home(one));
    if (there.empty()) return;
    other = there[rng_.below(there.size())];
    if (!state_.movable(other)) return;
  }
  const Machine there = state_.where(other);
  if (here == there || !state_.open(one, there) || !state_.open(other, here) || !state_.swap_fits(one, other)) return;
  const double away = away_delta(one, here, there) + away_delta(other, there, here);
  if (bears(state_.swap_delta(one, other), away)) state_.try_swap(one, other);
}

void Anneal::remember_best() {
  if (state_.cost() >= best_cost_) return;
  best_cost_ = state_.cost();
  best_ = state_.where();
}

void Anneal::return_to_best() {
  std::vector<Process> elsewhere;
  for (Process p = 0; p < best_.size(); ++p) {
    if (state_.where(p) != best_[p]) elsewhere.push_back(p);
  }
  for (const Process p : elsewhere) state_.lift(p);
  for (const Process p : elsewhere) state_.put(p, best_[p]);
}

}  // namespace rescheduler::planner
