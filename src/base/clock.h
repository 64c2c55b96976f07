// Where time comes from. Deciding code never asks the machine for it: a Clock comes in as a parameter.
#pragma once

#include <chrono>

namespace rescheduler {

// Wall time, for timestamps that others read. It may jump.
using WallTime = std::chrono::sys_time<std::chrono::nanoseconds>;
// Monotonic time, for durations and deadlines. It never jumps, and means nothing to anybody else. It goes on while
// the machine is suspended, unlike std::chrono::steady_clock::now(): never compare readings of the two.
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

// Stands still until told otherwise. For tests and for virtual time.
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
