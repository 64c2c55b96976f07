// Limits the Events of each object by a token bucket with a slow refill. Pure.
#pragma once

#include <chrono>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"

namespace rescheduler::kube {

struct SpamLimits {  // as in client-go
  double burst = 25;
  std::chrono::nanoseconds refill_every = std::chrono::minutes{5};
  std::size_t most_objects = 4096;  // the least recently used are dropped first; they start again with a full bucket
};

class SpamFilter {
 public:
  explicit SpamFilter(SpamLimits limits) : limits_(limits) {}
  bool allow(const std::string& key, SteadyTime now);

 private:
  struct Bucket {
    std::string key;
    double tokens;
    SteadyTime at;
  };

  SpamLimits limits_;
  std::list<Bucket> buckets_;                                                 // latest use first
  std::unordered_map<std::string_view, std::list<Bucket>::iterator> by_key_;  // views of the keys in buckets_
};

}  // namespace rescheduler::kube
