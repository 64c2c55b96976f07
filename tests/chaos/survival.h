// A run of moves on a cluster where nearly everything goes wrong, and what must hold afterwards.
#pragma once

#include <cstdint>

#include "base/log.h"
#include "chaos/chaotic_cluster.h"

namespace rescheduler::test {

// No log lines but errors while this lives: a run warns of hundreds of injected faults.
class Quiet {
 public:
  Quiet() { set_log_level(LogLevel::Error); }
  ~Quiet() { set_log_level(LogLevel::Info); }
};

// One line: what was ordered, how it ended, and what was done to the cluster meanwhile.
void print_run(std::uint64_t seed, const ChaoticCluster& cluster);

void expect_survives(std::uint64_t seed, int moves);

}  // namespace rescheduler::test
