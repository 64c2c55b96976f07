// Runs the Scheduler on one executor; only the thread of this executor touches the Scheduler. Other threads post
// cluster events; the resulting actions leave through the sink. In the daemon the executor is a thread of its own. In
// virtual time and in small tests the executor is the loop that runs everything else.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "net/event_loop.h"
#include "scheduler/scheduler.h"

namespace rescheduler::scheduler {

class DecisionLoop {
 public:
  // The sink is called on the decision thread.
  using Sink = std::function<void(SchedulingAction)>;

  DecisionLoop(std::unique_ptr<Scheduler> scheduler,
               net::Executor executor,
               net::Timers& timers,
               const Clock& clock,
               Sink sink,
               placement::Extenders* extenders = nullptr);
  ~DecisionLoop();
  DecisionLoop(const DecisionLoop&) = delete;
  DecisionLoop& operator=(const DecisionLoop&) = delete;

  // Any thread: runs `what` on the decision thread, then schedules every pod that is ready.
  void post(std::function<void(Scheduler&, WallTime now)> what);
  void begin_deciding();
  Scheduler& scheduler();  // on the decision thread
  void stop_deciding();    // a few decisions can still follow

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace rescheduler::scheduler
