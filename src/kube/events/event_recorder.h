// Tells the cluster's users what we did and why, as Events - and never lets that stand in anybody's way.
//
// record() takes any thread a short lock and nothing else; what does not fit into the queue pushes the oldest out.
// Writers on the loop turn records into Events (see EventCorrelator), a few at a time; a write that fails for now is
// repeated a few times and then given up. Everything that is not written is counted.
//
// Api and services must outlive the loop's jobs; the recorder itself need not.
#pragma once

#include <memory>

#include "base/backoff.h"
#include "kube/client/api.h"
#include "kube/client/loop_services.h"
#include "kube/events/event_correlator.h"
#include "kube/events/event_record.h"

namespace rescheduler::kube {

struct EventRecorderSettings {
  EventReporter reporter{};
  std::size_t queue = 10'000;  // a burst of placements; some 5 MB at worst
  std::size_t writers = 8;     // at 5 ms a write that is 1600 Events a second, more than a cluster places
  int tries = 5;               // with the waits below, half a minute of a server that is away
  BackoffPolicy backoff{std::chrono::milliseconds{1'000}, std::chrono::milliseconds{15'000}, 2.0, 0.5};
  std::chrono::nanoseconds write_timeout = std::chrono::seconds{10};
  std::chrono::nanoseconds tick = std::chrono::seconds{15};  // how often series are looked after
  CorrelatorSettings correlator{};
};

class EventRecorder {
 public:
  EventRecorder(Api& api, EventRecorderSettings settings, LoopServices services);
  ~EventRecorder();  // what is still queued is dropped; flush() first if it matters
  EventRecorder(const EventRecorder&) = delete;
  EventRecorder& operator=(const EventRecorder&) = delete;

  void record(EventRecord record);  // any thread

  net::Task<void> run();  // looks after running series, until cancelled; records are written without it
  // Everything recorded so far has been written or given up, and every series is up to date.
  net::Task<Result<void>> flush();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace rescheduler::kube
