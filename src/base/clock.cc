#include "base/clock.h"

#include <ctime>

namespace rescheduler {

WallTime SystemClock::wall_now() const {
  return std::chrono::time_point_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now());
}

SteadyTime SystemClock::steady_now() const {
#ifdef __linux__
  // std::chrono reads CLOCK_MONOTONIC, which stops while the machine is suspended. CLOCK_BOOTTIME goes on: after a
  // suspension that is longer than the lease, the leader must see that its lease has expired.
  std::timespec now{};
  if (::clock_gettime(CLOCK_BOOTTIME, &now) == 0) {
    return SteadyTime{std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec}};
  }
#endif
  return std::chrono::steady_clock::now();
}

void ManualClock::advance(std::chrono::nanoseconds by) {
  wall_ += by;
  steady_ += by;
}

}  // namespace rescheduler
