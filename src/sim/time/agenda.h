// The embedded cluster's clock and its list of what happens when. Everything in src/sim that waits, waits here.
//
// Time passes in one of two ways. Virtual: only when somebody runs the agenda, from event to event; nothing else moves
// the clock, so a run is a function of its seed. Paced: the clock follows the machine's, times a speed, and a Pacer
// (pacer.h) runs what has come due. A clock with a speed of its own waits for a pacer that is late: on a busy machine a
// scenario takes longer, and its story stays the same.
//
// Belongs to one thread. Events of one moment run in the order they were added.
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
  // Names an event so that it can be cancelled; the default one names nothing.
  struct Ticket {
    SteadyTime at{};
    std::uint64_t number = 0;
    explicit operator bool() const { return number != 0; }
    friend auto operator<=>(const Ticket&, const Ticket&) = default;
  };

  // 2024-01-01T00:00:00Z unless told otherwise: virtual runs do not depend on today.
  explicit Agenda(WallTime start = WallTime{std::chrono::seconds{1'704'067'200}});

  WallTime wall_now() const override;
  SteadyTime steady_now() const override;

  Ticket after(Duration delay, Event event);  // a delay below zero counts as zero
  void cancel(Ticket ticket);                 // nothing if it has run or was cancelled

  // When the next event is due; nothing when there is none.
  std::optional<SteadyTime> next_due() const;
  // Virtual: runs the next event if it is due by `limit`, moving the clock to it.
  bool run_next(SteadyTime limit);
  // Virtual: runs everything due in the time given, events added meanwhile included, and leaves the clock at its end.
  void run_for(Duration duration);
  // Virtual: runs events until the condition holds (true) or the time is over (false). Looked at after every event.
  bool run_until(const std::function<bool()>& condition, Duration limit);

  // Paced: from now on the clock follows `real`, `speed` times as fast. run_due() runs what has come due. At a speed
  // other than 1 the clock goes on by at most kLongestStep of real time from one run_due() to the next.
  static constexpr Duration kLongestStep = std::chrono::milliseconds{20};
  void follow(const Clock& real, double speed);
  void run_due();
  // Paced: how long, in real time, until run_due() has work; nothing when there is no event and the clock needs no
  // turn.
  std::optional<Duration> real_time_to_next() const;
  // Called when an event is added that is due before all others, so that a sleeping Pacer can wake.
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
