// A watch as the doors hand it on: waits for news, marks progress about once a minute, ends when it is told to, and
// suffers what WireFaults has in store for it.
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
    std::chrono::nanoseconds watch_for{0};  // zero: no end
  };
  enum class End {
    NotYet,
    Regular,    // its time is over
    Refused,    // the place in history is gone
    Broken,     // the connection is to break (injected)
    Silent,     // nothing came for as long as the caller is willing to wait
    Cancelled,  // the caller's job was cancelled
  };
  struct Batch {
    std::vector<ServedEvent> events{};  // not empty exactly when NotYet
    End end = End::NotYet;
    StatusError refusal{};
  };

  // faults may be null.
  WatchFeed(Server& server, std::unique_ptr<Watch> watch, Terms terms, Trouble trouble, WireFaults* faults);
  ~WatchFeed();
  WatchFeed(const WatchFeed&) = delete;
  WatchFeed& operator=(const WatchFeed&) = delete;

  // What has happened, waiting for at least one event for up to `patience` of the agenda's time. After an end, only
  // Silent may be followed by another call.
  net::Task<Batch> next(std::chrono::nanoseconds patience);

 private:
  Batch take();
  void suffer(std::vector<ServedEvent>& events);
  bool bookmark_due() const;
  std::chrono::nanoseconds until_next_duty(SteadyTime give_up) const;

  Server& server_;
  Terms terms_;
  Trouble trouble_;
  WireFaults* faults_;
  SteadyTime ends_;
  SteadyTime marked_;
  std::uint64_t delivered_ = 0;
  bool stalled_ = false;
  bool broken_ = false;
  net::Waiter* waiter_ = nullptr;  // of the call that waits
  std::unique_ptr<Watch> watch_;
};

}  // namespace rescheduler::sim
