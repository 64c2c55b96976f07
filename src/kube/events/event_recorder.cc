#include "kube/events/event_recorder.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

#include "base/log.h"
#include "kube/proto/events.pb.h"

namespace rescheduler::kube {
namespace {

struct Pending {
  EventRecord record;
  WallTime seen;
};

// The queue between the recording threads and the loop. It also counts the running writers under the same lock. So a
// writer that finds the queue empty and ends cannot miss a record, and push() knows whether to start a writer.
class Mailbox {
 public:
  Mailbox(std::size_t capacity, std::size_t most_writers) : capacity_(capacity), most_writers_(most_writers) {}

  struct Pushed {
    bool dropped_oldest = false;
    bool writer_wanted = false;  // the caller must start a writer
  };
  Pushed push(Pending pending) {
    const std::lock_guard lock(mutex_);
    Pushed pushed;
    if (closed_) return pushed;
    if (queue_.size() >= capacity_) {
      queue_.pop_front();
      pushed.dropped_oldest = true;
    }
    queue_.push_back(std::move(pending));
    pushed.writer_wanted = writers_ < std::min(most_writers_, queue_.size());
    writers_ += pushed.writer_wanted ? 1 : 0;
    return pushed;
  }

  // If the queue is empty, returns nullopt and counts the calling writer as ended.
  std::optional<Pending> take() {
    const std::lock_guard lock(mutex_);
    if (queue_.empty()) {
      writers_ -= 1;
      return std::nullopt;
    }
    std::optional<Pending> next = std::move(queue_.front());
    queue_.pop_front();
    return next;
  }

  bool is_idle() const {
    const std::lock_guard lock(mutex_);
    return writers_ == 0 && queue_.empty();
  }

  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    queue_.clear();
  }
  bool is_closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
  }

 private:
  const std::size_t capacity_;
  const std::size_t most_writers_;
  mutable std::mutex mutex_;
  std::deque<Pending> queue_;
  std::size_t writers_ = 0;
  bool closed_ = false;
};

Counter& dropped_counter(MetricRegistry& metrics, const char* reason) {
  return metrics.counter("rescheduler_events_dropped_total", "Events that were not written, by reason.",
                         {{"reason", reason}});
}

}  // namespace

// Shared with the writers, so that it lives as long as any of them.
struct EventRecorder::State {
  State(Api& to, EventRecorderSettings wanted, LoopServices given)
      : api(to),
        settings(std::move(wanted)),
        services(given),
        mailbox(std::max<std::size_t>(1, settings.queue), std::max<std::size_t>(1, settings.writers)),
        correlator(settings.correlator),
        written(services.metrics->counter("rescheduler_events_written_total", "Events created or updated.")),
        dropped_full(dropped_counter(*services.metrics, "queue_full")),
        dropped_spam(dropped_counter(*services.metrics, "spam")),
        dropped_failed(dropped_counter(*services.metrics, "write_failed")) {}

  static net::Task<void> write_all(std::shared_ptr<State> self);
  static net::Task<void> write_these(std::shared_ptr<State> self, std::vector<EventWrite> writes);
  static net::Task<void> write_series(std::shared_ptr<State> self, EventWrite write);
  static net::Task<bool> write(std::shared_ptr<State> self, EventWrite write);
  static net::Task<Result<void>> send(std::shared_ptr<State> self, EventWrite write);

  std::optional<EventWrite> admit(Pending pending);
  bool is_worth_another_try(const Error& error, int failures) const;
  void give_up(const EventWrite& write, const Error& error);
  SteadyTime now() const { return services.clock->steady_now(); }

  Api& api;
  const EventRecorderSettings settings;
  LoopServices services;
  Mailbox mailbox;

  // The members below belong to the loop's thread.
  EventCorrelator correlator;
  std::vector<std::shared_ptr<net::Gate>> waiting_for_idle;
  bool failing = false;  // the last write failed and was reported
  Counter& written;
  Counter& dropped_full;
  Counter& dropped_spam;
  Counter& dropped_failed;
};

EventRecorder::EventRecorder(Api& api, EventRecorderSettings settings, LoopServices services)
    : state_(std::make_shared<State>(api, std::move(settings), services)) {}

EventRecorder::~EventRecorder() { state_->mailbox.close(); }

void EventRecorder::record(EventRecord record) {
  Pending pending{std::move(record), state_->services.clock->wall_now()};
  const auto pushed = state_->mailbox.push(std::move(pending));
  if (pushed.dropped_oldest) state_->dropped_full.add();
  if (pushed.writer_wanted) net::spawn(state_->services.executor, "event writer", State::write_all(state_));
}

