// A loop whose time passes only in sleeps: no test waits in real time.
//
// Every sleep advances the clock at once and lets other coroutines run before it returns. With several sleepers the sum
// of their sleeps passes, so this suits components with mostly one sleeper.
#pragma once

#include <atomic>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/rng.h"
#include "kube/client/loop_services.h"
#include "net/event_loop.h"

namespace rescheduler::test {

// Like ManualClock, but any thread may read and advance it.
class SharedClock final : public Clock {
 public:
  WallTime wall_now() const override { return WallTime{std::chrono::seconds{1'700'000'000}} + passed(); }
  SteadyTime steady_now() const override { return SteadyTime{std::chrono::hours{1}} + passed(); }
  void advance(std::chrono::nanoseconds by) { passed_ += by.count(); }

 private:
  std::chrono::nanoseconds passed() const { return std::chrono::nanoseconds{passed_.load()}; }
  std::atomic<std::chrono::nanoseconds::rep> passed_{0};
};

class VirtualTimers final : public net::Timers {
 public:
  explicit VirtualTimers(SharedClock& clock) : clock_(clock) {}
  net::Task<Result<void>> sleep_for(std::chrono::nanoseconds duration) override;

 private:
  SharedClock& clock_;
  net::RealTimers real_;
};

struct VirtualTime {
  kube::LoopServices services() { return kube::LoopServices{loop.executor(), &timers, &clock, &rng, &metrics}; }

  SharedClock clock;
  VirtualTimers timers{clock};
  Rng rng{11};  // used by the loop's thread
  MetricRegistry metrics;
  net::EventLoop loop;  // last member: nothing runs on it any more when the others are destroyed
};

}  // namespace rescheduler::test
