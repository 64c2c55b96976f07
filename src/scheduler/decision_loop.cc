#include "scheduler/decision_loop.h"

#include <boost/asio/post.hpp>

namespace rescheduler::scheduler {
namespace {

// The number of decisions before the loop handles posted events again.
constexpr int kDecisionsInARow = 16;

}  // namespace

struct DecisionLoop::State : std::enable_shared_from_this<State> {
  std::unique_ptr<Scheduler> scheduler;
  net::Executor executor;
  net::Timers& timers;
  const Clock& clock;
  Sink sink;
  placement::Extenders* extenders;
  // now() counts from these two, so that it never goes back.
  WallTime wall_start;
  SteadyTime steady_start;
  bool deciding = false;
  bool step_posted = false;
  std::optional<WallTime> alarm{};  // when the pending timer fires

  State(std::unique_ptr<Scheduler> the_scheduler,
        net::Executor the_executor,
        net::Timers& the_timers,
        const Clock& the_clock,
        Sink the_sink,
        placement::Extenders* the_consulted)
      : scheduler(std::move(the_scheduler)),
        executor(std::move(the_executor)),
        timers(the_timers),
        clock(the_clock),
        sink(std::move(the_sink)),
        extenders(the_consulted),
        wall_start(the_clock.wall_now()),
        steady_start(the_clock.steady_now()) {}

  WallTime now() const { return wall_start + (clock.steady_now() - steady_start); }

  void look_around() {
    if (deciding && !step_posted && scheduler->ready()) {
      step_posted = true;
      boost::asio::post(executor, [self = shared_from_this()] { self->step(); });
    }
    const auto due = scheduler->next_deadline();
    if (!deciding || !due || (alarm && *alarm <= *due)) return;
    alarm = *due;
    net::spawn(executor, "queue timer", ring_at(shared_from_this(), *due));
  }

  void step() {
    step_posted = false;
    for (int i = 0; i < kDecisionsInARow && deciding && scheduler->ready(); ++i) {
      for (SchedulingAction& order : scheduler->decide_next(now(), extenders)) sink(std::move(order));
    }
    look_around();
  }

  static net::Task<void> ring_at(std::shared_ptr<State> self, WallTime due) {
    const auto wait = std::max<std::chrono::nanoseconds>(due - self->now(), std::chrono::nanoseconds{0});
    const auto slept = co_await self->timers.sleep_for(wait);
    if (self->alarm == due) self->alarm.reset();
    if (!slept || !self->deciding) co_return;
    self->scheduler->tick(self->now());
    self->look_around();
  }
};

DecisionLoop::DecisionLoop(std::unique_ptr<Scheduler> scheduler,
                           net::Executor executor,
                           net::Timers& timers,
                           const Clock& clock,
                           Sink sink,
                           placement::Extenders* extenders)
    : state_(std::make_shared<State>(std::move(scheduler),
                                     std::move(executor),
                                     timers,
                                     clock,
                                     std::move(sink),
                                     extenders)) {}
DecisionLoop::~DecisionLoop() = default;

void DecisionLoop::post(std::function<void(Scheduler&, WallTime)> what) {
  boost::asio::post(state_->executor, [state = state_, what = std::move(what)] {
    what(*state->scheduler, state->now());
    state->look_around();
  });
}

Scheduler& DecisionLoop::scheduler() { return *state_->scheduler; }

void DecisionLoop::begin_deciding() {
  boost::asio::post(state_->executor, [state = state_] {
    state->deciding = true;
    state->scheduler->tick(state->now());
    state->look_around();
  });
}

void DecisionLoop::stop_deciding() {
  boost::asio::post(state_->executor, [state = state_] { state->deciding = false; });
}

}  // namespace rescheduler::scheduler
