// Node loads from metrics-server (metrics.k8s.io), read through the API server. CPU and memory use are shares of the
// node's allocatable, with the time and window of each measurement.
#pragma once

#include <chrono>
#include <memory>

#include "usage/pod_use.h"
#include "usage/source.h"

namespace rescheduler::api {
class PodMetrics;
}  // namespace rescheduler::api

namespace rescheduler::kube {
class Api;
}  // namespace rescheduler::kube

namespace rescheduler::usage {

struct MetricsServerSettings {
  std::chrono::nanoseconds timeout = std::chrono::seconds{7};
};

// The sum over the containers of the pod.
PodUse pod_use_of(const api::PodMetrics& metrics);

// `api` must outlive the source. Needs the verb `list` on nodes.metrics.k8s.io, and on pods.metrics.k8s.io for
// read_pods().
std::unique_ptr<Source> make_metrics_server_source(kube::Api& api, MetricsServerSettings settings = {});

}  // namespace rescheduler::usage
