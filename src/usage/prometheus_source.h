// Node loads from Prometheus, or from any server that implements /api/v1/query.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "kube/client/loop_services.h"
#include "kube/config/client_config.h"
#include "usage/node_finder.h"
#include "usage/source.h"

namespace rescheduler::usage {

using Unit = cluster::LoadUnit;

struct PrometheusQuery {
  std::string resource{};  // "cpu", for messages; same index as in LoadTrackerSettings::resources
  std::string expression{};
  Unit unit = Unit::Percent;
  // A query for the time of each node's last sample, in seconds since 1970. The time of a result does not show it:
  // rate[5m] returns values for five minutes after a node stops reporting. Empty: the time of the result is used.
  std::string freshness_query{};
};

// One value per node, from node_exporter. CPU is a mean over five minutes. `label` is the label that identifies the
// node.
std::vector<PrometheusQuery> default_queries(const std::string& label = "instance");
// The same from the recording rules of deploy/prometheus/rules.yml: cheaper in large clusters.
std::vector<PrometheusQuery> recorded_queries();

// The label of the result that names the pod: NAMESPACE/NAME.
inline constexpr std::string_view kPodLabel = "rescheduler_pod";

// One value per pod each, with the label kPodLabel.
struct PodQueries {
  std::string cpu{};        // cores
  std::string memory{};     // bytes
  std::string last_time{};  // of the last sample, in seconds since 1970
};
// From the cAdvisor of the kubelets. CPU is the mean between the last two scrapes, as metrics-server measures it.
PodQueries default_pod_queries();

struct PrometheusSettings {
  std::string name = "prometheus";  // the source's name, if there are several
  std::string url{};                // "http://prometheus.monitoring:9090", with a path if needed
  std::vector<PrometheusQuery> queries = default_queries();
  PodQueries pod_queries = default_pod_queries();
  std::string instance_label = "instance";  // the label that identifies the node
  FindSettings find{};
  kube::CredentialMethod credentials{};  // anonymous, a token, a token file, or user name and password
  std::string ca_file{};                 // empty: the system's certificate authorities
  bool insecure_skip_verify = false;
  bool use_get = false;  // for proxies that reject POST
  // For a whole reading. Half an interval of the feed, so that a slow response delays one reading and not the next.
  std::chrono::nanoseconds timeout = std::chrono::seconds{7};
};

// Fails if the settings cannot work: an invalid URL, an invalid CA file, no queries. Does not connect yet.
Result<std::unique_ptr<Source>> make_prometheus_source(const kube::LoopServices& services, PrometheusSettings settings);

}  // namespace rescheduler::usage
