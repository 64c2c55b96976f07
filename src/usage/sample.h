// Samples of a load source, and the rules for using them. Missing, broken and doubtful samples are dropped and counted.
// A node without samples never counts as idle.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "cluster/node_load.h"

namespace rescheduler::usage {

struct Sample {
  std::string node{};  // the node's name; empty: the source cannot identify the node
  std::size_t resource = cluster::kCpuLoad;
  double value = 0.0;  // share of the node's total: 0.8 is 80 %
  WallTime at{};
  // The sample is a mean over this time, if the source reports it; otherwise ResourceSettings::averaged applies.
  std::optional<std::chrono::nanoseconds> averaged{};
};

// Why a sample is not used.
enum class Drop : std::uint8_t {
  NotANumber,  // NaN or infinite
  Negative,
  Absurd,     // more than any node can be loaded
  NoNode,     // no known node
  Ambiguous,  // it may belong to two nodes, or one node and resource has two samples: the right one is unknown
  Future,     // its time is later than clocks may differ
  Stale,      // older than the freshness limit
};
inline constexpr std::size_t kDrops = 7;
std::string_view to_string(Drop why) noexcept;  // as in metrics: "not_a_number", "no_node"

class DropCounts {
 public:
  std::uint64_t& operator[](Drop why) { return counts_[static_cast<std::size_t>(why)]; }
  std::uint64_t operator[](Drop why) const { return counts_[static_cast<std::size_t>(why)]; }
  DropCounts& operator+=(const DropCounts& more);
  std::uint64_t total() const;
  std::string text() const;  // "3 stale, 1 ambiguous"; empty if nothing was dropped
  friend bool operator==(const DropCounts&, const DropCounts&) = default;

 private:
  std::array<std::uint64_t, kDrops> counts_{};
};

struct Reading {
  std::vector<Sample> samples{};
  DropCounts dropped{};

  std::optional<WallTime> newest() const;  // the time of the newest sample
};

struct SampleRules {
  // CPU use can exceed allocatable by the part reserved for the system, and pressure can exceed 1. Ten times the node
  // is impossible: such a value comes from a query in another unit.
  double most = 10.0;
  // An idle node that is measured as 100 - idle can be slightly below zero, because rates are extrapolated. Such a
  // value counts as zero. A value further below is an error.
  double rounding = 0.02;
  // Three missed scrapes at an interval of one minute, the longest interval in wide use.
  std::chrono::nanoseconds freshness = std::chrono::minutes{3};
  // Synchronised clocks differ by less.
  std::chrono::nanoseconds skew = std::chrono::seconds{30};
};

// What is wrong with this sample, without regard to other samples.
std::optional<Drop> fault_of(const Sample& sample, const SampleRules& rules, WallTime now);

// Returns the usable samples of a reading and counts the dropped ones. Two samples for one node and resource are both
// dropped, even if one of them is broken: this does not prove that the other one is right.
Reading sift(Reading raw, const SampleRules& rules, WallTime now);

}  // namespace rescheduler::usage
