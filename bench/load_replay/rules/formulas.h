// The published scoring rules as functions, written from their descriptions (docs and source as of 2025), with their
// default settings. Loads and amounts are in any one unit; scores are 0 to 100.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace rescheduler::replay {

// --- trimaran's TargetLoadPacking: highest at the target, lower on both sides, lowest when full. ---

inline constexpr double kPackingTarget = 40;
inline constexpr double kPackingRequestFactor = 1.5;  // of a container without a limit
inline constexpr double kPackingDefaultCores = 1;     // of a container without requests

inline double packing_estimate(double request, double limit) {
  if (limit > 0) return limit;
  return request > 0 ? request * kPackingRequestFactor : kPackingDefaultCores;
}

inline std::int64_t packing_score(double percent) {
  if (percent > 100) return 0;
  const double score = percent <= kPackingTarget ? (100 - kPackingTarget) * percent / kPackingTarget + kPackingTarget
                                                 : kPackingTarget * (100 - percent) / (100 - kPackingTarget);
  return std::llround(score);
}

// --- trimaran's LoadVariationRiskBalancing: mean and deviation have equal weight. ---

// `mean` and `deviation` are shares of the node; margin and sensitivity are 1.
inline double variation_score(double mean, double deviation) {
  return (1 - (std::clamp(mean, 0.0, 1.0) + std::clamp(deviation, 0.0, 1.0)) / 2) * 100;
}

// --- crane's Dynamic: averages and recent peaks, and a penalty for recent bindings. ---

struct CraneLoad {
  double mean_5m = 0;
  double largest_1h = 0;
  double largest_1d = 0;
};

inline bool crane_refuses(const CraneLoad& load) { return load.mean_5m > 0.65 || load.largest_1h > 0.75; }

inline std::int64_t crane_hot_value(int bound_in_5m, int bound_in_1m) { return bound_in_5m / 5 + bound_in_1m / 2; }

inline std::int64_t crane_score(const CraneLoad& cpu, const CraneLoad& memory, std::int64_t hot) {
  double sum = 0;
  for (const CraneLoad& load : {cpu, memory}) {
    sum += 0.2 * (1 - load.mean_5m) + 0.3 * (1 - load.largest_1h) + 0.5 * (1 - load.largest_1d);
  }
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(sum * 100 / 2) - 10 * hot, 0, 100);
}

// --- koordinator's LoadAware: usage and estimates; the least loaded node is best. ---

inline constexpr double kKoordinatorCpuPercent = 65;
inline constexpr double kKoordinatorMemoryPercent = 95;
inline constexpr double kKoordinatorCpuFactor = 0.85;
inline constexpr double kKoordinatorMemoryFactor = 0.70;

inline double koordinator_estimate(double request, double limit, double factor, double default_value) {
  const double larger = std::max(request, limit);
  if (larger <= 0) return default_value;
  return limit > 0 ? std::min(limit, larger * factor) : larger * factor;
}

inline bool koordinator_refuses(double cpu, double memory) {
  return std::round(100 * cpu) > kKoordinatorCpuPercent || std::round(100 * memory) > kKoordinatorMemoryPercent;
}

// `cpu` and `memory` are shares of the node, including the incoming pod.
inline std::int64_t koordinator_score(double cpu, double memory) {
  const auto left = [](double used) { return used > 1 ? 0 : static_cast<std::int64_t>((1 - used) * 100); };
  return (left(cpu) + left(memory)) / 2;
}

}  // namespace rescheduler::replay
