// The load sources and the processing of their samples, as configured in `load` of the plugin Rescheduler.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rescheduler::cluster {

// The unit of a query's result: 80 or 0.8.
enum class LoadUnit : std::uint8_t { Percent, Fraction };

// A resource besides CPU and memory, for example pressure or disk: any value that a query returns. The first one has
// the index kMemoryLoad + 1 in Loads.
struct LoadResource {
  std::string name{};
  std::string query{};
  LoadUnit unit = LoadUnit::Percent;
  double weight = 0.2;    // 0 to 1, like CPU's and memory's; half of memory's, because this load is only a hint
  double threshold = 80;  // percent; above it the node gets no new pods
  friend bool operator==(const LoadResource&, const LoadResource&) = default;
};

// How the samples of a node become one number.
enum class SmoothingKind : std::uint8_t {
  None,        // the newest sample
  Ewma,        // exponentially weighted mean: a sample that is one half-life older counts half as much
  Percentile,  // of the samples in a window
};

// With a sample every 15 to 60 s, one outlier changes the default's value by 3 to 13 % of the outlier. Half of a
// lasting change is visible after five minutes. Reservations cover the pods placed meanwhile, so a slow value costs
// little. A value that reacts faster sends pods to a node at every short dip of its load: docs/benchmarks.md compares
// both over a day.
struct Smoothing {
  SmoothingKind kind = SmoothingKind::Ewma;
  std::chrono::nanoseconds half_life = std::chrono::minutes{5};  // of Ewma: a sample this old counts half
  double percentile = 95;                                        // of Percentile
  std::chrono::nanoseconds window = std::chrono::minutes{10};    // of Percentile: how old a sample can be
  friend bool operator==(const Smoothing&, const Smoothing&) = default;
};

enum class LoadSourceKind : std::uint8_t { Prometheus, MetricsServer, File };

// The property of a Node that a series must name to belong to it.
enum class NodeMatch : std::uint8_t { InternalIp, Name, Hostname };

struct LoadSource {
  LoadSourceKind kind = LoadSourceKind::MetricsServer;

  // For Prometheus.
  std::string address{};  // http://... or https://...; empty: a known Service of one of these namespaces
  std::vector<std::string> namespaces{"monitoring"};
  std::string ca_file{};  // empty: the system's certificate authorities
  bool insecure_skip_verify = false;
  std::string bearer_token_file{};  // either this,
  std::string username{};           // or this with password_file
  std::string password_file{};
  std::string instance_label = "instance";  // the label of a series that names its node; a port in its value is ignored
  std::vector<NodeMatch> match_node_by{NodeMatch::InternalIp, NodeMatch::Name, NodeMatch::Hostname};
  std::string node_label{};  // also match by this label of the Node; empty: no label
  std::chrono::nanoseconds timeout = std::chrono::seconds{5};
  std::map<std::string, std::string> queries{};  // by resource; a resource without an entry has its default query

  // For a file.
  std::string path{};

  friend bool operator==(const LoadSource&, const LoadSource&) = default;
};

struct LoadSettings {
  std::vector<LoadResource> resources{};                         // besides CPU and memory
  std::chrono::nanoseconds freshness = std::chrono::minutes{3};  // older samples are ignored
  Smoothing smoothing{};
  std::chrono::nanoseconds interval = std::chrono::seconds{15};  // between two reads of the sources
  std::vector<LoadSource> sources{LoadSource{.kind = LoadSourceKind::Prometheus},
                                  LoadSource{}};  // the first that answers is used; else requests
  friend bool operator==(const LoadSettings&, const LoadSettings&) = default;
};

}  // namespace rescheduler::cluster
