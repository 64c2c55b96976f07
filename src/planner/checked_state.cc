#include "planner/checked_state.h"

#include <algorithm>

namespace rescheduler::planner {

void CheckedState::unassign(Process process) {
  const Machine from = state_.where(process);
  state_.unassign(process);
  if (oracle_ != nullptr) oracle_->unassigned(process, from);
}

void CheckedState::put(Process process, Machine machine) {
  state_.put(process, machine);
  if (oracle_ != nullptr) oracle_->assigned(process, machine);
}

bool CheckedState::may_put(Process process, Machine from, Machine to) {
  return state_.may_put(process, from, to) && (oracle_ == nullptr || oracle_->allows(process, to));
}

bool CheckedState::try_shift(Process process, Machine to, Cost gain) {
  const Machine from = state_.where(process);
  unassign(process);
  const bool allowed = may_put(process, from, to);
  put(process, allowed ? to : from);
  if (!allowed) remember(process, to, gain);
  return allowed;
}

bool CheckedState::try_together(std::span<const Step> steps) {
  const Cost before = state_.cost();
  std::vector<Machine> from;
  for (const Step& step : steps) {
    from.push_back(state_.where(step.process));
    unassign(step.process);
  }
  std::size_t left = steps.size();
  while (left > 0 && may_put(steps[left - 1].process, from[left - 1], steps[left - 1].to)) {
    --left;
    put(steps[left].process, steps[left].to);
  }
  // The sum of the deltas can differ from the total: two groups can both be the one with the most moves.
  if (left == 0 && state_.cost() < before) return true;
  for (; left < steps.size(); ++left) unassign(steps[left].process);
  for (std::size_t i = 0; i < steps.size(); ++i) put(steps[i].process, from[i]);
  return false;
}

void CheckedState::go_home() {
  // All processes are unassigned first, so that two `apart` processes never share a machine.
  std::vector<Process> away;
  for (Process p = 0; p < state_.where().size(); ++p) {
    if (state_.where(p) != state_.home(p)) away.push_back(p);
  }
  for (const Process p : away) unassign(p);
  for (const Process p : away) put(p, state_.home(p));
}

void CheckedState::remember(Process process, Machine machine, Cost gain) {
  if (refused_.empty()) return;
  std::vector<RefusedTarget>& kept = refused_[process];
  const auto same = std::ranges::find_if(kept, [&](const RefusedTarget& one) { return one.machine == machine; });
  if (same != kept.end()) {
    same->gain = std::max(same->gain, gain);
  } else if (kept.size() < kRefusedKept) {
    kept.push_back({machine, gain});
  } else {
    const auto least =
        std::ranges::min_element(kept, [](const RefusedTarget& a, const RefusedTarget& b) { return a.gain < b.gain; });
    if (least->gain < gain) *least = {machine, gain};
  }
}

std::vector<RefusedTarget> CheckedState::refused(Process process) const {
  if (refused_.empty()) return {};
  std::vector<RefusedTarget> best = refused_[process];
  std::ranges::sort(best, [](const RefusedTarget& a, const RefusedTarget& b) {
    return a.gain != b.gain ? a.gain > b.gain : a.machine < b.machine;
  });
  return best;
}

}  // namespace rescheduler::planner
