#include "planner/anneal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>

namespace rescheduler::planner {

namespace {

// Steps between two looks at the clock and at the best: so many that to remember where everybody is, which takes the
// longer the more there are, costs little beside them.
constexpr std::size_t kLeastBlock = 512;
constexpr std::size_t kProcessesOfAStep = 8;

// The last temperature: a step that costs more than a few dozen is never taken. The cold walk begins at this part of a
// typical loss, where all other walks end: below it only those are rearranged whose moves are nearly free.
constexpr double kCold = 10.0;
constexpr double kCool = 0.002;
// Prices of being away. Which is right depends on how tight the transient resources are; both kinds occur, and searches
// side by side, whose seeds follow each other, try both.
constexpr std::array kAwayPrices{5.0, 20.0};

// Of the whole budget: the hot walk, which is the better the longer it is, each lukewarm one, and the cold one.
constexpr double kHotPart = 0.75;
constexpr double kLukewarmPart = 0.05;
constexpr double kColdPart = 0.15;

// Where lukewarm walks begin, in units of a typical loss; from walk to walk anywhere in between.
constexpr double kLukewarmLeast = 0.02;
constexpr double kLukewarmMost = 0.3;

}  // namespace

Anneal::Anneal(State& state, Budget& budget, std::uint64_t seed)
    : state_(state),
      budget_(budget),
      walk_(state, seed),
      away_price_(kAwayPrices[seed % kAwayPrices.size()]),
      best_(state.where()),
      best_cost_(state.cost()) {}

// What leaving brings for the hundredth part of the processes that weigh most where they are: at this temperature they
// too go anywhere. Much less, and they stay wherever chance left them, which is what tells a good end from a bad one;
// much more only takes time.
double Anneal::large_loss() const {
  std::vector<Cost> losses;
  for (Process p = 0; p < state_.where().size(); ++p) {
    if (state_.movable(p)) losses.push_back(std::abs(state_.leaving(p)));
  }
  const auto large = losses.begin() + static_cast<std::ptrdiff_t>(losses.size() - 1 - (losses.size() - 1) / 100);
  std::nth_element(losses.begin(), large, losses.end());
  return static_cast<double>(*large);
}

// What a move that fits but is not wanted costs, in the middle of them.
double Anneal::typical_loss() {
  constexpr std::size_t kTried = 20'000;
  std::vector<Cost> losses;
  Rng& rng = walk_.rng();
  for (std::size_t i = 0; i < kTried; ++i) {
    const auto p = static_cast<Process>(rng.below(state_.where().size()));
    const auto to = static_cast<Machine>(rng.below(state_.problem().machines.size()));
    if (!state_.movable(p) || !state_.may_shift(p, to)) continue;
    const Cost loss = state_.shift_delta(p, to);
    if (loss > 0) losses.push_back(loss);
  }
  budget_.count(kTried);
  if (losses.empty()) return 1.0;
  const auto middle = losses.begin() + static_cast<std::ptrdiff_t>(losses.size() / 2);
  std::nth_element(losses.begin(), middle, losses.end());
  return static_cast<double>(*middle);
}

void Anneal::run(bool fresh) {
  if (!walk_.possible() || budget_.spent()) return;
  const double typical = typical_loss();
  const double cool_end = typical * kCool;
  walk_.price_away(away_price_);
  if (fresh) cool(large_loss(), cool_end, kHotPart);
  while (budget_.used() < 1.0 - kColdPart && !budget_.spent()) {
    return_to_best();
    const double warm = kLukewarmLeast * std::pow(kLukewarmMost / kLukewarmLeast, walk_.rng().unit());
    cool(typical * warm, cool_end, std::min(budget_.used() + kLukewarmPart, 1.0 - kColdPart));
  }
  return_to_best();
  walk_.price_away(0.0);
  cool(cool_end, kCold, 1.0);
  return_to_best();
}

void Anneal::cool(double hot, double cold, double until) {
  cold = std::max(cold, kCold);
  hot = std::max(hot, 2.0 * cold);
  const std::size_t block = std::max(kLeastBlock, best_.size() / kProcessesOfAStep);
  const double began = budget_.used();
  for (double now = began; now < until && !budget_.spent(); now = budget_.used()) {
    const double done = (now - began) / (until - began);
    walk_.set_temperature(hot * std::pow(cold / hot, done), done);
    walk_.steps(block);
    budget_.count(block);
    remember_best();
  }
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
