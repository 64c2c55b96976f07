#include "planner/ejections.h"

#include <algorithm>

namespace rescheduler::planner {

namespace {

// Those that place is made for: so many, whose leaving brings the most where they are.
constexpr std::size_t kCandidates = 32;
// Who leave for one.
constexpr std::size_t kMostSentAway = 12;

}  // namespace

Ejections::Ejections(State& state, Budget& budget, double dear)
    : state_(state), budget_(budget), leniency_(state), dear_(dear) {}

void Ejections::run() {
  if (!leniency_.sound()) return;
  leniency_.begin(dear_);
  bool better = true;
  while (better && !budget_.spent()) {
    const std::vector<Process> candidates = this->candidates();
    better = std::any_of(candidates.begin(), candidates.end(), [&](Process p) { return make_place(p); });
  }
}

std::vector<Process> Ejections::candidates() const {
  std::vector<std::pair<Cost, Process>> gains;
  for (Process p = 0; p < state_.where().size(); ++p) {
    if (const Cost loss = state_.movable(p) ? state_.leaving(p) : 0; loss < 0) gains.emplace_back(loss, p);
  }
  const std::size_t count = std::min(kCandidates, gains.size());
  std::partial_sort(gains.begin(), gains.begin() + static_cast<std::ptrdiff_t>(count), gains.end());
  std::vector<Process> best;
  for (std::size_t i = 0; i < count; ++i) best.push_back(gains[i].second);
  return best;
}

bool Ejections::make_place(Process process) {
  for (Machine m = 0; m < state_.problem().machines.size() && !budget_.spent(); ++m) {
    if (state_.may_shift(process, m, leniency_.ignoring()) && try_there(process, m)) return true;
  }
  return false;
}

bool Ejections::try_there(Process process, Machine machine) {
  const Cost before = state_.cost();
  done_.clear();
  step(process, machine);
  while (done_.size() <= kMostSentAway && send_one_away(machine, process)) {
  }
  if (state_.cost() < before && leniency_.paid() <= 0.0) return true;
  for (auto step = done_.rbegin(); step != done_.rend(); ++step) shift(step->process, step->from);
  return false;
}

bool Ejections::send_one_away(Machine machine, Process not_this) {
  double best = 0.0;
  Process who = 0;
  Machine where = kNoMachine;
  for (const Process p : state_.on(machine)) {
    if (p == not_this || !state_.movable(p)) continue;
    budget_.count(state_.problem().machines.size());
    for (Machine m = 0; m < state_.problem().machines.size(); ++m) {
      if (m == machine) continue;
      const double worse = static_cast<double>(state_.shift_delta(p, m)) + leniency_.shift(p, m);
      if (worse >= best || !state_.may_shift(p, m, leniency_.ignoring())) continue;
      best = worse;
      who = p;
      where = m;
    }
  }
  if (where == kNoMachine) return false;
  step(who, where);
  return true;
}

void Ejections::step(Process process, Machine to) {
  done_.push_back({process, state_.where(process)});
  shift(process, to);
}

void Ejections::shift(Process process, Machine to) {
  const Machine from = state_.where(process);
  state_.shift(process, to);
  leniency_.changed(from);
  leniency_.changed(to);
}

}  // namespace rescheduler::planner
