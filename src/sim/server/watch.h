// One watch on the embedded store: a place in a kind's history, seen through selectors.
//
// It holds no queue of its own: what has happened is in the history, and a watcher that reads too slowly finds its
// place gone and is refused with 410, as on a real server. Belongs to the store's thread.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "kube/codec/watch_event.h"
#include "sim/server/requests.h"

namespace rescheduler::sim {

struct ServedEvent {
  kube::WatchEventType type = kube::WatchEventType::Added;  // never Error
  VersionPtr version{};                                     // null for a bookmark
  std::uint64_t number = 0;                                 // the resourceVersion to show; a bookmark's progress
  bool initial_events_end = false;
};

class Watch {
 public:
  virtual ~Watch() = default;
  // Up to `most` events that have happened and were not taken yet; empty when there is nothing new. Objects that
  // begin or cease to match the selectors appear as Added and Deleted.
  virtual ApiResult<std::vector<ServedEvent>> take(std::size_t most) = 0;
  // A bookmark at the newest version this watch has passed.
  virtual ServedEvent bookmark() const = 0;
  // Called (from within the write) when there may be something to take. One listener; it must not take at once.
  virtual void on_activity(std::function<void()> listener) = 0;
};

}  // namespace rescheduler::sim
