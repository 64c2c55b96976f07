#include "support/virtual_time.h"

namespace rescheduler::test {

net::Task<Result<void>> VirtualTimers::sleep_for(std::chrono::nanoseconds duration) {
  auto yielded = co_await real_.sleep_for(std::chrono::nanoseconds(0));
  if (yielded) clock_.advance(duration);
  co_return yielded;
}

}  // namespace rescheduler::test
