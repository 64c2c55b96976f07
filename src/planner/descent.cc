#include "planner/descent.h"

#include <algorithm>

#include "planner/swap_moves.h"

namespace rescheduler::planner {

namespace {

// Sources whose best moves are compared before one is made: enough that the best of them is close to the overall best,
// and few enough that a move costs microseconds.
constexpr std::size_t kWindow = 8;
// Targets evaluated first; if none of them helps, a sample of this size of the others.
constexpr std::size_t kLikely = 128;
constexpr std::size_t kFar = 128;
// Candidates kept for a source.
constexpr std::size_t kKept = 64;
// After this many consecutive refusals the targets of a process are tried in growing strides, because the best ones are
// probably of the same kind. If these are refused too, the process stays.
constexpr std::uint32_t kPatience = 4;
// When no move helps: the number of sources for swaps and chains, and of targets. Chains have fewer, because each has
// two targets.
constexpr std::size_t kStuckSources = 64;
constexpr std::size_t kSwapTargets = 48;
constexpr std::size_t kChainTargets = 16;

}  // namespace

Descent::Descent(CheckedState& checked, Budget& budget)
    : checked_(checked),
      state_(checked.state()),
      budget_(budget),
      typical_(state_.problem().resource_count()),
      relief_(state_.problem().machines.size()),
      appetite_(state_.problem().machines.size()),
      refusals_(state_.problem().processes.size()),
      given_up_(state_.problem().processes.size()) {
  const Problem& problem = state_.problem();
  for (std::size_t i = 0; i < problem.demand.size(); ++i) typical_[i % typical_.size()] += problem.demand[i];
  for (Amount& amount : typical_) amount /= static_cast<Amount>(std::max<std::size_t>(1, problem.processes.size()));
  for (Machine m = 0; m < problem.machines.size(); ++m) {
    rank(m);
    if (state_.takes(m)) targets_.push_back(m);
  }
  settled_ = 2 * targets_.size() + 1;  // not sorted yet
}

void Descent::rank(Machine machine) {
  sources_.erase({-relief_[machine], machine});
  Cost relief = 0;
  for (const Process p : state_.on(machine)) {
    if (state_.movable(p)) relief = std::max(relief, -state_.leaving(p));
  }
  budget_.count(state_.on(machine).size());
  relief_[machine] = relief;
  appetite_[machine] = state_.appetite(machine, typical_.data());
  if (relief > 0) sources_.insert({-relief, machine});
}

void Descent::run() {
  while (!budget_.spent()) {
    const bool moved = moves_run();
    const bool exchanged = !state_.no_moves_left() && exchanges_run();
    const bool freed = take_back();
    if (state_.no_moves_left() || (!moved && !exchanged && !freed)) return;
    window_.clear();
    for (Machine m = 0; m < relief_.size(); ++m) rank(m);
    // The oracle may allow a refused pair now that other processes have moved.
    refused_.clear();
    std::ranges::fill(given_up_, 0);
    std::ranges::fill(refusals_, 0);
  }
}

bool Descent::better(const Candidate& a, const Candidate& b) {
  if (a.gain != b.gain) return a.gain > b.gain;
  return a.process != b.process ? a.process < b.process : a.to < b.to;
}

bool Descent::moves_run() {
  bool any = false;
  for (;;) {
    if (state_.no_moves_left() || budget_.spent()) return any;
    fill_window();
    if (window_.empty()) return any;
    const auto best = std::ranges::max_element(window_, [](const Source& a, const Source& b) {
      return a.candidates.front().gain < b.candidates.front().gain;
    });
    Source source = std::move(*best);
    window_.erase(best);
    any = commit(source) || any;
  }
}

void Descent::fill_window() {
  while (window_.size() < kWindow && !sources_.empty() && !budget_.spent()) {
    const Machine machine = sources_.begin()->second;
    sources_.erase(sources_.begin());
    std::vector<Candidate> candidates = weigh(machine, likely_targets(kLikely));
    if (candidates.empty()) candidates = weigh(machine, far_targets());
    if (!candidates.empty()) window_.push_back({machine, std::move(candidates)});
  }
}

std::span<const Machine> Descent::likely_targets(std::size_t most) {
  if (settled_ * kLikely > 2 * targets_.size()) {
    settled_ = 0;
    std::ranges::sort(targets_, [&](Machine a, Machine b) {
      return appetite_[a] != appetite_[b] ? appetite_[a] < appetite_[b] : a < b;
    });
  }
  return std::span<const Machine>(targets_).first(std::min(most, targets_.size()));
}

// A sample of the other targets, evenly over the ranking.
std::vector<Machine> Descent::far_targets() {
  std::vector<Machine> far;
  const std::size_t stride = 1 + targets_.size() / kFar;
  for (std::size_t i = std::min(kLikely, targets_.size()); i < targets_.size(); i += stride) far.push_back(targets_[i]);
  return far;
}

std::vector<Descent::Candidate> Descent::weigh(Machine source, std::span<const Machine> targets) {
  std::vector<Candidate> found;
  for (const Process p : state_.on(source)) {
    if (!state_.movable(p) || given_up_[p] != 0) continue;
    const Cost relief = -state_.leaving(p);
    if (relief <= 0) continue;
    budget_.count(targets.size());
    for (const Machine to : targets) {
      const Cost gain = relief - state_.joining(p, to);
      if (gain <= 0 || !state_.may_shift(p, to)) continue;
      if (!checked_.watched() || !refused_.contains(key_of(p, to))) found.push_back({gain, p, to});
    }
  }
  const std::size_t kept = std::min(found.size(), kKept);
  std::ranges::partial_sort(found, found.begin() + static_cast<std::ptrdiff_t>(kept), better);
  found.resize(kept);
  return found;
}

bool Descent::commit(const Source& source) {
  const Machine machine = source.machine;
  for (const Candidate& candidate : source.candidates) {
    if (given_up_[candidate.process] != 0) continue;
    // Another process may have filled the target since the evaluation: then the source is evaluated again.
    const Cost gain = -state_.shift_delta(candidate.process, candidate.to);
    if (gain < candidate.gain || !state_.may_shift(candidate.process, candidate.to)) {
      sources_.insert({-relief_[machine], machine});
      return false;
    }
    if (commit_one(candidate)) return true;
    if (++refusals_[candidate.process] >= kPatience) {
      if (explore(candidate.process)) return true;
      given_up_[candidate.process] = 1;
    }
  }
  // All were refused. The next candidates differ, because refused pairs are not tried again.
  if (checked_.watched() && relief_[machine] > 0) sources_.insert({-relief_[machine], machine});
  return false;
}

bool Descent::commit_one(const Candidate& candidate) {
  const Machine from = state_.where(candidate.process);
  if (!checked_.try_shift(candidate.process, candidate.to, candidate.gain)) {
    refused_.insert(key_of(candidate.process, candidate.to));
    return false;
  }
  refusals_[candidate.process] = 0;
  settle(from);
  settle(candidate.to);
  return true;
}

bool Descent::explore(Process process) {
  for (std::size_t i = 0; i < targets_.size(); i += 1 + i / 4) {
    const Machine to = targets_[i];
    budget_.count(1);
    const Cost gain = -state_.shift_delta(process, to);
    if (gain <= 0 || refused_.contains(key_of(process, to)) || !state_.may_shift(process, to)) continue;
    if (commit_one({gain, process, to})) return true;
  }
  return false;
}

std::uint64_t Descent::key_of(Process process, Machine machine) const {
  const Group group = state_.group(process);
  const std::uint64_t who = group != kNoGroup ? group : (std::uint64_t{1} << 31) | process;
  return who << 32 | machine;
}

void Descent::settle(Machine machine) {
  ++settled_;
  rank(machine);
  std::erase_if(window_, [&](const Source& one) { return one.machine == machine; });
}

bool Descent::exchanges_run() {
  std::vector<Machine> worst;
  for (Machine m = 0; m < relief_.size(); ++m) {
    if (relief_[m] > 0) worst.push_back(m);
  }
  const std::size_t count = std::min(worst.size(), kStuckSources);
  std::ranges::partial_sort(worst, worst.begin() + static_cast<std::ptrdiff_t>(count), [&](Machine a, Machine b) {
    return relief_[a] != relief_[b] ? relief_[a] > relief_[b] : a < b;
  });
  worst.resize(count);
  bool any = false;
  SwapMoves exchanges(checked_, budget_);
  for (const Machine source : worst) {
    while (!budget_.spent() && !state_.no_moves_left()) {
      std::vector<Machine> changed = exchanges.swap(source, likely_targets(kSwapTargets));
      if (changed.empty()) changed = exchanges.chain(source, likely_targets(kChainTargets));
      if (changed.empty()) break;
      for (const Machine machine : changed) settle(machine);
      any = true;
    }
  }
  return any;
}

bool Descent::take_back() {
  bool any = false;
  for (Process p = 0; p < state_.where().size(); ++p) {
    const Machine home = state_.home(p);
    const Machine from = state_.where(p);
    if (from == home || budget_.spent()) continue;
    const Cost loss = state_.shift_delta(p, home);
    if (loss > 0 || !state_.may_shift(p, home) || !checked_.try_shift(p, home, -loss)) continue;
    settle(from);
    settle(home);
    any = true;
  }
  return any;
}

}  // namespace rescheduler::planner
