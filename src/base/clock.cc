#include "base/clock.h"

namespace rescheduler {

WallTime SystemClock::wall_now() const {
  return std::chrono::time_point_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now());
}

SteadyTime SystemClock::steady_now() const { return std::chrono::steady_clock::now(); }

void ManualClock::advance(std::chrono::nanoseconds by) {
  wall_ += by;
  steady_ += by;
}

}  // namespace rescheduler
