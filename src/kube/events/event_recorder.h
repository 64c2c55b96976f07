// Reports actions and their reasons to users as Events, without ever blocking the caller.
//
// record() only takes a short lock, on any thread. If the queue is full, the oldest record is dropped. Writers on the
// loop turn records into Events (see EventCorrelator), a few at a time. A write with a temporary failure is repeated a
// few times and then dropped. Metrics count the drops by reason: full queue, spam, failed write.
//
// Api and services must outlive the jobs of the loop; the recorder need not.
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
  std::size_t queue = 10'000;  // enough for a burst of placements; at most about 5 MB
  std::size_t writers = 8;     // at 5 ms a write, 1600 Events a second: more than a cluster places
  int tries = 5;               // with the backoff below, about 15 s of waits in total
  BackoffPolicy backoff{std::chrono::milliseconds{1'000}, std::chrono::milliseconds{15'000}, 2.0, 0.5};
  std::chrono::nanoseconds write_timeout = std::chrono::seconds{10};
  std::chrono::nanoseconds tick = std::chrono::seconds{15};  // interval of EventCorrelator::due()
  CorrelatorSettings correlator{};
};

class EventRecorder {
 public:
  EventRecorder(Api& api, EventRecorderSettings settings, LoopServices services);
  ~EventRecorder();  // drops queued records; call flush() first to write them
  EventRecorder(const EventRecorder&) = delete;
  EventRecorder& operator=(const EventRecorder&) = delete;

  void record(EventRecord record);  // on any thread

  net::Task<void> run();  // writes due series until cancelled; new records are written without it
  // Returns when all records are written or dropped and all series are up to date.
  net::Task<Result<void>> flush();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace rescheduler::kube
