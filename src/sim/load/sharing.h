// Divides a contended CPU between pods.
#pragma once

#include <cstdint>
#include <span>

namespace rescheduler::sim {

struct CpuClaim {
  std::int64_t demand = 0;   // without contention
  std::int64_t weight = 1;   // > 0; the request, like cgroup shares
  std::int64_t granted = 0;  // the result
};

// Like the kernel's fair scheduler. While demand exceeds capacity, each claim gets capacity in proportion to its
// weight, and unneeded capacity goes to the others. No claim gets more than its demand. No capacity is left while a
// claim wants more (except less than one unit each). Returns the sum of granted CPU.
std::int64_t share_cpu(std::span<CpuClaim> claims, std::int64_t capacity);

}  // namespace rescheduler::sim
