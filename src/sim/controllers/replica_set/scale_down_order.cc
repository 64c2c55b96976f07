#include "sim/controllers/replica_set/scale_down_order.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

namespace rescheduler::sim {

namespace {

struct Ranked {
  const PodView* pod;
  int neighbours;
};

int phase_rank(PodPhase phase) {
  switch (phase) {
    case PodPhase::Unknown: return 1;
    case PodPhase::Running: return 2;
    default: return 0;
  }
}

// Ages with the same power of two are equal. A missing time is younger than any age.
long age_rank(WallTime since, WallTime now) {
  if (since == WallTime{}) return -2;
  const auto age = now - since;
  return age.count() > 0 ? static_cast<long>(std::log2(static_cast<double>(age.count()))) : -1;
}

// The comparison of the real controller, changed to a strict order. The real one compares uids for ages of the same
// rank, but not for equal ages, so three pods can form a cycle. Here restarts and creation time come before the uid.
bool goes_first(const Ranked& a, const Ranked& b, WallTime now) {
  const PodView& left = *a.pod;
  const PodView& right = *b.pod;
  if (left.bound() != right.bound()) return !left.bound();
  const int left_phase = phase_rank(left.phase());
  const int right_phase = phase_rank(right.phase());
  if (left_phase != right_phase) return left_phase < right_phase;
  if (left.ready() != right.ready()) return !left.ready();
  if (left.deletion_cost() != right.deletion_cost()) return left.deletion_cost() < right.deletion_cost();
  if (a.neighbours != b.neighbours) return a.neighbours > b.neighbours;
  if (left.ready()) {
    const long left_age = age_rank(left.ready_since(), now);
    const long right_age = age_rank(right.ready_since(), now);
    if (left_age != right_age) return left_age < right_age;
  }
  if (left.restarts() != right.restarts()) return left.restarts() > right.restarts();
  if (left.sidecar_restarts() != right.sidecar_restarts()) return left.sidecar_restarts() > right.sidecar_restarts();
  const long left_age = age_rank(left.created(), now);
  const long right_age = age_rank(right.created(), now);
  return left_age != right_age ? left_age < right_age : left.uid() < right.uid();
}

}  // namespace

void sort_for_deletion(std::vector<const PodView*>& pods, const std::vector<const PodView*>& related, WallTime now) {
  std::unordered_map<std::string_view, int> on_node;
  for (const PodView* pod : related) {
    if (pod->active()) ++on_node[pod->node()];
  }
  std::vector<Ranked> ranked;
  ranked.reserve(pods.size());
  for (const PodView* pod : pods) {
    const auto found = on_node.find(pod->node());
    ranked.push_back({pod, found == on_node.end() ? 0 : found->second});
  }
  std::ranges::sort(ranked, [now](const Ranked& a, const Ranked& b) { return goes_first(a, b, now); });
  std::ranges::transform(ranked, pods.begin(), &Ranked::pod);
}

}  // namespace rescheduler::sim
