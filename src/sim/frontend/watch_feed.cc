#include "sim/frontend/watch_feed.h"

#include <algorithm>

#include <boost/asio/this_coro.hpp>

#include "net/cancellation.h"
#include "net/waiter.h"
#include "sim/time/pacer.h"

namespace rescheduler::sim {
namespace {

constexpr std::size_t kMostAtOnce = 500;
// As in the real server: often enough for a client with an idle limit of 90 seconds.
constexpr std::chrono::seconds kMarkEvery{60};

SteadyTime later(SteadyTime now, std::chrono::nanoseconds duration) {
  return duration < net::kNoDeadline - now ? now + duration : net::kNoDeadline;
}

class ListedAs {
 public:
  ListedAs(net::Waiter*& place, net::Waiter& waiter) : place_(place) { place_ = &waiter; }
  ~ListedAs() { place_ = nullptr; }
  ListedAs(const ListedAs&) = delete;
  ListedAs& operator=(const ListedAs&) = delete;

 private:
  net::Waiter*& place_;
};

}  // namespace

WatchFeed::WatchFeed(Server& server, std::unique_ptr<Watch> watch, Terms terms, InjectedFault fault, WireFaults* faults)
    : server_(server),
      terms_(terms),
      fault_(std::move(fault)),
      faults_(faults),
      ends_(terms.watch_for.count() > 0 ? later(server.agenda().steady_now(), terms.watch_for) : net::kNoDeadline),
      marked_(server.agenda().steady_now()),
      watch_(std::move(watch)) {
  watch_->on_activity([this] {
    if (waiter_ != nullptr) waiter_->wake();
  });
}

WatchFeed::~WatchFeed() = default;

bool WatchFeed::bookmark_due() const {
  return terms_.bookmarks && server_.agenda().steady_now() >= marked_ + kMarkEvery;
}

// Drops events after a break or a stall, and doubles events for `events_twice`.
void WatchFeed::apply_fault(std::vector<ServedEvent>& events) {
  const auto limit = fault_.drop_watch_after ? fault_.drop_watch_after : fault_.stall_watch_after;
  std::vector<ServedEvent> passed;
  for (ServedEvent& event : events) {
    const bool counts = event.type != kube::WatchEventType::Bookmark;
    if (limit && delivered_ >= *limit) break;
    if (counts) ++delivered_;
    if (counts && fault_.events_twice) {
      passed.push_back(event);
      if (faults_ != nullptr) ++faults_->counts().doubled_events;
    }
    passed.push_back(std::move(event));
  }
  events = std::move(passed);
  if (!limit || delivered_ < *limit || broken_ || stalled_) return;
  if (fault_.drop_watch_after) {
    broken_ = true;
    if (faults_ != nullptr) ++faults_->counts().dropped_watches;
  } else {
    stalled_ = true;
    if (faults_ != nullptr) ++faults_->counts().stalled_watches;
  }
}

WatchFeed::Batch WatchFeed::take() {
  Batch batch;
  if (broken_) {
    batch.end = End::Broken;
    return batch;
  }
  const bool over = server_.agenda().steady_now() >= ends_;
  if (!stalled_) {
    auto events = watch_->take(kMostAtOnce);
    if (!events) {
      batch.end = End::Refused;
      batch.refusal = std::move(events.error());
      return batch;
    }
    batch.events = std::move(*events);
    if (batch.events.empty() && bookmark_due()) {
      marked_ = server_.agenda().steady_now();
      batch.events.push_back(watch_->bookmark());
    }
    apply_fault(batch.events);
  }
  if (!batch.events.empty()) return batch;
  if (broken_)
    batch.end = End::Broken;
  else if (over && !stalled_)
    batch.end = End::Regular;
  return batch;
}

std::chrono::nanoseconds WatchFeed::time_to_next_action(SteadyTime give_up) const {
  SteadyTime next = give_up;
  if (!stalled_) {
    next = std::min(next, ends_);
    if (terms_.bookmarks) next = std::min(next, marked_ + kMarkEvery);
  }
  return next == net::kNoDeadline ? std::chrono::nanoseconds::max() : next - server_.agenda().steady_now();
}

net::Task<WatchFeed::Batch> WatchFeed::next(std::chrono::nanoseconds timeout) {
  auto executor = co_await boost::asio::this_coro::executor;
  auto cancellation = co_await boost::asio::this_coro::cancellation_state;
  const SteadyTime give_up = later(server_.agenda().steady_now(), timeout);
  for (;;) {
    Batch batch;
    if (net::is_cancelled(cancellation)) {
      batch.end = End::Cancelled;
      co_return batch;
    }
    batch = take();
    if (!batch.events.empty() || batch.end != End::NotYet) co_return batch;
    if (server_.agenda().steady_now() >= give_up) {
      batch.end = End::Silent;
      co_return batch;
    }
    net::Waiter waiter(executor);
    const ListedAs listed(waiter_, waiter);
    std::optional<Alarm> alarm;
    const auto wait = time_to_next_action(give_up);
    if (wait != std::chrono::nanoseconds::max()) {
      alarm.emplace(server_.agenda(), wait, [&waiter] { waiter.wake(); });
    }
    (void)co_await waiter.wait(net::kNoDeadline);
  }
}

}  // namespace rescheduler::sim
