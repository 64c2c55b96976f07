#include "net/step_loop.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

namespace rescheduler::net {

namespace asio = boost::asio;

struct StepLoop::State {
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(context);
};

StepLoop::StepLoop() : state_(std::make_unique<State>()) {}
StepLoop::~StepLoop() = default;

Executor StepLoop::executor() const { return state_->context.get_executor(); }

std::size_t StepLoop::poll() { return state_->context.poll(); }

void StepLoop::run_one() { state_->context.run_one(); }

}  // namespace rescheduler::net
