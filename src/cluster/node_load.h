// How busy nodes are, as far as anybody knows: filled in by usage/, read by placement/. Loads are shares of what a node
// has to give (its allocatable): 0.8 is 80 %.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace rescheduler::cluster {

// The resources whose load is followed: these two, then those the configuration names.
inline constexpr std::size_t kCpuLoad = 0;
inline constexpr std::size_t kMemoryLoad = 1;
inline constexpr std::size_t kMostLoads = 6;

using Loads = std::array<double, kMostLoads>;

constexpr Loads loads_of(double value) {
  Loads loads{};
  loads.fill(value);
  return loads;
}

inline constexpr double kUnknownLoad = std::numeric_limits<double>::quiet_NaN();

struct NodeLoad {
  Loads used = loads_of(kUnknownLoad);  // as measured; unknown where nothing fresh is known: that is not idle
  Loads volatility{};  // how far `used` usually is from its own mean: one standard deviation over the last hour or so
  Loads reserved{};    // what is on its way there and not in `used` yet: pods just bound, moves
  std::uint32_t round_robin_count = 0;  // pods placed since nothing better is known; for LoadBasis::RoundRobin

  bool knows(std::size_t resource) const { return !std::isnan(used[resource]); }
  double predicted(std::size_t resource) const { return used[resource] + reserved[resource]; }
};

// What nodes are judged by.
enum class LoadBasis : std::uint8_t {
  Usage,       // NodeLoad; a node that is unknown there by its requests
  Requests,    // what the pods on it ask for
  RoundRobin,  // nothing is known at all: each node in its turn
};

// What holds for all nodes. The mean is that of the moment, so that a node's score depends on the node alone until the
// next one is set.
struct LoadSummary {
  LoadBasis basis = LoadBasis::Requests;
  std::string source = "requests";  // who says so
  std::vector<std::string> resources{"cpu", "memory"};
  Loads mean = loads_of(kUnknownLoad);  // of the predicted loads of the nodes that are known
};

}  // namespace rescheduler::cluster
