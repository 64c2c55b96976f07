// A run of moves under fault injection, and the invariants that must hold afterwards.
#pragma once

#include <cstdint>

#include "base/log.h"
#include "chaos/chaotic_cluster.h"

namespace rescheduler::test {

// Suppresses all log lines but errors during its lifetime: a run warns of hundreds of injected faults.
class Quiet {
 public:
  Quiet() { set_log_level(LogLevel::Error); }
  ~Quiet() { set_log_level(LogLevel::Info); }
};

// One line: the moves, their results, and the injected faults.
void print_run(std::uint64_t seed, const ChaoticCluster& cluster);

void expect_survives(std::uint64_t seed, int moves);

}  // namespace rescheduler::test
