#include "planner/anneal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>

#include "planner/bound.h"
#include "planner/ejection_chains.h"

namespace rescheduler::planner {

namespace {

// Steps between two looks at the clock and at the best: so many that to remember where everybody is, which takes the
// longer the more there are, costs little beside them.
constexpr std::size_t kLeastBlock = 512;
constexpr std::size_t kProcessesOfAStep = 8;

// The last temperature: a step that costs more than a few is never taken. The cold walk begins at this part of a
// typical loss, where all other walks end: below it only those are rearranged whose moves are nearly free.
constexpr double kCold = 1.0;
constexpr double kCool = 0.002;
// Prices of being away. Which is right depends on how tight the transient resources are; both kinds occur, and searches
// side by side, whose seeds follow each other, try both.
constexpr std::array kAwayPrices{5.0, 20.0};

// Where the hot walk begins, in units of a large loss (below): less, and the large ones stay wherever chance left them,
// which is what tells a good end from a bad one; more only takes time.
constexpr double kHot = 0.2;
// What it may break there, as a part of all demand, and the power of the temperature by which that becomes less; in the
// last part of the walk nothing at all.
constexpr double kTolerated = 0.02;
constexpr double kTolerancePower = 1.5;
constexpr double kTolerantPart = 0.85;
// Prices change slowly, so that they settle and do not swing: in a whole walk by no more than this power of e.
constexpr double kMostChange = 60.0;
// In the last part what is still broken becomes dearer: slowly at first, since what is mended in haste is mended badly,
// then faster and faster, since what is never mended is lost. The speed of the beginning, as a power of e for the whole
// of that part; and the power of e by which it grows until the end.
constexpr double kClosing = 20.0;
constexpr double kClosingFaster = 5.0;
// Where a machine has hundreds of processes, one that fits is soon found, and prices only cost time.
constexpr std::size_t kManyOnAMachine = 300;
// It ends where fewer than this share of its steps are taken, which a quick walk from hot to cold finds out.
constexpr double kHardlyAny = 0.003;
constexpr double kQuickFactor = 0.8;

// Of the whole budget: a look around home, for a fleet that needs but a few moves, until here; the quick walk; the hot
// one, which is the better the longer it is, until here; each lukewarm one after it; and the cold one. A large fleet
// needs longer to get home again those who left for nothing.
constexpr double kNearUntil = 0.05;
constexpr double kNearUntilLarge = 0.1;
constexpr double kQuickPart = 0.03;
constexpr double kHotUntil = 0.75;
constexpr double kHotUntilLarge = 0.6;
constexpr double kLukewarmPart = 0.05;
constexpr double kColdPart = 0.15;

// What makes a rule too dear to be broken, in units of a large loss.
constexpr double kDear = 10.0;
// Processes of a fleet that is small: the budget is enough to try many things, and to make places.
constexpr std::size_t kSmall = 2'000;
// So many steps a process are enough for a lukewarm walk.
constexpr double kStepsOfAProcess = 5'000.0;
// Where lukewarm walks begin, in units of a typical loss; from walk to walk anywhere in between. Where there are many,
// some begin warmer: this is in units of a large loss.
constexpr double kLukewarmLeast = 0.02;
constexpr double kLukewarmMost = 0.3;
constexpr double kWarmMost = 0.02;

}  // namespace

Anneal::Anneal(State& state, Budget& budget, std::uint64_t seed)
    : state_(state),
      budget_(budget),
      walk_(state, seed),
      penalties_(state),
      block_(std::max(kLeastBlock, state.where().size() / kProcessesOfAStep)),
      large_(large_loss()),
      away_price_(kAwayPrices[seed % kAwayPrices.size()]),
      best_(state.where()),
      best_cost_(state.cost()) {}

// What leaving brings for the hundredth part of the processes that weigh most where they are.
double Anneal::large_loss() const {
  std::vector<Cost> losses;
  for (Process p = 0; p < state_.where().size(); ++p) {
    if (state_.movable(p)) losses.push_back(std::abs(state_.leaving(p)));
  }
  if (losses.empty()) return 1.0;
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

// Of a move on the average: of those made, or, where there are none, of some drawn by lot.
double Anneal::move_price() {
  if (state_.moved() > 0) return static_cast<double>(state_.cost_of_moves()) / static_cast<double>(state_.moved());
  constexpr int kTried = 1'000;
  Cost sum = 0;
  for (int i = 0; i < kTried; ++i) {
    const auto p = static_cast<Process>(walk_.rng().below(state_.where().size()));
    sum += state_.move_delta(p, static_cast<Machine>(walk_.rng().below(state_.problem().machines.size())));
  }
  return static_cast<double>(sum) / kTried;
}

void Anneal::run(bool fresh) {
  if (!walk_.possible() || budget_.spent()) return;
  const double typical = typical_loss();
  const double cool_end = std::max(typical * kCool, kCold);
  if (fresh) {
    look_around(typical, cool_end);
    if (small() || !only_moves_left()) hot_walk(cool_end);
  }
  while (small() && budget_.used() < 1.0 - kColdPart && !budget_.spent()) lukewarm_walk(typical, cool_end);
  cold_walk(cool_end, 1.0);
}

bool Anneal::small() const { return best_.size() <= kSmall; }

// In a small fleet there is time for many walks, lukewarm ones. In a large one a cold one moves only who must, where a
// lukewarm one would move thousands for nothing.
void Anneal::look_around(double typical, double cool_end) {
  if (!small()) return cold_walk(cool_end, kNearUntilLarge);
  while (budget_.used() < kNearUntil && !budget_.spent()) lukewarm_walk(typical, cool_end);
  return_to_best();
}

// Hardly anything but the moves' own price is above what no arrangement can be below: others would be no better, and
// all that is left is to move less.
bool Anneal::only_moves_left() const {
  const Cost moves = state_.cost_of_moves();
  return state_.cost() - moves - lower_bound(state_.problem()) <= moves;
}

void Anneal::hot_walk(double cool_end) {
  const double hot = std::max(kHot * large_, 2.0 * cool_end);
  const double until = small() ? kHotUntil : kHotUntilLarge;
  // Rules that are broken from the start have no price: nobody knows how much of it would be worse.
  if (penalties_.sound() && best_.size() <= kManyOnAMachine * state_.problem().machines.size()) {
    cool_with_penalties(hot, freezing_point(hot, cool_end, budget_.used() + kQuickPart), until);
  } else {
    walk_.price_away(away_price_);
    cool(hot, cool_end, until);
  }
}

// In a large fleet it is about moves, and begins at what one costs: hotter, and they cost nothing; far colder, and
// nobody moves any more.
void Anneal::cold_walk(double cool_end, double until) {
  return_to_best();
  walk_.price_away(0.0);
  cool(small() ? cool_end : std::min(cool_end, move_price()), kCold, until);
  return_to_best();
}

// Where the budget is enough for many, each goes to its cold end: which moves are needed for the same balance is a
// matter of chance, and the fewest are found by trying often. Otherwise it takes a part of the budget, and what it has
// found is brought home once, at the end.
void Anneal::lukewarm_walk(double typical, double cool_end) {
  return_to_best();
  const double enough =
      kStepsOfAProcess * static_cast<double>(best_.size()) * budget_.used() / static_cast<double>(budget_.steps());
  const double until = std::min(budget_.used() + std::min(enough, kLukewarmPart), 1.0 - kColdPart);
  const bool to_the_end = enough < kLukewarmPart;
  const double cool_until = to_the_end ? (budget_.used() + until) / 2.0 : until;
  const double least = kLukewarmLeast * typical;
  const double most = std::max(to_the_end ? kWarmMost * large_ : kLukewarmMost * typical, least);
  walk_.price_away(away_price_);
  cool(least * std::pow(most / least, walk_.rng().unit()), cool_end, cool_until);
  if (!to_the_end) return;
  walk_.price_away(0.0);
  cool(cool_end, kCold, until);
  make_places();
}

// For the best there is, if it is new.
void Anneal::make_places() {
  if (best_cost_ == made_places_at_) return;
  return_to_best();
  EjectionChains(state_, budget_, kDear * large_).run();
  remember_best();
  made_places_at_ = best_cost_;
}

void Anneal::steps_at(double temperature, double cooled) {
  walk_.set_temperature(temperature, cooled);
  walk_.steps(block_);
  budget_.count(block_);
}

void Anneal::penalty_steps_at(double temperature, double hot, double cooled, double whole) {
  const double before = budget_.used();
  steps_at(temperature, cooled);
  const double part = (budget_.used() - before) / whole;
  if (cooled <= kTolerantPart) {
    penalties_.review(temperature, kTolerated * std::pow(temperature / hot, kTolerancePower), kMostChange * part,
                      false);
  } else {
    constexpr double kLastPart = 1.0 - kTolerantPart;
    const double speed = kClosing / kLastPart * std::exp(kClosingFaster * (cooled - kTolerantPart) / kLastPart);
    penalties_.review(temperature, 0.0, speed * part, true);
  }
}

void Anneal::cool(double hot, double cold, double until) {
  hot = std::max(hot, 2.0 * cold);
  const double began = budget_.used();
  for (double now = began; now < until && !budget_.spent(); now = budget_.used()) {
    const double done = (now - began) / (until - began);
    steps_at(hot * std::pow(cold / hot, done), done);
    remember_best();
  }
}

void Anneal::cool_with_penalties(double hot, double cold, double until) {
  penalties_.begin(hot);
  walk_.use_penalties(penalties_);
  const double began = budget_.used();
  for (double now = began; now < until && !budget_.spent(); now = budget_.used()) {
    const double done = (now - began) / (until - began);
    penalty_steps_at(hot * std::pow(cold / hot, done), hot, done, until - began);
    if (penalties_.sound()) remember_best();
  }
  walk_.use_hard_constraints();
  return_to_best();
}

double Anneal::freezing_point(double hot, double cold, double until) {
  penalties_.begin(hot);
  walk_.use_penalties(penalties_);
  const double levels = std::ceil(std::log(cold / hot) / std::log(kQuickFactor));
  const double began = budget_.used();
  double temperature = hot;
  for (double level = 1.0; level <= levels && !budget_.spent(); level += 1.0) {
    const std::size_t taken = walk_.taken();
    std::size_t made = 0;
    do {
      penalty_steps_at(temperature, hot, level / levels * kTolerantPart, until - began);
      made += block_;
    } while (budget_.used() < began + (until - began) * level / levels && !budget_.spent());
    if (static_cast<double>(walk_.taken() - taken) < kHardlyAny * static_cast<double>(made)) break;
    temperature *= kQuickFactor;
  }
  walk_.use_hard_constraints();
  return_to_best();
  return std::max(temperature, cold);
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
  for (const Process p : elsewhere) state_.unassign(p);
  for (const Process p : elsewhere) state_.put(p, best_[p]);
}

}  // namespace rescheduler::planner
