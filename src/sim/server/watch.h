// One watch on the embedded store: a position in the history of a kind, and selectors.
//
// A watch has no queue of its own, because the history has the changes. If a client reads too slowly, its position is
// no longer in the history and it gets 410, as on a real server. Belongs to the store's thread.
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
  std::uint64_t number = 0;                                 // the resourceVersion of the event or bookmark
  bool initial_events_end = false;
};

class Watch {
 public:
  virtual ~Watch() = default;
  // Returns up to `most` new events; empty if there are none. An object that starts or stops matching the selectors
  // appears as Added or Deleted.
  virtual ApiResult<std::vector<ServedEvent>> take(std::size_t most) = 0;
  // A bookmark at the newest version that this watch has passed.
  virtual ServedEvent bookmark() const = 0;
  // Called during a write when there can be new events. One listener; it must not call take() directly.
  virtual void on_activity(std::function<void()> listener) = 0;
};

}  // namespace rescheduler::sim
