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

// Steps between two checks of the clock and the best cost. Copying the assignment takes time in proportion to the
// number of processes; the block is long enough to make this cheap.
constexpr std::size_t kLeastBlock = 512;
constexpr std::size_t kProcessesOfAStep = 8;

// kCold is the last temperature: a step with a larger loss than a few units is never accepted. The cold walk starts at
// the share kCool of a typical loss, where all other walks end. Below it only nearly free moves happen.
constexpr double kCold = 1.0;
constexpr double kCool = 0.002;
// Prices of being away. The right one depends on how scarce the transient resources are. Both cases occur; parallel
// searches with consecutive seeds try both.
constexpr std::array kAwayPrices{5.0, 20.0};

// Start temperature of the hot walk, in units of a large loss (below). If it is lower, the large processes stay at
// random places, and their places decide the quality of the result. If it is higher, the walk only takes longer.
constexpr double kHot = 0.2;
// Tolerated overflow at the start, as a share of all demand, and the power of the temperature by which it falls. After
// kTolerantPart of the walk nothing is tolerated.
constexpr double kTolerated = 0.02;
constexpr double kTolerancePower = 1.5;
constexpr double kTolerantPart = 0.85;
// Prices change slowly, so that they converge and do not oscillate: in a whole walk by at most this power of e.
constexpr double kMostChange = 60.0;
// In the last part the prices of broken rules rise: slowly at first, because hasty repairs are bad, then faster,
// because an assignment that is never repaired is lost. kClosing: the initial speed, as a power of e for the whole
// part. kClosingFaster: the power of e by which the speed grows until the end.
constexpr double kClosing = 20.0;
constexpr double kClosingFaster = 5.0;
// With hundreds of processes per machine a process that fits is found quickly, and prices only cost time.
constexpr std::size_t kManyOnAMachine = 300;
// The hot walk ends where less than this share of steps is accepted; a quick walk from hot to cold finds that point.
constexpr double kHardlyAny = 0.003;
constexpr double kQuickFactor = 0.8;

// Shares of the whole budget: the search near home ends at kNearUntil; the quick walk takes kQuickPart; the hot walk,
// which is better the longer it is, ends at kHotUntil; then each lukewarm walk, and the cold walk. A large fleet needs
// longer to return the processes home whose moves gain nothing.
constexpr double kNearUntil = 0.05;
constexpr double kNearUntilLarge = 0.1;
constexpr double kQuickPart = 0.03;
constexpr double kHotUntil = 0.75;
constexpr double kHotUntilLarge = 0.6;
constexpr double kLukewarmPart = 0.05;
constexpr double kColdPart = 0.15;

// The price that makes a rule too expensive to break, in units of a large loss.
constexpr double kHighPenalty = 10.0;
// A fleet of at most this many processes is small: the budget is enough for many walks and for ejection chains.
constexpr std::size_t kSmall = 2'000;
// This number of steps per process is enough for a lukewarm walk.
constexpr double kStepsOfAProcess = 5'000.0;
// Range of start temperatures of lukewarm walks, in units of a typical loss; each walk draws one. If there are many
// walks, the upper end is kWarmMost, in units of a large loss.
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

// The 99th percentile of the cost that a process saves when it leaves its machine.
double Anneal::large_loss() const {
  std::vector<Cost> losses;
  for (Process p = 0; p < state_.where().size(); ++p) {
    if (state_.movable(p)) losses.push_back(std::abs(state_.leaving(p)));
  }
  if (losses.empty()) return 1.0;
  const auto large = losses.begin() + static_cast<std::ptrdiff_t>(losses.size() - 1 - (losses.size() - 1) / 100);
  std::ranges::nth_element(losses, large);
  return static_cast<double>(*large);
}

// The median loss of random feasible moves that raise the cost.
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
  std::ranges::nth_element(losses, middle);
  return static_cast<double>(*middle);
}

// The average price of a move: of the moves made, or of random moves if there are none.
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

// A small fleet has time for many lukewarm walks. In a large fleet a cold walk moves only the processes that must move;
// a lukewarm walk would move thousands for nothing.
void Anneal::look_around(double typical, double cool_end) {
  if (!small()) return cold_walk(cool_end, kNearUntilLarge);
  while (budget_.used() < kNearUntil && !budget_.spent()) lukewarm_walk(typical, cool_end);
  return_to_best();
}

// True if the cost above the lower bound is mostly the price of the moves: other assignments are no better, and only
// fewer moves can help.
bool Anneal::only_moves_left() const {
  const Cost moves = state_.cost_of_moves();
  return state_.cost() - moves - lower_bound(state_.problem()) <= moves;
}

void Anneal::hot_walk(double cool_end) {
  const double hot = std::max(kHot * large_, 2.0 * cool_end);
  const double until = small() ? kHotUntil : kHotUntilLarge;
  // Rules that are broken from the start have no price, because it is unknown how much worse may be tolerated.
  if (penalties_.sound() && best_.size() <= kManyOnAMachine * state_.problem().machines.size()) {
    cool_with_penalties(hot, freezing_point(hot, cool_end, budget_.used() + kQuickPart), until);
  } else {
    walk_.price_away(away_price_);
    cool(hot, cool_end, until);
  }
}

// In a large fleet the cold walk reduces moves and starts at the price of a move: at a higher temperature moves are
// almost free; at a much lower one no process moves.
void Anneal::cold_walk(double cool_end, double until) {
  return_to_best();
  walk_.price_away(0.0);
  cool(small() ? cool_end : std::min(cool_end, move_price()), kCold, until);
  return_to_best();
}

// If the budget is enough for many walks, each cools to the end: the moves needed for the same balance are random, and
// many attempts find the fewest. Otherwise the walk takes a share of the budget, and one cold walk at the end returns
// processes home.
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

// Runs ejection chains from the best assignment if it is new.
void Anneal::make_places() {
  if (best_cost_ == made_places_at_) return;
  return_to_best();
  EjectionChains(state_, budget_, kHighPenalty * large_).run();
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
