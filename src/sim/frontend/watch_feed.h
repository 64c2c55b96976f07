// A watch for the frontends: waits for events, adds a bookmark about once a minute, ends on time, and applies the
// faults of WireFaults.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "net/task.h"
#include "sim/frontend/faults.h"
#include "sim/server/server.h"

namespace rescheduler::net {
class Waiter;
}

namespace rescheduler::sim {

class WatchFeed {
 public:
  struct Terms {
    bool bookmarks = false;
    std::chrono::nanoseconds watch_for{0};  // zero: no limit
  };
  enum class End {
    NotYet,
    Regular,    // watch_for is over
    Refused,    // the position is no longer in the history
    Broken,     // an injected fault breaks the connection
    Silent,     // no event within the caller's `timeout`
    Cancelled,  // the caller's job was cancelled
  };
  struct Batch {
    std::vector<ServedEvent> events{};  // not empty if and only if NotYet
    End end = End::NotYet;
    StatusError refusal{};
  };

  // faults can be null.
  WatchFeed(Server& server, std::unique_ptr<Watch> watch, Terms terms, InjectedFault fault, WireFaults* faults);
  ~WatchFeed();
  WatchFeed(const WatchFeed&) = delete;
  WatchFeed& operator=(const WatchFeed&) = delete;

  // Waits up to `timeout` of the agenda's time for at least one event. After an end, only Silent allows another call.
  net::Task<Batch> next(std::chrono::nanoseconds timeout);

 private:
  Batch take();
  void apply_fault(std::vector<ServedEvent>& events);
  bool bookmark_due() const;
  std::chrono::nanoseconds time_to_next_action(SteadyTime give_up) const;

  Server& server_;
  Terms terms_;
  InjectedFault fault_;
  WireFaults* faults_;
  SteadyTime ends_;
  SteadyTime marked_;
  std::uint64_t delivered_ = 0;
  bool stalled_ = false;
  bool broken_ = false;
  net::Waiter* waiter_ = nullptr;  // of the waiting call
  std::unique_ptr<Watch> watch_;
};

}  // namespace rescheduler::sim
