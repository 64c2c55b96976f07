// Keeps NodeInfo::load and the LoadSummary of a cluster up to date. Its input: the samples of the sources, the pods
// placed since those samples, and the age of the samples. The thread that owns the cluster owns it too.
//
//   used               the smoothed samples of a node while the newest one is fresh; then unknown, never zero
//   reserved           the estimates of pods placed so recently that the samples do not contain their full load. A
//                      reservation is whole until a sample is newer than the placement. Then it fades as the load
//                      appears in the samples.
//   round_robin_count  under LoadBasis::RoundRobin, the pods placed on the node
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/clock.h"
#include "cluster/cluster.h"
#include "usage/sample.h"
#include "usage/smoothing.h"
#include "usage/workload_usage.h"

namespace rescheduler::usage {

struct ResourceSettings {
  std::string name{};
  // A sample is a mean over this time, unless the sample itself states a time. A new load takes this long to appear in
  // full.
  std::chrono::nanoseconds averaged = std::chrono::minutes{5};
};

struct LoadTrackerSettings {
  // Further resources follow these two by name, at most cluster::kMostLoads in all. CPU is measured as rate[5m]. Memory
  // is measured at one moment, but a process needs about a minute to allocate its memory.
  std::vector<ResourceSettings> resources{{"cpu", std::chrono::minutes{5}}, {"memory", std::chrono::minutes{1}}};
  SmoothingSettings smoothing{};
  SampleRules rules{};
};

class LoadTracker {
 public:
  LoadTracker(LoadTrackerSettings settings, cluster::Cluster& cluster);

  // A reading of a source after sift(). From now on nodes are judged by usage, unless the reading is empty.
  void take(const Reading& reading, std::string source, WallTime now);
  // No source has data: nodes are judged by `basis`. `source` is "requests" or "turns".
  void fall_back(cluster::LoadBasis basis, std::string source, WallTime now);
  // Applies the passed time: samples that are no longer fresh become unknown, reservations fade, the mean is computed.
  // Called after every take() and every few seconds; O(nodes + live reservations).
  void look(WallTime now);

  // A pod got a node at the time `at`, which can be earlier than the time of this call. The samples already contain a
  // pod that was placed long ago, so it is not reserved. A repeated call for the same pod changes nothing; with another
  // node it moves the reservation. The expected load is reserved; `workload_usage` may be null.
  void placed(std::string_view uid,
              cluster::NodeIndex node,
              const cluster::NodeRequirements& requirements,
              WallTime at,
              const WorkloadUsage* workload_usage = nullptr);
  // The same with a given load: for a move that has started, under a key of its own.
  void reserve(std::string_view key, cluster::NodeIndex node, const cluster::Loads& load, WallTime at);
  // The pod was removed, or it never started.
  void release(std::string_view key);

  const LoadTrackerSettings& settings() const { return settings_; }
  std::size_t reservations() const { return where_.size(); }

 private:
  // The hash of a key, because the uids of 100,000 pods need much memory. If two pods have the same hash, only one of
  // them has a reservation. This occurs in one of 10^9 clusters of that size.
  using Key = std::uint64_t;

  struct Reservation {
    Key key = 0;
    cluster::Loads load{};
    WallTime at{};
    bool round_robin = false;  // counted in round_robin_count
  };
  struct Measured {
    Smoother smoother{};
    Volatility volatility{};
    std::uint32_t source = 0;
    std::optional<std::chrono::nanoseconds> averaged{};
  };
  // By NodeIndex. The name tells whether the index still belongs to the same node.
  struct Entry {
    std::string name{};
    std::vector<Measured> measured{};  // by resource of the settings
    std::vector<Reservation> reservations{};
  };

  Entry& entry_of(const cluster::NodeInfo& node);
  void clear(Entry& entry);
  std::uint32_t source_id(const std::string& name);
  bool is_fresh(const Measured& measured) const;
  bool is_long_past(WallTime placed_at) const;
  // The part of the reserved load that is not in the samples yet.
  double remaining(const Reservation& reservation, const Entry& entry, std::size_t resource) const;
  void write(cluster::NodeIndex index, const Entry& entry);
  void set_load_summary_basis(cluster::LoadBasis basis, std::string source);

  LoadTrackerSettings settings_;
  cluster::Cluster& cluster_;
  std::vector<Entry> entries_;
  boost::unordered_flat_map<Key, cluster::NodeIndex> where_;  // the node of each reservation
  std::vector<std::string> sources_;
  cluster::LoadSummary load_summary_;
  std::chrono::nanoseconds longest_;  // until a reservation is in the samples, for any resource
  WallTime now_ = WallTime::min();
  bool taken_ = false;  // take() was called since the last look()
};

}  // namespace rescheduler::usage
