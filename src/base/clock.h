// The source of time. Code that makes decisions never reads the system time: it takes a Clock as a parameter.
#pragma once

#include <chrono>

namespace rescheduler {

// Wall time, for timestamps that other programs read. Wall time can jump.
using WallTime = std::chrono::sys_time<std::chrono::nanoseconds>;
// Monotonic time, for durations and deadlines. It never jumps, and it has no meaning outside this machine. The time of
// SystemClock advances while the machine is suspended. The time of std::chrono::steady_clock, which net/ uses for
// timers, does not. Never compare readings of the two.
using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual WallTime wall_now() const = 0;
  virtual SteadyTime steady_now() const = 0;
};

class SystemClock final : public Clock {
 public:
  WallTime wall_now() const override;
  SteadyTime steady_now() const override;
};

// Advances only by advance(). For tests and for virtual time.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(WallTime start = WallTime{std::chrono::seconds{1'700'000'000}}) : wall_(start) {}
  WallTime wall_now() const override { return wall_; }
  SteadyTime steady_now() const override { return steady_; }

  void advance(std::chrono::nanoseconds by);

 private:
  WallTime wall_;
  SteadyTime steady_{std::chrono::hours{1}};
};

}  // namespace rescheduler
