// Counts and times requests with client-go's metric names, so that existing dashboards work.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <utility>

#include "base/metrics.h"
#include "kube/client/api.h"

namespace rescheduler::kube {

class RequestMetrics {
 public:
  explicit RequestMetrics(MetricRegistry& registry) : registry_(registry) {}

  // `code` is the HTTP status, or 0 if there was no answer ("<error>", as in client-go).
  void finished(Verb verb, const std::string& method, int code, std::chrono::nanoseconds took);
  void waited_for_own_limit(std::chrono::nanoseconds waited);

 private:
  MetricRegistry& registry_;
  // Caches the metric objects, because a lookup by labels costs more than the rest of the accounting.
  std::map<std::pair<std::string, int>, Counter*> requests_;
  std::map<Verb, Histogram*> durations_;
  Histogram* own_limit_ = nullptr;
};

}  // namespace rescheduler::kube
