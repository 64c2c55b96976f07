// Counts and times requests under client-go's metric names, so existing dashboards work.
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

  // `code` is the HTTP status, or 0 when there was no answer ("<error>", as client-go has it).
  void finished(Verb verb, const std::string& method, int code, std::chrono::nanoseconds took);
  void waited_for_own_limit(std::chrono::nanoseconds waited);

 private:
  MetricRegistry& registry_;
  // Looking a counter up by its labels costs more than the request's own bookkeeping: remember them.
  std::map<std::pair<std::string, int>, Counter*> requests_;
  std::map<Verb, Histogram*> durations_;
  Histogram* own_limit_ = nullptr;
};

}  // namespace rescheduler::kube
