#include "planner/ejection_chains.h"

#include <algorithm>

namespace rescheduler::planner {

namespace {

// The number of processes to make space for: those that save most by leaving their machine.
constexpr std::size_t kCandidates = 32;
// The largest number of processes ejected for one.
constexpr std::size_t kMostSentAway = 12;

}  // namespace

EjectionChains::EjectionChains(State& state, Budget& budget, double high_penalty)
    : state_(state), budget_(budget), penalties_(state), high_penalty_(high_penalty) {}

void EjectionChains::run() {
  if (!penalties_.sound()) return;
  penalties_.begin(high_penalty_);
  bool better = true;
  while (better && !budget_.spent()) {
    const std::vector<Process> candidates = this->candidates();
    better = std::ranges::any_of(candidates, [&](Process p) { return make_place(p); });
  }
}

std::vector<Process> EjectionChains::candidates() const {
  std::vector<std::pair<Cost, Process>> gains;
  for (Process p = 0; p < state_.where().size(); ++p) {
    if (const Cost loss = state_.movable(p) ? state_.leaving(p) : 0; loss < 0) gains.emplace_back(loss, p);
  }
  const std::size_t count = std::min(kCandidates, gains.size());
  std::ranges::partial_sort(gains, gains.begin() + static_cast<std::ptrdiff_t>(count));
  std::vector<Process> best;
  for (std::size_t i = 0; i < count; ++i) best.push_back(gains[i].second);
  return best;
}

bool EjectionChains::make_place(Process process) {
  for (Machine m = 0; m < state_.problem().machines.size() && !budget_.spent(); ++m) {
    if (state_.may_shift(process, m, penalties_.ignoring()) && try_there(process, m)) return true;
  }
  return false;
}

bool EjectionChains::try_there(Process process, Machine machine) {
  const Cost before = state_.cost();
  done_.clear();
  step(process, machine);
  while (done_.size() <= kMostSentAway && eject_one(machine, process)) {
  }
  if (state_.cost() < before && penalties_.paid() <= 0.0) return true;
  for (auto step = done_.rbegin(); step != done_.rend(); ++step) shift(step->process, step->from);
  return false;
}

bool EjectionChains::eject_one(Machine machine, Process not_this) {
  double best = 0.0;
  Process who = 0;
  Machine where = kNoMachine;
  for (const Process p : state_.on(machine)) {
    if (p == not_this || !state_.movable(p)) continue;
    budget_.count(state_.problem().machines.size());
    for (Machine m = 0; m < state_.problem().machines.size(); ++m) {
      if (m == machine) continue;
      const double worse = static_cast<double>(state_.shift_delta(p, m)) + penalties_.shift(p, m);
      if (worse >= best || !state_.may_shift(p, m, penalties_.ignoring())) continue;
      best = worse;
      who = p;
      where = m;
    }
  }
  if (where == kNoMachine) return false;
  step(who, where);
  return true;
}

void EjectionChains::step(Process process, Machine to) {
  done_.push_back({process, state_.where(process)});
  shift(process, to);
}

void EjectionChains::shift(Process process, Machine to) {
  const Machine from = state_.where(process);
  state_.shift(process, to);
  penalties_.changed(from);
  penalties_.changed(to);
}

}  // namespace rescheduler::planner
