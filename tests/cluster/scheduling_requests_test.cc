// The requests that placing pods sends to the API server, counted: each additional request slows all other clients.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/scheduler.h"

namespace rescheduler::test {
namespace {

class SchedulingRequests : public SchedulingTest {};
RESCHEDULER_ON_EVERY_CLUSTER(SchedulingRequests);

TEST_P(SchedulingRequests, SchedulingAPodSendsOneBindingAndOneEventAndNothingElse) {
  constexpr int kPods = 40;
  add_node("a");
  add_node("b");
  auto& scheduler = start_scheduler();
  const std::size_t reads_before = scheduler.reads();
  const std::size_t writes_before = scheduler.writes().size();
  for (int i = 0; i < kPods; ++i) add_pod("p" + std::to_string(i));
  for (int i = 0; i < kPods; ++i) {
    const std::string name = "p" + std::to_string(i);
    EXPECT_NE(lands_on(name), "");
    EXPECT_TRUE(eventually([&] { return events(name, "Scheduled").size() == 1; }));
  }
  auto writes = scheduler.writes();
  writes.erase(writes.begin(), writes.begin() + static_cast<std::ptrdiff_t>(writes_before));
  const auto bindings = std::erase_if(writes, [](const std::string& one) { return one.ends_with(" binding"); });
  const auto event_writes =
      std::erase_if(writes, [](const std::string& one) { return one.starts_with("create events"); });
  EXPECT_EQ(bindings, static_cast<std::size_t>(kPods));
  EXPECT_EQ(event_writes, static_cast<std::size_t>(kPods));
  EXPECT_THAT(writes, ::testing::IsEmpty());
  EXPECT_EQ(scheduler.reads(), reads_before) << "objects that the informers hold are not read again";
}

}  // namespace
}  // namespace rescheduler::test
