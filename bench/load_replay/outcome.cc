#include "outcome.h"

#include <algorithm>
#include <cmath>

namespace rescheduler::replay {

void Tally::minute(std::span<const double> cpu, std::span<const double> memory, std::size_t pending) {
  const auto nodes = static_cast<double>(cpu.size());
  double sum = 0;
  double squares = 0;
  double over = 0;
  for (std::size_t node = 0; node < cpu.size(); ++node) {
    sum += cpu[node];
    squares += cpu[node] * cpu[node];
    outcome_.largest_load = std::max(outcome_.largest_load, cpu[node]);
    if (memory[node] > kThreshold) outcome_.memory_over += 1;
    if (cpu[node] > kThreshold) {
      over += 1;
      ++lasting_[node];
    } else {
      end_episode(lasting_[node]);
    }
  }
  outcome_.cpu_over += over;
  outcome_.pending_minutes += static_cast<double>(pending);
  outcome_.mean_load += sum / nodes;  // a sum until finish() divides it
  outcome_.deviation_over_time.push_back(std::sqrt(std::max(0.0, squares / nodes - sum * sum / nodes / nodes)));
  outcome_.over_over_time.push_back(over);
}

void Tally::end_episode(std::int64_t& minutes) {
  if (minutes == 0) return;
  outcome_.episodes += 1;
  minutes_in_episodes_ += static_cast<double>(minutes);
  outcome_.longest_episode = std::max(outcome_.longest_episode, static_cast<double>(minutes));
  minutes = 0;
}

Outcome Tally::finish() {
  for (std::int64_t& minutes : lasting_) end_episode(minutes);
  const auto minutes = static_cast<double>(std::max<std::size_t>(1, outcome_.deviation_over_time.size()));
  outcome_.mean_load /= minutes;
  for (const double one : outcome_.deviation_over_time) outcome_.deviation += one / minutes;
  if (outcome_.episodes > 0) outcome_.mean_episode = minutes_in_episodes_ / outcome_.episodes;
  return outcome_;
}

Outcome mean_of(std::span<const Outcome> runs) {
  Outcome mean;
  const auto count = static_cast<double>(runs.size());
  for (double Outcome::* const field :
       {&Outcome::cpu_over, &Outcome::memory_over, &Outcome::episodes, &Outcome::mean_episode,
        &Outcome::longest_episode, &Outcome::largest_load, &Outcome::deviation, &Outcome::mean_load,
        &Outcome::left_pending, &Outcome::pending_minutes, &Outcome::placed, &Outcome::seconds}) {
    for (const Outcome& run : runs) mean.*field += run.*field / count;
  }
  for (std::vector<double> Outcome::* const series : {&Outcome::deviation_over_time, &Outcome::over_over_time}) {
    (mean.*series).assign((runs.front().*series).size(), 0.0);
    for (const Outcome& run : runs) {
      for (std::size_t i = 0; i < (mean.*series).size(); ++i) (mean.*series)[i] += (run.*series)[i] / count;
    }
  }
  return mean;
}

}  // namespace rescheduler::replay
