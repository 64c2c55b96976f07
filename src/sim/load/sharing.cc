#include "sim/load/sharing.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace rescheduler::sim {

std::int64_t share_cpu(std::span<CpuClaim> claims, std::int64_t capacity) {
  std::int64_t demanded = 0;
  for (CpuClaim& claim : claims) {
    claim.granted = claim.demand;
    demanded += claim.demand;
  }
  if (demanded <= capacity) return demanded;

  // Claims with the smallest demand per weight come first and get all they want if possible. The rest share the
  // remainder.
  std::vector<std::size_t> order(claims.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto demand_per_weight = [&](std::size_t i) {
    return static_cast<double>(claims[i].demand) / static_cast<double>(claims[i].weight);
  };
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return demand_per_weight(a) != demand_per_weight(b) ? demand_per_weight(a) < demand_per_weight(b) : a < b;
  });
  double weight = 0;
  for (const CpuClaim& claim : claims) weight += static_cast<double>(claim.weight);
  std::int64_t left = std::max(capacity, std::int64_t{0});
  std::int64_t granted = 0;
  for (const std::size_t i : order) {
    CpuClaim& claim = claims[i];
    const double share = static_cast<double>(claim.weight) / weight;
    const auto fair = std::min(static_cast<std::int64_t>(static_cast<double>(left) * share), left);
    claim.granted = std::min(claim.demand, fair);
    left -= claim.granted;
    granted += claim.granted;
    weight = std::max(weight - static_cast<double>(claim.weight), 1.0);
  }
  return granted;
}

}  // namespace rescheduler::sim
