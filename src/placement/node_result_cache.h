// Caches the results of plugins that depend on the node only: whether a node fits some requirements, and its scores. A
// result is valid until the node changes. Pods with equal requirements share it. So the thousandth pod of a Deployment
// is cheap to schedule: only the node of the previous pod is evaluated again.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cluster/node.h"

namespace rescheduler::placement {

struct CachedNodeResults {
  std::vector<std::uint64_t> generation{};  // by NodeIndex: the node's generation at the evaluation; 0: never
  std::vector<std::uint8_t> fits{};
  std::vector<std::int64_t> sums{};                 // of the scores that need no normalize, each times its weight
  std::vector<std::vector<std::int64_t>> scores{};  // by scoring plugin, then by NodeIndex; empty: not cached
  bool sums_hold = true;  // false: a score was out of range; the scores are computed again to find which
  std::uint64_t used = 0;

  void grow(std::size_t nodes);
};

class NodeResultCache {
 public:
  CachedNodeResults& of(std::uint64_t requirements, std::size_t nodes, std::size_t scoring_plugins);
  std::size_t size() const { return cached_.size(); }

 private:
  void evict_oldest(std::size_t nodes, std::size_t scoring_plugins);

  boost::unordered_flat_map<std::uint64_t, std::unique_ptr<CachedNodeResults>> cached_;
  std::uint64_t clock_ = 0;
};

}  // namespace rescheduler::placement
