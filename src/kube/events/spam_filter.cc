#include "kube/events/spam_filter.h"

#include <algorithm>

namespace rescheduler::kube {

bool SpamFilter::allow(const std::string& key, SteadyTime now) {
  const auto found = by_key_.find(key);
  if (found != by_key_.end()) {
    buckets_.splice(buckets_.begin(), buckets_, found->second);
  } else {
    buckets_.push_front(Bucket{key, limits_.burst, now});
    by_key_.emplace(buckets_.front().key, buckets_.begin());
    if (buckets_.size() > limits_.most_objects) {
      by_key_.erase(buckets_.back().key);
      buckets_.pop_back();
    }
  }
  Bucket& bucket = buckets_.front();
  const std::chrono::duration<double> passed = now - bucket.at;
  const std::chrono::duration<double> refill = limits_.refill_every;
  bucket.tokens = std::min(limits_.burst, bucket.tokens + passed / refill);
  bucket.at = now;
  if (bucket.tokens < 1.0) return false;
  bucket.tokens -= 1.0;
  return true;
}

}  // namespace rescheduler::kube
