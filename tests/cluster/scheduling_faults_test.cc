// Failures between a decision and its binding, and objects that the scheduler does not expect.
#include <algorithm>
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/objects.h"
#include "support/scheduler.h"

namespace rescheduler::test {
namespace {

using testing::HasSubstr;

class SchedulingFaults : public SchedulingTest {
 protected:
  std::ptrdiff_t bindings_sent(TestScheduler& by) {
    return std::ranges::count_if(by.writes(), [](const std::string& one) { return one.ends_with(" binding"); });
  }
  // Long enough that a stall of some seconds on a busy machine does not end leadership; only the test ends it.
  static constexpr std::chrono::seconds kRenewDeadline{10};
  TestSchedulerSettings candidate(const std::string& identity) {
    kube::LeaderSettings lease;
    lease.ns = ns();
    lease.name = "lease";
    lease.election.identity = identity;
    lease.election.lease_duration = std::chrono::seconds{15};
    lease.election.renew_deadline = kRenewDeadline;
    lease.election.retry_period = std::chrono::milliseconds{200};
    return {.lease = std::move(lease)};
  }
};
RESCHEDULER_ON_EVERY_CLUSTER(SchedulingFaults);

TEST_P(SchedulingFaults, ARejectedBindingIsRetriedAndThePodIsBound) {
  const std::string node = add_node("a");
  auto& scheduler = start_scheduler();
  for (const int status : {409, 500}) {
    const std::string name = fmt::format("refused-{}", status);
    scheduler.with_api([&](FaultInjectingApi& api) { api.refuse_bindings({refusal(status, "the test refuses")}); });
    add_pod(name);
    EXPECT_EQ(lands_on(name), node);
    EXPECT_TRUE(has_event(name, "FailedScheduling", "binding rejected: the test refuses"));
    EXPECT_TRUE(has_event(name, "Scheduled", fmt::format("Successfully assigned {}/{} to {}", ns(), name, node)));
  }
  EXPECT_EQ(bindings_sent(scheduler), 2);
  EXPECT_TRUE(eventually([&] { return scheduler.assumed() == 0; }));
}

TEST_P(SchedulingFaults, ARejectedBindingReleasesTheResourcesOfItsPod) {
  const std::string node = add_node("a");
  auto& scheduler = start_scheduler();
  scheduler.with_api([](FaultInjectingApi& api) {
    api.refuse_bindings({refusal(500, "the test refuses"), refusal(500, "the test refuses")});
  });
  const std::string large = "{\"spec\": {" + cpu_request("20") + "}}";
  add_pod("one", large);
  add_pod("two", large);
  // One of the pods gets the node and the other waits for room. No room stays reserved for a binding that failed.
  ASSERT_TRUE(eventually([&] { return node_of_pod("one") == node || node_of_pod("two") == node; }));
  const bool one_is_there = !node_of_pod("one").empty();
  remove_pod(one_is_there ? "one" : "two");
  EXPECT_EQ(lands_on(one_is_there ? "two" : "one"), node);
  EXPECT_TRUE(eventually([&] { return scheduler.assumed() == 0; }));
}

TEST_P(SchedulingFaults, ABindingWhoseResponseIsLostIsNotSentTwice) {
  const std::string node = add_node("a");
  auto& scheduler = start_scheduler();
  scheduler.with_api([](FaultInjectingApi& api) { api.lose_answers(1); });
  add_pod("p");
  EXPECT_EQ(lands_on("p"), node);
  EXPECT_TRUE(has_event("p", "Scheduled", fmt::format("Successfully assigned {}/p to {}", ns(), node)));
  EXPECT_TRUE(eventually([&] { return scheduler.assumed() == 0; }));
  EXPECT_EQ(bindings_sent(scheduler), 1);
  EXPECT_TRUE(events("p", "FailedScheduling").empty());
}

TEST_P(SchedulingFaults, APodDeletedDuringItsBindingReleasesItsResources) {
  add_node("a");
  auto& scheduler = start_scheduler();
  scheduler.with_api([](FaultInjectingApi& api) { api.hold_bindings(); });
  add_pod("p");
  ASSERT_TRUE(eventually([&] { return scheduler.held() == 1; }));
  remove_pod("p");
  scheduler.with_api([](FaultInjectingApi& api) { api.release_bindings(); });
  EXPECT_TRUE(eventually([&] { return scheduler.held() == 0 && scheduler.assumed() == 0; }));
  add_pod("next", "{\"spec\": {" + cpu_request("32") + "}}");
  lands_on("next");
}

TEST_P(SchedulingFaults, ALeaderThatLosesItsLeaseBeforeABindingWritesNothingAndTheNextLeaderBinds) {
  const std::string node = add_node("a");
  auto& first = start_scheduler(candidate("first"));
  ASSERT_TRUE(eventually([&] { return first.leads(); }));
  first.with_api([](FaultInjectingApi& api) { api.hold_bindings(); });
  add_pod("p");
  ASSERT_TRUE(eventually([&] { return first.held() == 1; })) << "the pod is assumed, and its binding is held back";
  std::chrono::nanoseconds timeout{};
  first.with_api([&](FaultInjectingApi& api) { timeout = api.longest_bind_timeout(); });
  EXPECT_LE(timeout, kRenewDeadline) << "a request must end before the lease can pass to another instance";

  auto& second = start_scheduler(candidate("second"));
  first.with_api([](FaultInjectingApi& api) { api.lose_leases(); });
  ASSERT_TRUE(eventually([&] { return !first.leads(); }));
  EXPECT_FALSE(first.fence().may_act());
  const auto written = first.writes();
  EXPECT_EQ(lands_on("p"), node);
  EXPECT_TRUE(second.leads());
  EXPECT_EQ(bindings_sent(second), 1);

  // The first scheduler still sees every change and would have something to write, but it writes nothing.
  add_pod("q");
  EXPECT_EQ(lands_on("q"), node);
  add_pod("large", "{\"spec\": {" + cpu_request("40") + "}}");
  wait_unschedulable("large");
  EXPECT_TRUE(eventually([&] { return first.attempts() >= 1; }));
  EXPECT_EQ(first.writes(), written);

  // The binding that was held reaches the server. The server refuses it and the pod stays on its node.
  first.with_api([](FaultInjectingApi& api) { api.release_bindings(); });
  EXPECT_TRUE(eventually([&] { return first.held() == 0 && first.assumed() == 0; }));
  EXPECT_EQ(bindings_sent(first), 1);
  EXPECT_EQ(first.writes().size(), written.size() + 1);
  EXPECT_EQ(node_of_pod("p"), node);
  EXPECT_TRUE(has_event("p", "Scheduled", fmt::format("Successfully assigned {}/p to {}", ns(), node)));
  EXPECT_EQ(events("p", "Scheduled").size(), 1U);
}

TEST_P(SchedulingFaults, StopWaitsForBindingsInProgressAndTheNextSchedulerBindsTheOtherPods) {
  const std::string node = add_node("a");
  auto& first = start_scheduler();
  first.with_api([](FaultInjectingApi& api) { api.hold_bindings(); });
  const std::vector<std::string> begun{"one", "two", "three"};
  for (const std::string& name : begun) add_pod(name);
  ASSERT_TRUE(eventually([&] { return first.held() == 3; }));
  auto stopping = std::async(std::launch::async, [&] { first.stop(); });
  EXPECT_EQ(stopping.wait_for(std::chrono::milliseconds{50}), std::future_status::timeout);
  first.with_api([](FaultInjectingApi& api) { api.release_bindings(); });
  stopping.get();
  for (const std::string& name : begun) {
    EXPECT_EQ(node_of_pod(name), node) << name << " is not bound";
    EXPECT_EQ(events(name, "Scheduled").size(), 1U) << name;
  }
  add_pod("late");
  add_pod("later");
  EXPECT_EQ(node_of_pod("late"), "");
  auto& second = start_scheduler();
  EXPECT_EQ(lands_on("late"), node);
  EXPECT_EQ(lands_on("later"), node);
  EXPECT_EQ(bindings_sent(first), 3);
  EXPECT_EQ(bindings_sent(second), 2);
}

TEST_P(SchedulingFaults, UnusualObjectsDoNotBlockOtherPods) {
  const std::string node = add_node("a");
  auto& scheduler = start_scheduler();
  const std::string bare = add_node("bare", R"({"metadata": {"labels": {"test": "bare"}}})");
  ASSERT_TRUE(await(
      client().patch<api::Node>("", bare, R"({"status": {"allocatable": null, "capacity": null}})", status_patch())));
  api::Pod lost = pod_like("lost");
  lost.mutable_spec()->set_node_name(ns() + "-nowhere");
  ASSERT_TRUE(eventually([&] { return await(client().create(lost)).has_value(); }));
  add_pod("unknown-claim", R"({"spec": {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "none"}}]}})");
  add_pod("devices", R"({"spec": {"resourceClaims": [{"name": "gpu", "resourceClaimName": "some"}]}})");
  add_pod("giant", R"({"spec": {"containers": [{"name": "main", "image": "registry.example/app:1",
                       "resources": {"requests": {"memory": "9Ei", "cpu": "9000000"}}}]}})");
  EXPECT_THAT(wait_unschedulable("unknown-claim"), HasSubstr("persistentvolumeclaim \"none\" not found"));
  EXPECT_THAT(wait_unschedulable("devices"), HasSubstr("does not allocate"));
  EXPECT_THAT(wait_unschedulable("giant"), HasSubstr("Insufficient cpu"));
  add_pod("plain");
  EXPECT_EQ(lands_on("plain"), node);
  EXPECT_TRUE(eventually([&] { return scheduler.assumed() == 0; }));
}

}  // namespace
}  // namespace rescheduler::test
