// Where loads come from and what is made of them, as a configuration says it (`load` of the plugin Rescheduler).
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rescheduler::cluster {

// What a query answers in: 80 or 0.8.
enum class LoadUnit : std::uint8_t { Percent, Fraction };

// A resource besides CPU and memory: pressure, disk, whatever can be asked for. The first is kMemoryLoad + 1 in Loads.
struct LoadResource {
  std::string name{};
  std::string query{};
  LoadUnit unit = LoadUnit::Percent;
  double weight = 0.2;    // 0 to 1, as CPU's and memory's; half of memory's, for a hint has less to say than a need
  double threshold = 80;  // percent; above it a node takes no new pods
  friend bool operator==(const LoadResource&, const LoadResource&) = default;
};

// How a node's samples become one number.
enum class SmoothingKind : std::uint8_t {
  None,        // the newest sample
  Ewma,        // exponentially weighted mean: what is one half-life older counts half as much
  Percentile,  // of the samples of a window
};

// With a sample every 15 to 60 s one outlier moves the default's value by 3 to 13 % of itself, and a load that stays is
// seen to half after five minutes. What is placed is booked meanwhile, so a slow view costs little, and a quick one
// sends pods after every moment's dip: docs/benchmarks.md has a day of both.
struct Smoothing {
  SmoothingKind kind = SmoothingKind::Ewma;
  std::chrono::nanoseconds half_life = std::chrono::minutes{5};  // of Ewma: after it a sample counts half
  double percentile = 95;                                        // of Percentile, over
  std::chrono::nanoseconds window = std::chrono::minutes{10};    // so long
  friend bool operator==(const Smoothing&, const Smoothing&) = default;
};

enum class LoadSourceKind : std::uint8_t { Prometheus, MetricsServer, File };

// By what a series is known to be a node's.
enum class NodeMatch : std::uint8_t { InternalIp, Name, Hostname };

struct LoadSource {
  LoadSourceKind kind = LoadSourceKind::MetricsServer;

  // Of Prometheus.
  std::string address{};  // http://... or https://...
  std::string ca_file{};  // empty: the system's authorities
  bool insecure_skip_verify = false;
  std::string bearer_token_file{};  // or
  std::string username{};           // with
  std::string password_file{};
  std::string instance_label = "instance";  // of a series: says which node it is of, a port behind it aside
  std::vector<NodeMatch> match_node_by{NodeMatch::InternalIp, NodeMatch::Name, NodeMatch::Hostname};
  std::string node_label{};  // also by this label of the Node; empty: none
  std::chrono::nanoseconds timeout = std::chrono::seconds{5};
  std::map<std::string, std::string> queries{};  // by resource; one that is not here has its default

  // Of a file.
  std::string path{};

  friend bool operator==(const LoadSource&, const LoadSource&) = default;
};

struct LoadSettings {
  std::vector<LoadResource> resources{};                         // besides CPU and memory
  std::chrono::nanoseconds freshness = std::chrono::minutes{3};  // a sample that is older says nothing
  Smoothing smoothing{};
  std::chrono::nanoseconds interval = std::chrono::seconds{15};  // between two looks at the sources
  std::vector<LoadSource> sources{LoadSource{}};                 // the first that answers is believed; none: requests
  friend bool operator==(const LoadSettings&, const LoadSettings&) = default;
};

}  // namespace rescheduler::cluster
