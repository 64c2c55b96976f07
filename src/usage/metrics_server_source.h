// Node loads from metrics-server (metrics.k8s.io), read through the API server. CPU and memory use are shares of the
// node's allocatable, with the time and window of each measurement.
#pragma once

#include <chrono>
#include <memory>

#include "usage/source.h"

namespace rescheduler::kube {
class Api;
}  // namespace rescheduler::kube

namespace rescheduler::usage {

struct MetricsServerSettings {
  std::chrono::nanoseconds timeout = std::chrono::seconds{7};
};

// `api` must outlive the source. Needs the verb `list` on nodes.metrics.k8s.io.
std::unique_ptr<Source> make_metrics_server_source(kube::Api& api, MetricsServerSettings settings = {});

}  // namespace rescheduler::usage
