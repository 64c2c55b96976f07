// Who gets how much of a contended CPU.
#pragma once

#include <cstdint>
#include <span>

namespace rescheduler::sim {

struct CpuClaim {
  std::int64_t demand = 0;   // what it would use
  std::int64_t weight = 1;   // > 0; its request, as cgroup shares have it
  std::int64_t granted = 0;  // the answer
};

// As the kernel's fair scheduler does: while demand exceeds capacity, each gets capacity in proportion to its weight,
// and what one does not need goes to the others. Nobody gets more than its demand, and nothing is left over while
// somebody wants more (but for less than one unit each). Returns the sum of what was granted.
std::int64_t share_cpu(std::span<CpuClaim> claims, std::int64_t capacity);

}  // namespace rescheduler::sim
