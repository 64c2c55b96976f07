#include "sim/time/agenda.h"

#include <algorithm>

#include "base/check.h"

namespace rescheduler::sim {

Agenda::Agenda(WallTime start) : wall_start_(start) {}

SteadyTime Agenda::paced_now() const {
  Duration passed = real_->steady_now() - real_anchor_;
  if (waits_for_pacer()) passed = std::min(passed, kLongestStep);
  return anchor_ + std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::nano>(passed) * speed_);
}

SteadyTime Agenda::steady_now() const { return real_ == nullptr ? now_ : std::max(now_, paced_now()); }

WallTime Agenda::wall_now() const { return wall_start_ + (steady_now() - start_); }

Agenda::Ticket Agenda::after(Duration delay, Event event) {
  const Ticket ticket{steady_now() + std::max(delay, Duration{0}), ++last_number_};
  const bool earliest = events_.empty() || ticket < events_.begin()->first;
  events_.emplace(ticket, std::move(event));
  if (earliest && on_earlier_) on_earlier_();
  return ticket;
}

void Agenda::cancel(Ticket ticket) { events_.erase(ticket); }

std::optional<SteadyTime> Agenda::next_due() const {
  if (events_.empty()) return std::nullopt;
  return events_.begin()->first.at;
}

bool Agenda::run_next(SteadyTime limit) {
  if (events_.empty() || events_.begin()->first.at > limit) return false;
  auto node = events_.extract(events_.begin());
  now_ = std::max(now_, node.key().at);
  ++events_run_;
  node.mapped()();
  return true;
}

void Agenda::run_for(Duration duration) {
  RESCHEDULER_CHECK(real_ == nullptr, "a paced agenda is run by its pacer");
  const SteadyTime end = now_ + duration;
  while (run_next(end)) {
  }
  now_ = end;
}

bool Agenda::run_until(const std::function<bool()>& condition, Duration limit) {
  RESCHEDULER_CHECK(real_ == nullptr, "a paced agenda is run by its pacer");
  const SteadyTime end = now_ + limit;
  while (!condition()) {
    if (run_next(end)) continue;
    now_ = end;
    return condition();
  }
  return true;
}

void Agenda::follow(const Clock& real, double speed) {
  RESCHEDULER_CHECK(speed > 0, "time that is followed must pass");
  anchor_ = steady_now();
  real_anchor_ = real.steady_now();
  real_ = &real;
  speed_ = speed;
}

void Agenda::run_due() {
  if (waits_for_pacer()) follow(*real_, speed_);
  // Events that these events add for now run at the next call, so that a chain of events cannot block the thread.
  const SteadyTime limit = steady_now();
  const std::uint64_t last = last_number_;
  while (!events_.empty() && events_.begin()->first.at <= limit && events_.begin()->first.number <= last) {
    run_next(limit);
  }
}

std::optional<Agenda::Duration> Agenda::real_time_to_next() const {
  std::optional<Duration> next;
  if (waits_for_pacer()) next = kLongestStep / 2;
  if (events_.empty()) return next;
  const Duration left = events_.begin()->first.at - steady_now();
  if (left <= Duration{0}) return Duration{0};
  const auto real = std::chrono::duration<double, std::nano>(left) / speed_;
  const Duration due = std::chrono::duration_cast<Duration>(real) + Duration{1};
  return next ? std::min(*next, due) : due;
}

}  // namespace rescheduler::sim
