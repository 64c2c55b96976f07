// Which claims the assigned pods use. Claims of ephemeral volumes are not counted: only one pod can use such a claim.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include "base/copy_on_write.h"
#include "cluster/assigned_pod.h"

namespace rescheduler::cluster {

struct ClaimKey {
  Symbol ns = Symbol::Empty;
  std::string_view name{};
};
struct OwnedClaimKey {
  Symbol ns = Symbol::Empty;
  std::string name{};
};

struct ClaimKeyHash {
  using is_transparent = void;
  std::size_t operator()(const auto& key) const {
    std::size_t seed = static_cast<std::size_t>(key.ns);
    boost::hash_combine(seed, std::string_view(key.name));
    return seed;
  }
};
struct ClaimKeyEqual {
  using is_transparent = void;
  bool operator()(const auto& a, const auto& b) const {
    return a.ns == b.ns && std::string_view(a.name) == std::string_view(b.name);
  }
};

template <class Value>
using ByClaim = boost::unordered_flat_map<OwnedClaimKey, Value, ClaimKeyHash, ClaimKeyEqual>;

class VolumeUse {
 public:
  void pod_added(const AssignedPod& pod);
  void pod_removed(const AssignedPod& pod);
  std::int64_t users(Symbol ns, std::string_view claim) const;

 private:
  Cow<ByClaim<std::int64_t>> users_;
};

}  // namespace rescheduler::cluster
