// The clock of the embedded cluster and its list of timed events. All code in src/sim that waits, waits on the agenda.
//
// Time passes in one of two ways:
// - Virtual: a call runs the agenda from event to event. Nothing else moves the clock, so a run depends only on its
//   seed.
// - Paced: the clock follows the machine's clock, multiplied by a speed. A Pacer (pacer.h) runs the events that are
//   due. At a speed other than 1 the clock waits for a late pacer. On a busy machine a scenario takes longer, but its
//   events stay the same.
//
// Belongs to one thread. Events of the same time run in the order in which they were added.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "base/clock.h"

namespace rescheduler::sim {

class Agenda final : public Clock {
 public:
  using Event = std::function<void()>;
  using Duration = std::chrono::nanoseconds;
  // Identifies an event so that it can be cancelled. A default Ticket identifies no event.
  struct Ticket {
    SteadyTime at{};
    std::uint64_t number = 0;
    explicit operator bool() const { return number != 0; }
    friend auto operator<=>(const Ticket&, const Ticket&) = default;
  };

  // The default is 2024-01-01T00:00:00Z, so that virtual runs do not depend on today's date.
  explicit Agenda(WallTime start = WallTime{std::chrono::seconds{1'704'067'200}});

  WallTime wall_now() const override;
  SteadyTime steady_now() const override;

  Ticket after(Duration delay, Event event);  // a delay below zero counts as zero
  void cancel(Ticket ticket);                 // no effect if the event has run or was cancelled

  // The time of the next event; empty if there is none.
  std::optional<SteadyTime> next_due() const;
  // Virtual: moves the clock to the next event and runs it, if its time is not after `limit`.
  bool run_next(SteadyTime limit);
  // Virtual: runs all events within `duration`, also those added meanwhile. The clock then stands at the end of
  // `duration`.
  void run_for(Duration duration);
  // Virtual: runs events until the condition holds (true) or the time is over (false). Checks the condition after every
  // event.
  bool run_until(const std::function<bool()>& condition, Duration limit);

  // Paced: from now on the clock follows `real`, `speed` times as fast. run_due() runs the events that are due. At a
  // speed other than 1 the clock advances by at most kLongestStep of real time between two calls of run_due().
  static constexpr Duration kLongestStep = std::chrono::milliseconds{20};
  void follow(const Clock& real, double speed);
  void run_due();
  // Paced: the real time until run_due() has work. Empty if there is no event and the clock needs no call.
  std::optional<Duration> real_time_to_next() const;
  // `wake` is called when a new event is due before all others, so that a sleeping Pacer can wake.
  void on_earlier(std::function<void()> wake) { on_earlier_ = std::move(wake); }

  std::uint64_t events_run() const { return events_run_; }

 private:
  SteadyTime paced_now() const;
  bool waits_for_pacer() const { return speed_ != 1; }

  WallTime wall_start_;
  SteadyTime start_{std::chrono::hours{1}};
  SteadyTime now_ = start_;
  std::map<Ticket, Event> events_;
  std::uint64_t last_number_ = 0;
  std::uint64_t events_run_ = 0;
  std::function<void()> on_earlier_;
  const Clock* real_ = nullptr;
  double speed_ = 1;
  SteadyTime real_anchor_{};
  SteadyTime anchor_{};
};

}  // namespace rescheduler::sim
