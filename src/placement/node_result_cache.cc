#include "placement/node_result_cache.h"

#include <algorithm>

namespace rescheduler::placement {
namespace {

// Enough for about 50 different requirements on 5000 nodes with 10 scoring plugins. If there are more, the least
// recently used ones are dropped.
constexpr std::size_t kMostBytes = std::size_t{24} << 20U;

}  // namespace

void CachedNodeResults::grow(std::size_t nodes) {
  if (generation.size() >= nodes) return;
  generation.resize(nodes, 0);
  fits.resize(nodes, 0);
  sums.resize(nodes, 0);
  for (auto& by_node : scores) {
    if (!by_node.empty()) by_node.resize(nodes, 0);
  }
}

CachedNodeResults& NodeResultCache::of(std::uint64_t requirements, std::size_t nodes, std::size_t scoring_plugins) {
  const auto known = cached_.find(requirements);
  if (known != cached_.end()) {
    known->second->used = ++clock_;
    known->second->grow(nodes);
    return *known->second;
  }
  evict_oldest(nodes, scoring_plugins);
  auto fresh = std::make_unique<CachedNodeResults>();
  fresh->used = ++clock_;
  fresh->scores.resize(scoring_plugins);
  fresh->grow(nodes);
  return *cached_.emplace(requirements, std::move(fresh)).first->second;
}

void NodeResultCache::evict_oldest(std::size_t nodes, std::size_t scoring_plugins) {
  const std::size_t each = std::max<std::size_t>(1, nodes) * (17 + 8 * scoring_plugins);
  const std::size_t most = std::max<std::size_t>(4, kMostBytes / each);
  while (cached_.size() >= most) {
    cached_.erase(std::ranges::min_element(cached_, {}, [](const auto& entry) { return entry.second->used; }));
  }
}

}  // namespace rescheduler::placement
