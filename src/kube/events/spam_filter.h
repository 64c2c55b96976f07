// Keeps one object from flooding the cluster with Events: a bucket of tokens for each, refilled slowly. Pure.
#pragma once

#include <chrono>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"

namespace rescheduler::kube {

struct SpamLimits {  // client-go's
  double burst = 25;
  std::chrono::nanoseconds refill_every = std::chrono::minutes{5};
  std::size_t most_objects = 4096;  // the longest silent are forgotten first, and start with a full bucket again
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
  std::unordered_map<std::string_view, std::list<Bucket>::iterator> by_key_;  // views into the list's keys
};

}  // namespace rescheduler::kube
