// The ledger of loads: keeps NodeState::load and the LoadSummary of a cluster up to date with what sources measure,
// what was placed since they measured, and how old it all is. Belongs to the thread that owns the cluster.
//
//   used    the smoothed samples of a node, for as long as the newest is fresh; then unknown - never zero
//   booked  the estimates of pods placed so recently that the samples do not show them (or not in full): a booking is
//           whole until a sample is newer than the placing, then fades as that load appears in the samples
//   turns   under LoadBasis::RoundRobin, the pods placed there
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
  // The time over which a sample is a mean, unless it says so itself; that long a new load takes to be in it.
  std::chrono::nanoseconds averaged = std::chrono::minutes{5};
};

struct LoadTrackerSettings {
  // Further ones by name after these two, at most cluster::kMostLoads. CPU is measured as rate[5m]; memory at a moment,
  // but a process takes about a minute to fill what it needs.
  std::vector<ResourceSettings> resources{{"cpu", std::chrono::minutes{5}}, {"memory", std::chrono::minutes{1}}};
  SmoothingSettings smoothing{};
  SampleRules rules{};
};

class LoadTracker {
 public:
  LoadTracker(LoadTrackerSettings settings, cluster::Cluster& cluster);

  // What a source measured, as sift() left it. Nodes are judged by usage from now on - unless nothing is in it.
  void take(const Reading& reading, std::string source, WallTime now);
  // Nothing is measured: judge by this. The source is who says so ("requests", "turns").
  void fall_back(cluster::LoadBasis basis, std::string source, WallTime now);
  // Time has passed: what is no longer fresh becomes unknown, bookings fade, the mean is taken. After every take() and
  // every few seconds; O(nodes + live bookings).
  void look(WallTime now);

  // A pod was given a node, at that moment - not when it was heard of: one that has been there for long is in the
  // samples and is not booked. To tell of the same pod again changes nothing; of another node moves it.
  // Booked is what it is expected to use; `workload_usage` may be null.
  void placed(std::string_view uid,
              cluster::NodeIndex node,
              const cluster::NodeRequirements& requirements,
              WallTime at,
              const WorkloadUsage* workload_usage = nullptr);
  // The same with the load in hand: a move on its way, under a name of its own.
  void reserve(std::string_view key, cluster::NodeIndex node, const cluster::Loads& load, WallTime at);
  // It is not there any more, or never came to be.
  void release(std::string_view key);

  const LoadTrackerSettings& settings() const { return settings_; }
  std::size_t reservations() const { return where_.size(); }

 private:
  struct Reservation {
    std::string key{};
    cluster::Loads whole{};
    cluster::Loads now{};  // what is left of it
    WallTime at{};
    bool round_robin = false;  // counted as a turn
  };
  struct Measured {
    Smoother smoother{};
    Volatility volatility{};
    std::uint32_t source = 0;
    std::optional<std::chrono::nanoseconds> averaged{};
  };
  // By NodeIndex. The name tells whether the place is still that node's.
  struct Entry {
    std::string name{};
    std::array<Measured, cluster::kMostLoads> measured{};
    std::vector<Reservation> reservations{};
  };

  Entry& entry_of(const cluster::NodeInfo& node);
  void clear(Entry& entry);
  std::uint32_t source_id(const std::string& name);
  bool is_fresh(const Measured& measured) const;
  bool is_long_past(WallTime placed_at) const;
  void fade(Reservation& reservation, const Entry& entry) const;
  void write(cluster::NodeIndex index, const Entry& entry);
  void set_load_summary_basis(cluster::LoadBasis basis, std::string source);

  LoadTrackerSettings settings_;
  cluster::Cluster& cluster_;
  std::vector<Entry> entries_;
  boost::unordered_flat_map<std::string, cluster::NodeIndex> where_;  // a booking's node
  std::vector<std::string> sources_;
  cluster::LoadSummary load_summary_;
  std::chrono::nanoseconds longest_;  // until a booking is in the samples, whichever the resource
  WallTime now_ = WallTime::min();
  bool taken_ = false;  // something was measured since the last look
};

}  // namespace rescheduler::usage
