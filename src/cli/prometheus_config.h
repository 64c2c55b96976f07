// A Prometheus configuration that finds the nodes of an embedded cluster and scrapes them through its API.
#pragma once

#include <string>

namespace rescheduler::cli {

struct PrometheusWishes {
  std::string url;              // of the API: https://127.0.0.1:41234
  std::string kubeconfig_path;  // where Prometheus finds it
  std::string ca_path;          // empty: plain HTTP
};

// Every node's load, as node_exporter would tell it; `instance` is the node's name.
std::string prometheus_config(const PrometheusWishes& wishes);

}  // namespace rescheduler::cli
