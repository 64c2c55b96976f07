#include "placement/plugin.h"

#include <algorithm>

namespace rescheduler::placement {

void normalize_by_max(std::span<std::int64_t> scores, bool reverse) {
  std::int64_t most = 0;
  for (const std::int64_t score : scores) most = std::max(most, score);
  for (std::int64_t& score : scores) {
    if (most == 0) {
      score = reverse ? kMaxScore : score;
      continue;
    }
    score = kMaxScore * score / most;
    if (reverse) score = kMaxScore - score;
  }
}

}  // namespace rescheduler::placement
