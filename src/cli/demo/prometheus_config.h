// Lets a Prometheus find and scrape the nodes of an embedded cluster: a configuration, and the list of targets for HTTP
// service discovery. Kubernetes discovery is not used, because Debian builds Prometheus without it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rescheduler::cli {

// Paths of the embedded API server for the targets, and for metrics of nodes with timestamps.
inline constexpr std::string_view kPrometheusTargetsPath = "/sim/prometheus-targets";
inline constexpr std::string_view kTimedMetricsPrefix = "/sim/nodes/";  // NAME/metrics, NAME/metrics/cadvisor

// `url` is the URL of the API server: https://127.0.0.1:41234. An empty `ca_path` means plain HTTP. The label
// `instance` is the name of the node.
std::string prometheus_config(const std::string& url, const std::string& ca_path);

// JSON for http_sd_configs. If the time of the cluster differs from that of Prometheus, samples carry timestamps
// (`timed`). Prometheus accepts them up to ten minutes ahead of its clock.
std::string prometheus_targets(const std::string& url, const std::vector<std::string>& nodes, bool timed);

// Adds a timestamp, in milliseconds since 1970, to every sample of an exposition.
std::string with_time(std::string_view exposition, std::int64_t milliseconds);

}  // namespace rescheduler::cli
