// What the plugins that look at the node alone have said: whether a node fits some needs, and how good it is. Holds
// until the node changes; pods that need the same share it. This is what makes placing the thousandth pod of a
// Deployment cheap: only the node of the nine hundred and ninety-ninth is looked at again.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cluster/node.h"

namespace rescheduler::placement {

struct CachedNodeResults {
  std::vector<std::uint64_t> generation{};  // by NodeIndex: of the node when it was looked at; 0: never
  std::vector<std::uint8_t> fits{};
  std::vector<std::int64_t> sums{};                 // of the scores that stand as they are, each times its weight
  std::vector<std::vector<std::int64_t>> scores{};  // by scoring plugin, then by NodeIndex; empty: it is not remembered
  bool sums_hold = true;  // false: some score was out of range, and whoever adds up shall see which
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
