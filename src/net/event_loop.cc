#include "net/event_loop.h"

#include <atomic>
#include <csignal>
#include <exception>
#include <list>
#include <thread>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "net/cancellation.h"
#include "net/waiter.h"

namespace rescheduler::net {

namespace asio = boost::asio;

struct Job::State {
  State(Executor on, std::string called) : executor(std::move(on)), name(std::move(called)) {}

  Executor executor;
  std::string name;
  asio::cancellation_signal cancellation;
  std::shared_ptr<std::atomic<bool>> done = std::make_shared<std::atomic<bool>>(false);
  Gate ended{executor};
};

namespace {

// Sets `done` also when the loop ends and destroys the coroutine. After that, cancel() must not post to the loop.
struct DoneMark {
  explicit DoneMark(std::shared_ptr<std::atomic<bool>> flag) : done(std::move(flag)) {}
  ~DoneMark() { *done = true; }
  DoneMark(const DoneMark&) = delete;
  DoneMark& operator=(const DoneMark&) = delete;

  std::shared_ptr<std::atomic<bool>> done;
};

Task<void> run_to_the_end(Task<void> task, std::shared_ptr<std::atomic<bool>> done) {
  const DoneMark mark(std::move(done));
  // A cancelled job gets Errc::Cancelled from the operation that it awaits, never an exception.
  co_await asio::this_coro::throw_if_cancelled(false);
  co_await std::move(task);
}

[[noreturn]] void report_escaped(const std::string& job, const std::exception_ptr& exception) {
  std::string what;
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& e) {
    what = e.what();
  } catch (...) {  // the process ends below
    what = "an exception of unknown type";
  }
  check_failed(__FILE__, __LINE__, "no exception leaves a job", fmt::format("job '{}': {}", job, what));
}

}  // namespace

Job spawn(Executor executor, std::string name, Task<void> task) {
  Job job;
  job.state_ = std::make_shared<Job::State>(executor, std::move(name));
  auto finished = [state = job.state_](std::exception_ptr exception) {
    if (exception) report_escaped(state->name, exception);
    state->ended.open();
    // Asio keeps its state for this coroutine in the cancellation signal and uses it after this handler returns.
    asio::post(state->executor, [state] {});
  };
  asio::co_spawn(executor, run_to_the_end(std::move(task), job.state_->done),
                 asio::bind_cancellation_slot(job.state_->cancellation.slot(), std::move(finished)));
  return job;
}

void Job::cancel() {
  if (done()) return;
  asio::post(state_->executor, [state = state_] {
    if (!*state->done) state->cancellation.emit(asio::cancellation_type::terminal);
  });
}

bool Job::done() const { return !state_ || *state_->done; }

Task<Result<void>> Job::wait() const {
  const std::shared_ptr<State> state = state_;
  if (!state) co_return Result<void>{};
  auto waited = co_await state->ended.wait();
  co_return waited;
}

Task<Result<void>> end_all(std::vector<Job> jobs) {
  for (Job& job : jobs) job.cancel();
  for (const Job& job : jobs) {
    auto ended = co_await job.wait();
    if (!ended) co_return ended;
  }
  co_return Result<void>{};
}

struct EventLoop::State {
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(context);
  std::thread thread;
};

EventLoop::EventLoop() : state_(std::make_unique<State>()) {
  state_->thread = std::thread([&context = state_->context] {
    // Blocks SIGPIPE on this thread only: a write to a closed connection then returns an error code.
    sigset_t pipe_only;
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_only, nullptr);
    context.run();
  });
}

EventLoop::~EventLoop() { stop(); }

void EventLoop::stop() {
  RESCHEDULER_CHECK(!on_loop_thread(), "the loop's own thread cannot end the loop");
  state_->context.stop();
  if (state_->thread.joinable()) state_->thread.join();
}

Executor EventLoop::executor() const { return state_->context.get_executor(); }

bool EventLoop::on_loop_thread() const { return std::this_thread::get_id() == state_->thread.get_id(); }

Task<Result<void>> RealTimers::sleep_for(std::chrono::nanoseconds duration) {
  const SteadyTime until = deadline_after(duration);
  auto executor = co_await asio::this_coro::executor;
  Waiter waiter(executor);
  auto ended = co_await waiter.wait(until);
  if (!ended && ended.error().code == Errc::Cancelled) co_return ended;
  co_return Result<void>{};
}

struct Gate::State {
  explicit State(Executor on) : executor(std::move(on)) {}

  void wake_all() {
    for (Waiter* waiter : waiting) waiter->wake();
  }

  Executor executor;
  bool open = false;
  std::list<Waiter*> waiting;
};

namespace {

// Removes the waiter from the list when the wait ends, also when the loop is destroyed during the wait.
class ListedWaiter {
 public:
  ListedWaiter(const Executor& executor, std::list<Waiter*>& list)
      : waiter_(executor), list_(list), place_(list.insert(list.end(), &waiter_)) {}
  ~ListedWaiter() { list_.erase(place_); }
  ListedWaiter(const ListedWaiter&) = delete;
  ListedWaiter& operator=(const ListedWaiter&) = delete;

  Task<Result<void>> wait() { return waiter_.wait(kNoDeadline); }

 private:
  Waiter waiter_;
  std::list<Waiter*>& list_;
  std::list<Waiter*>::iterator place_;
};

}  // namespace

Gate::Gate(Executor executor) : state_(std::make_shared<State>(std::move(executor))) {}

// Wakes the waiters, because a destroyed gate never opens: wait() returns Errc::Cancelled to them.
Gate::~Gate() { state_->wake_all(); }

void Gate::open() {
  state_->open = true;
  state_->wake_all();
}

bool Gate::is_open() const { return state_->open; }

Task<Result<void>> Gate::wait() {
  const std::shared_ptr<State> state = state_;
  auto cancellation = co_await asio::this_coro::cancellation_state;
  if (is_cancelled(cancellation)) co_return cancelled();
  if (state->open) co_return Result<void>{};
  ListedWaiter waiter(state->executor, state->waiting);
  auto woken = co_await waiter.wait();
  if (!woken) co_return woken;
  if (!state->open) co_return cancelled();
  co_return Result<void>{};
}

namespace {

Task<void> open_after(Task<Result<void>> what, std::shared_ptr<Gate> gate) {
  (void)co_await std::move(what);
  gate->open();
}

}  // namespace

Task<bool> ended_within(Job job, Timers& timers, std::chrono::nanoseconds limit) {
  if (job.done()) co_return true;
  const Executor executor = co_await asio::this_coro::executor;
  const auto either = std::make_shared<Gate>(executor);
  const Job ending = spawn(executor, "wait for a job", open_after(job.wait(), either));
  const Job alarm = spawn(executor, "limit of a wait", open_after(timers.sleep_for(limit), either));
  (void)co_await either->wait();
  std::vector<Job> both = {ending, alarm};
  (void)co_await end_all(std::move(both));
  co_return job.done();
}

}  // namespace rescheduler::net
