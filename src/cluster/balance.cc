#include "cluster/balance.h"

#include <algorithm>
#include <cmath>

namespace rescheduler::cluster {
namespace {

constexpr double kPercent = 100;

}  // namespace

LoadSpread spread_of(std::span<const double> loads) {
  double count = 0;
  LoadSpread spread{0, 0, 0};
  for (const double load : loads) {
    if (std::isnan(load)) continue;
    ++count;
    spread.mean += load;
    spread.max = std::max(spread.max, load);
  }
  if (count == 0) return {};
  spread.mean /= count;
  double squares = 0;
  for (const double load : loads) {
    if (!std::isnan(load)) squares += (load - spread.mean) * (load - spread.mean);
  }
  spread.deviation = std::sqrt(squares / count);
  return spread;
}

bool Balance::known() const { return !std::isnan(score); }

double weighted_deviation(const LoadSpread& cpu, const LoadSpread& memory, BalanceWeights weights) {
  const double whole = weights.cpu + weights.memory;
  if (!(whole > 0)) weights = {1, 1};
  return kPercent * (weights.cpu * cpu.deviation + weights.memory * memory.deviation) / (weights.cpu + weights.memory);
}

Balance balance_of(const LoadSpread& cpu, const LoadSpread& memory, BalanceWeights weights) {
  Balance balance;
  balance.cpu_deviation = cpu.deviation * kPercent;
  balance.memory_deviation = memory.deviation * kPercent;
  balance.cpu_max = cpu.max * kPercent;
  balance.memory_max = memory.max * kPercent;
  const double deviation = weighted_deviation(cpu, memory, weights);
  // Unknown is not the same as uneven: clamp() would turn NaN into a number.
  if (!std::isnan(deviation)) balance.score = std::clamp(kPercent - score_points(deviation), 0.0, kPercent);
  return balance;
}

}  // namespace rescheduler::cluster
