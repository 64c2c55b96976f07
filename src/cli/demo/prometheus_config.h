// How a Prometheus finds and scrapes the nodes of an embedded cluster: a configuration, and the list of targets that it
// asks for over HTTP. Not Kubernetes discovery: Debian's Prometheus is built without.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rescheduler::cli {

// Where the embedded API server shows the targets, and nodes' metrics with the time they are from.
inline constexpr std::string_view kPrometheusTargetsPath = "/sim/prometheus-targets";
inline constexpr std::string_view kTimedMetricsPrefix = "/sim/nodes/";  // NAME/metrics

// `url` is the API's: https://127.0.0.1:41234. An empty `ca_path` is for plain HTTP. `instance` is the node's name.
std::string prometheus_config(const std::string& url, const std::string& ca_path);

// As http_sd_configs wants it: JSON. Where the cluster's time is not Prometheus' own, samples carry the time they are
// from (`timed`); Prometheus takes them as long as that is less than ten minutes ahead of its clock.
std::string prometheus_targets(const std::string& url, const std::vector<std::string>& nodes, bool timed);

// The text of an exposition with a time, in milliseconds since 1970, behind every sample.
std::string with_time(std::string_view exposition, std::int64_t milliseconds);

}  // namespace rescheduler::cli