net::Task<void> EventRecorder::run() {
  const std::shared_ptr<State> state = state_;
  for (;;) {
    auto slept = co_await state->services.timers->sleep_for(state->settings.tick);
    if (!slept || state->mailbox.is_closed()) co_return;
    std::vector<EventWrite> writes = state->correlator.due(state->now());
    co_await State::write_these(state, std::move(writes));
  }
}

net::Task<Result<void>> EventRecorder::flush() {
  const std::shared_ptr<State> state = state_;
  while (!state->mailbox.is_idle()) {
    auto gate = std::make_shared<net::Gate>(state->services.executor);
    state->waiting_for_idle.push_back(gate);
    auto waited = co_await gate->wait();
    if (!waited) co_return waited;
  }
  std::vector<EventWrite> writes = state->correlator.unwritten(state->now());
  co_await State::write_these(state, std::move(writes));
  co_return Result<void>{};
}

net::Task<void> EventRecorder::State::write_all(std::shared_ptr<State> self) {
  for (;;) {
    std::optional<Pending> pending = self->mailbox.take();
    if (!pending) break;
    std::optional<EventWrite> write = self->admit(std::move(*pending));
    if (!write) continue;
    co_await write_series(self, std::move(*write));
  }
  if (!self->mailbox.is_idle()) co_return;
  for (const auto& gate : std::exchange(self->waiting_for_idle, {})) gate->open();
}

net::Task<void> EventRecorder::State::write_these(std::shared_ptr<State> self, std::vector<EventWrite> writes) {
  for (EventWrite& write : writes) {
    co_await write_series(self, std::move(write));
  }
}

// Performs one write, and the writes that became necessary during it.
net::Task<void> EventRecorder::State::write_series(std::shared_ptr<State> self, EventWrite first) {
  std::optional<EventWrite> next = std::move(first);
  while (next) {
    const bool succeeded = co_await write(self, *next);
    next = self->correlator.finished(*next, succeeded, self->now());
  }
}

std::optional<EventWrite> EventRecorder::State::admit(Pending pending) {
  auto admission = correlator.admit(std::move(pending.record), pending.seen, now());
  if (admission.verdict == EventCorrelator::Verdict::Spam) dropped_spam.add();
  return std::move(admission.write);
}

net::Task<bool> EventRecorder::State::write(std::shared_ptr<State> self, EventWrite write) {
  Backoff backoff(self->settings.backoff, *self->services.rng);
  for (;;) {
    auto sent = co_await send(self, write);
    if (sent) {
      self->written.add();
      self->failing = false;
      co_return true;
    }
    const Error error = std::move(sent.error());
    if (write.kind == EventWrite::Kind::Patch && error.code == Errc::NotFound) {
      write.kind = EventWrite::Kind::Create;  // Events expire; the series continues in a new Event
      continue;
    }
    const auto wait = backoff.next(error.retry_after);
    if (!self->is_worth_another_try(error, backoff.failures())) {
      self->give_up(write, error);
      co_return false;
    }
    auto slept = co_await self->services.timers->sleep_for(wait);
    if (!slept) co_return false;
  }
}

bool EventRecorder::State::is_worth_another_try(const Error& error, int failures) const {
  return is_retriable(error) && failures < settings.tries && !mailbox.is_closed();
}

void EventRecorder::State::give_up(const EventWrite& write, const Error& error) {
  dropped_failed.add();
  if (error.code == Errc::Cancelled) return;
  // Logs only the first failure in a row.
  if (!failing) log_warning("event {} {} was not written: {}", write.record->reason, write.series.name, error.message);
  failing = true;
}

net::Task<Result<void>> EventRecorder::State::send(std::shared_ptr<State> self, EventWrite write) {
  ApiCall call;
  call.resource = &resource_of<api::Event>();
  call.ns = event_namespace(*write.record);
  call.field_manager = self->settings.reporter.controller;
  call.repeat = Repeat::Never;  // write() repeats
  call.timeout = self->settings.write_timeout;
  api::Event event;
  if (write.kind == EventWrite::Kind::Patch) {
    call.verb = Verb::Patch;
    call.name = write.series.name;
    call.patch = series_patch(write.series);
  } else {
    call.verb = Verb::Create;
    event = to_event(*write.record, write.series, self->settings.reporter);
    call.body = &event;
  }
  auto done = co_await self->api.call(std::move(call), nullptr);
  // The name is unique, so an Event that already exists is an earlier try whose answer was lost.
  const bool is_there = !done && write.kind == EventWrite::Kind::Create && done.error().code == Errc::AlreadyExists;
  if (is_there) co_return Result<void>{};
  co_return done;
}

}  // namespace rescheduler::kube
