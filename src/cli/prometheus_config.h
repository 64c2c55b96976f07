// How a Prometheus finds and scrapes the nodes of an embedded cluster: a configuration, and the list of targets that it
// asks for over HTTP. Not Kubernetes discovery: Debian's Prometheus is built without.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rescheduler::cli {

// Where the embedded API server shows the targets.
inline constexpr std::string_view kPrometheusTargetsPath = "/sim/prometheus-targets";

// `url` is the API's: https://127.0.0.1:41234. An empty `ca_path` is for plain HTTP. `instance` is the node's name.
std::string prometheus_config(const std::string& url, const std::string& ca_path);

// As http_sd_configs wants it: JSON.
std::string prometheus_targets(const std::string& url, const std::vector<std::string>& nodes);

}  // namespace rescheduler::cli
