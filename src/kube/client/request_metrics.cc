#include "kube/client/request_metrics.h"

namespace rescheduler::kube {
namespace {

// client-go's buckets.
const std::vector<double> kSeconds{0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0};

double seconds(std::chrono::nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

void RequestMetrics::finished(Verb verb, const std::string& method, int code, std::chrono::nanoseconds took) {
  Counter*& counter = requests_[{method, code}];
  if (counter == nullptr) {
    counter = &registry_.counter("rest_client_requests_total",
                                 "Number of HTTP requests, partitioned by status code and method.",
                                 {{"code", code == 0 ? "<error>" : std::to_string(code)}, {"method", method}});
  }
  counter->add();
  Histogram*& histogram = durations_[verb];
  if (histogram == nullptr) {
    histogram = &registry_.histogram("rest_client_request_duration_seconds", "Request latency in seconds, by verb.",
                                     kSeconds, {{"verb", std::string{to_string(verb)}}});
  }
  histogram->observe(seconds(took));
}

void RequestMetrics::waited_for_own_limit(std::chrono::nanoseconds waited) {
  if (own_limit_ == nullptr) {
    own_limit_ = &registry_.histogram("rest_client_rate_limiter_duration_seconds",
                                      "Time that a request waited for the client rate limit.", kSeconds);
  }
  own_limit_->observe(seconds(waited));
}

}  // namespace rescheduler::kube
