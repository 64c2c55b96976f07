// Node loads from a Prometheus, or whatever answers /api/v1/query as one does.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "kube/client/loop_services.h"
#include "kube/config/client_config.h"
#include "usage/node_finder.h"
#include "usage/source.h"

namespace rescheduler::usage {

using Unit = cluster::LoadUnit;

struct PrometheusQuery {
  std::string resource{};  // "cpu"; for messages. Its place in the list is its place in LoadTrackerSettings::resources.
  std::string expression{};
  Unit unit = Unit::Percent;
  // A query for when each node was last heard of, in seconds since 1970. The time of an answer says nothing of that: a
  // rate over five minutes goes on for five minutes after the node has fallen silent. Empty: the answer's time.
  std::string heard{};
};

// One value per node, from node_exporter. CPU is a mean over five minutes. The label is the one that tells the node.
std::vector<PrometheusQuery> default_queries(const std::string& label = "instance");
// The same from the rules of deploy/prometheus/rules.yml: cheaper in large clusters.
std::vector<PrometheusQuery> recorded_queries();

struct PrometheusSettings {
  std::string name = "prometheus";  // who says so, where several are asked
  std::string url{};                // "http://prometheus.monitoring:9090", with a path if it has one
  std::vector<PrometheusQuery> queries = default_queries();
  std::string instance_label = "instance";  // whose value tells the node
  FindSettings find{};
  kube::CredentialMethod credentials{};  // anonymous, a token, a token's file, or user and password
  std::string ca_file{};                 // empty: the system's authorities
  bool insecure_skip_verify = false;
  bool use_get = false;  // for proxies that refuse POST
  // For a whole reading. Half an interval of the feed, so that a slow answer delays one reading and not the next.
  std::chrono::nanoseconds timeout = std::chrono::seconds{7};
};

// Fails on settings that cannot work: the URL, the CA file, no queries. Connects to nothing yet.
Result<std::unique_ptr<Source>> make_prometheus_source(const kube::LoopServices& services, PrometheusSettings settings);

}  // namespace rescheduler::usage
