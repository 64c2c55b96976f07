// Where deciding happens: one executor, whose thread alone touches the Scheduler. Others hand in what happened; what is
// to be done about it comes out through the sink. In a daemon this is a thread of its own; in virtual time and in small
// tests it is the loop everything else runs on.
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

  // Any thread: does this on the decision thread, then decides whatever can be decided.
  void post(std::function<void(Scheduler&, WallTime now)> what);
  void begin_deciding();
  Scheduler& scheduler();  // on the decision thread
  void stop_deciding();    // the decision under way is the last

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace rescheduler::scheduler
