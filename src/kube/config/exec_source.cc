#include "kube/config/exec_source.h"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include <boost/asio/post.hpp>

#include "net/event_loop.h"

namespace rescheduler::kube {
namespace {

// Renew this long before expiry, so that a credential does not expire during a request.
constexpr std::chrono::seconds kExpiryMargin{10};

// A rejection this soon after a renewal refers to the previous credential: answers of older requests arrive late, and
// they must not start the plugin again.
constexpr std::chrono::seconds kLateRejections{1};

}  // namespace

struct ExecSource::Run {
  explicit Run(const net::Executor& executor) : done(executor) {}
  net::Gate done;
  Result<ExecAnswer> answer = fail(Errc::Internal, "the exec plugin has not answered");
};

struct ExecSource::State {
  std::shared_ptr<Run> running{};
  std::optional<ExecAnswer> cached{};
  SteadyTime renewed_at{};
};

ExecSource::ExecSource(ExecPlugin plugin, const Clock& clock, net::Executor executor, ExecLimits limits)
    : plugin_(std::move(plugin)),
      clock_(clock),
      executor_(std::move(executor)),
      limits_(limits),
      state_(std::make_shared<State>()) {}

ExecSource::~ExecSource() = default;  // the jthread requests a stop of the run and waits for it

bool ExecSource::has_fresh() const {
  if (!state_->cached) return false;
  const auto& expires = state_->cached->expires;
  return !expires || clock_.wall_now() < *expires - kExpiryMargin;
}

net::Task<Result<ExecAnswer>> ExecSource::current() {
  if (has_fresh()) co_return *state_->cached;
  if (!state_->running) {
    if (auto started = start(); !started) co_return fail(std::move(started.error()));
  }
  const std::shared_ptr<Run> run = state_->running;
  auto waited = co_await run->done.wait();
  if (!waited) co_return fail(std::move(waited.error()));
  co_return run->answer;
}

void ExecSource::rejected() {
  if (state_->running) return;  // the rejected credential is older than the one being fetched
  if (clock_.steady_now() - state_->renewed_at < kLateRejections) return;
  state_->cached.reset();
}

Result<void> ExecSource::start() {
  // The thread uses copies and posts its result: it never accesses data of the loop.
  auto work = [plugin = plugin_, limits = limits_, executor = executor_, state = state_,
               &clock = clock_](std::stop_token stop) {
    Result<ExecAnswer> answer = run_exec_plugin(plugin, limits, stop);
    boost::asio::post(executor, [state, &clock, answer = std::move(answer)]() mutable {
      const std::shared_ptr<Run> run = std::exchange(state->running, nullptr);
      if (answer) {
        state->cached = *answer;
        state->renewed_at = clock.steady_now();
      }
      run->answer = std::move(answer);
      run->done.open();
    });
  };
  state_->running = std::make_shared<Run>(executor_);
  try {
    thread_ = std::jthread(std::move(work));
  } catch (const std::system_error& error) {
    state_->running.reset();
    return fail(Errc::Unavailable, "exec plugin {}: cannot start a thread for it: {}", plugin_.command,
                error.code().message());
  }
  return {};
}

}  // namespace rescheduler::kube
