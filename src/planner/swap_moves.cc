#include "planner/swap_moves.h"

#include <algorithm>
#include <array>

namespace rescheduler::planner {

namespace {

// Candidates that are tried, the best first, before the source is skipped; fewer with an oracle, which is expensive.
constexpr std::size_t kTried = 1024;
constexpr std::size_t kAsked = 4;

}  // namespace

std::vector<Machine> SwapMoves::swap(Machine source, std::span<const Machine> targets) {
  std::vector<Found> found;
  for (const Process one : state_.on(source)) {
    if (!state_.movable(one) || state_.leaving(one) >= 0) continue;
    for (const Machine to : targets) {
      if (to == source) continue;
      budget_.count(state_.on(to).size());
      for (const Process other : state_.on(to)) {
        if (!state_.movable(other) || !state_.open(other, source)) continue;
        const Cost gain = -state_.swap_delta(one, other);
        if (gain > 0 && state_.swap_fits(one, other)) found.push_back({gain, one, other, source});
      }
    }
  }
  return commit(found);
}

std::vector<Machine> SwapMoves::chain(Machine source, std::span<const Machine> targets) {
  std::vector<Found> found;
  for (const Process one : state_.on(source)) {
    if (!state_.movable(one) || state_.leaving(one) >= 0) continue;
    for (const Machine to : targets) {
      if (to == source) continue;
      for (const Process other : state_.on(to)) {
        if (state_.movable(other) && state_.fits_instead(one, other)) weigh_chains(one, other, targets, found);
      }
    }
  }
  return commit(found);
}

void SwapMoves::weigh_chains(Process one, Process other, std::span<const Machine> targets, std::vector<Found>& found) {
  const Machine middle = state_.where(other);
  const Cost so_far = state_.leaving(one) + state_.instead_delta(one, other) + state_.move_delta(one, middle);
  if (so_far >= 0) return;  // the cost of the third machine hardly ever falls
  budget_.count(targets.size());
  for (const Machine last : targets) {
    if (last == middle || last == state_.where(one)) continue;
    const Cost gain = -so_far - state_.joining(other, last);
    if (gain > 0 && state_.may_shift(other, last)) found.push_back({gain, one, other, last});
  }
}

std::vector<Machine> SwapMoves::commit(std::vector<Found>& found) {
  const std::size_t tried = std::min(found.size(), checked_.watched() ? kAsked : kTried);
  std::ranges::partial_sort(found, found.begin() + static_cast<std::ptrdiff_t>(tried),
                            [](const Found& a, const Found& b) {
                              if (a.gain != b.gain) return a.gain > b.gain;
                              if (a.one != b.one) return a.one < b.one;
                              return a.other != b.other ? a.other < b.other : a.last < b.last;
                            });
  found.resize(tried);
  for (const Found& best : found) {
    const Machine source = state_.where(best.one);
    const Machine middle = state_.where(best.other);
    const std::array steps{CheckedState::Step{best.one, middle}, CheckedState::Step{best.other, best.last}};
    if (!checked_.try_together(steps)) continue;
    if (best.last == source) return {source, middle};
    return {source, middle, best.last};
  }
  return {};
}

}  // namespace rescheduler::planner
