// What a load source says of nodes, and what of it is believed. Missing, broken and doubtful data is dropped and
// counted; it is never taken for an idle node.
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
  std::string node{};  // its name; empty: the source could not tell whose it is
  std::size_t resource = cluster::kCpuLoad;
  double value = 0.0;  // share of what the node has: 0.8 is 80 %
  WallTime at{};
  // The time over which it is a mean, where the source says so; otherwise ResourceSettings::averaged.
  std::optional<std::chrono::nanoseconds> averaged{};
};

// Why a sample is not used.
enum class Drop : std::uint8_t {
  NotANumber,  // NaN or infinite
  Negative,
  Absurd,     // more than any node can be loaded
  NoNode,     // of no node that is known
  Ambiguous,  // it may be of two nodes, or there are two for one node and resource: nobody knows which is right
  Future,     // stamped later than clocks may differ
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
  std::string text() const;  // "3 stale, 1 ambiguous"; empty when there are none
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
  // CPU in use can exceed allocatable (what is set aside for the system), and pressure can exceed 1. Ten times the node
  // cannot be: that is a query in other units.
  double most = 10.0;
  // An idle node measured by what it does not do (100 - idle) comes out a little below zero at times: rates are
  // extrapolated. That is zero; what is further below is a mistake.
  double rounding = 0.02;
  // Three misses of a scrape every minute, the longest interval in wide use.
  std::chrono::nanoseconds freshness = std::chrono::minutes{3};
  // Clocks that are synchronised at all differ by less.
  std::chrono::nanoseconds skew = std::chrono::seconds{30};
};

// What is wrong with a sample taken by itself.
std::optional<Drop> fault_of(const Sample& sample, const SampleRules& rules, WallTime now);

// What may be used of a reading, with what may not counted. Two samples for one node and resource refuse each other
// even where one of them is broken: the other is no better known for that.
Reading sift(Reading raw, const SampleRules& rules, WallTime now);

}  // namespace rescheduler::usage
