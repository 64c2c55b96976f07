// The result of a replay: how often and how long nodes were above the threshold.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rescheduler::replay {

inline constexpr double kThreshold = 0.8;

struct Outcome {
  double cpu_over = 0;      // node-minutes with a CPU demand above the threshold
  double memory_over = 0;   // likewise
  double episodes = 0;      // uninterrupted periods in which the CPU demand of a node was above the threshold
  double mean_episode = 0;  // minutes
  double longest_episode = 0;
  double largest_load = 0;     // CPU demand divided by the capacity of the node
  double deviation = 0;        // standard deviation of CPU over nodes; mean over time
  double mean_load = 0;        // CPU, mean over nodes and time
  double left_pending = 0;     // pods at the end
  double pending_minutes = 0;  // pod-minutes
  double placed = 0;
  double seconds = 0;  // elapsed time of the replay
  std::vector<double> deviation_over_time{};
  std::vector<double> over_over_time{};  // number of nodes above the threshold, CPU
};

// Collects the numbers minute by minute.
class Tally {
 public:
  explicit Tally(std::size_t nodes) : lasting_(nodes, 0) {}
  // Demands as shares of the nodes.
  void minute(std::span<const double> cpu, std::span<const double> memory, std::size_t pending);
  Outcome finish();  // without `placed`, `seconds` and `left_pending`

 private:
  void end_episode(std::int64_t& minutes);

  Outcome outcome_;
  std::vector<std::int64_t> lasting_;  // minutes of the current episode of each node
  double minutes_in_episodes_ = 0;
};

Outcome mean_of(std::span<const Outcome> runs);

}  // namespace rescheduler::replay
