// The known load of nodes: set by usage/, read by placement/. Loads are shares of a node: 0.8 is 80 %. The load source
// decides whether a measured share is of the capacity or of the allocatable.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace rescheduler::cluster {

// The resources whose load is tracked: these two, then the resources in the configuration.
inline constexpr std::size_t kCpuLoad = 0;
inline constexpr std::size_t kMemoryLoad = 1;
inline constexpr std::size_t kMostLoads = 6;

using Loads = std::array<double, kMostLoads>;

constexpr Loads loads_of(double value) {
  Loads loads{};
  loads.fill(value);
  return loads;
}

// Milli-cores, bytes, and units of the other tracked resources. Not a share of a node: the two do not convert into each
// other.
class Amounts {
 public:
  double& operator[](std::size_t resource) { return values_[resource]; }
  double operator[](std::size_t resource) const { return values_[resource]; }

 private:
  std::array<double, kMostLoads> values_{};
};

inline constexpr double kUnknownLoad = std::numeric_limits<double>::quiet_NaN();

struct NodeLoad {
  Loads used = loads_of(kUnknownLoad);  // as measured; unknown if there is no fresh sample, which does not mean idle
  Loads volatility{};  // how far `used` usually is from its own mean: one standard deviation over about the last hour
  Loads reserved{};    // expected load that is not in `used` yet: pods just bound, moves
  std::uint32_t round_robin_count = 0;  // pods placed since load and requests are unknown; for LoadBasis::RoundRobin

  bool knows(std::size_t resource) const { return !std::isnan(used[resource]); }
  double predicted(std::size_t resource) const { return used[resource] + reserved[resource]; }
};

// What the nodes are judged by.
enum class LoadBasis : std::uint8_t {
  Usage,       // NodeLoad; a node without a known load is judged by its requests
  Requests,    // the requests of the node's pods
  RoundRobin,  // nothing is known: the nodes get pods in turn
};

// The values for all nodes. The mean stays fixed until the next LoadSummary is set, so that until then a node's score
// depends only on the node.
struct LoadSummary {
  LoadBasis basis = LoadBasis::Requests;
  std::string source = "requests";  // the load source
  std::vector<std::string> resources{"cpu", "memory"};
  Loads mean = loads_of(kUnknownLoad);  // of the predicted loads of the nodes whose load is known
};

}  // namespace rescheduler::cluster
