// The requests that an action sends: which requests, how many, and whether each names the UID of the pod.
#include "scheduler/action_executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/testing.h"
#include "kube/codec/metadata.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/events.pb.h"
#include "kube/proto/meta.pb.h"
#include "support/scripted_api.h"
#include "support/virtual_time.h"

namespace rescheduler::scheduler {
namespace {

using namespace std::chrono_literals;
using cluster::testing::pod;
using cluster::testing::PodBuilder;
using kube::Verb;
using test::ScriptedApi;
using test::VirtualTime;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

PodPtr shared(const PodBuilder& built) { return std::make_shared<const api::Pod>(built.get()); }

// An ActionExecutor with two API servers: one for actions, one for Events.
struct ActionExecutorFixture {
  ActionExecutorFixture() {
    // In this test a binding does not change the pod.
    api.answer_creates_of(kube::resource_of<api::Pod>(), [](const kube::Message&, kube::Message&) {});
    api.before_each([this](const kube::ApiCall& call) -> std::optional<Error> {
      if (call.verb == Verb::Delete) {
        const auto* options = static_cast<const api::DeleteOptions*>(call.body);
        deleted_uids.push_back(options == nullptr ? "" : options->preconditions().uid());
      }
      if (call.verb == Verb::Create) bound_uids.push_back(kube::metadata_of(*call.body).uid());
      return refuse ? refuse(call) : std::nullopt;
    });
  }
  void carry_out(SchedulingAction action) {
    auto done = time.loop.await_result(carried_out(std::move(action)));
    ASSERT_TRUE(done) << done.error().message;
  }
  net::Task<Result<void>> carried_out(SchedulingAction action) {
    action_executor.take(std::move(action));
    auto carried = co_await action_executor.wait_idle();
    if (!carried) co_return carried;
    auto flushed = co_await recorder.flush();
    co_return flushed;
  }
  std::vector<std::string> requests() const {
    std::vector<std::string> all;
    for (const auto& call : api.calls()) all.push_back(call.text);
    return all;
  }
  std::vector<std::string> events() const {
    std::vector<std::string> all;
    for (const auto& event : event_api.all<api::Event>()) all.push_back(event.reason());
    return all;
  }

  ScriptedApi api;
  ScriptedApi event_api;
  std::function<std::optional<Error>(const kube::ApiCall&)> refuse;
  std::vector<std::string> deleted_uids;
  std::vector<std::string> bound_uids;
  std::vector<std::string> bound, failed;
  std::vector<bool> preemption_finished;
  VirtualTime time;
  kube::EventRecorder recorder{event_api, {.reporter = {"test", "test-0"}}, time.services()};
  ActionExecutor action_executor{
      api,
      {&recorder},
      {.scheduler_names = {"test"}},
      {.bound = [this](std::string uid) { bound.push_back(std::move(uid)); },
       .bind_failed = [this](std::string uid, Error) { failed.push_back(std::move(uid)); },
       .preemption_finished = [this](std::string, bool all) { preemption_finished.push_back(all); }},
      time.services()};
};

TEST(ActionExecutorBind, SendsOneBindingRequestAndOneEvent) {
  ActionExecutorFixture fixture;
  fixture.carry_out(BindAction{shared(pod("p")), "n"});
  EXPECT_THAT(fixture.requests(), ElementsAre("create pods/binding default/p"));
  EXPECT_THAT(fixture.bound_uids, ElementsAre("uid-p")) << "the binding must name the UID of this pod";
  EXPECT_THAT(fixture.bound, ElementsAre("uid-p"));
  EXPECT_THAT(fixture.events(), ElementsAre("Scheduled"));
  EXPECT_EQ(fixture.event_api.calls().size(), 1U);
}

TEST(ActionExecutorBind, AnEventTellsThatTheNodeIsAboveALoadThreshold) {
  ActionExecutorFixture fixture;
  BindAction action{shared(pod("p")), "n"};
  action.above_threshold = true;
  fixture.carry_out(std::move(action));
  EXPECT_THAT(fixture.events(), ElementsAre("Scheduled", "AboveLoadThreshold"));
}

TEST(ActionExecutorBind, ReadsThePodOnceWhenTheResponseIsLost) {
  for (const bool done : {true, false}) {
    ActionExecutorFixture fixture;
    fixture.api.put(done ? pod("p").on("n").get() : pod("p").get());
    fixture.refuse = [](const kube::ApiCall& call) -> std::optional<Error> {
      if (call.verb != Verb::Create) return std::nullopt;
      return Error{Errc::Timeout, "no answer"};
    };
    fixture.carry_out(BindAction{shared(pod("p")), "n"});
    EXPECT_THAT(fixture.requests(), ElementsAre("create pods/binding default/p", "get pods default/p"));
    EXPECT_EQ(fixture.bound.size(), done ? 1U : 0U);
    EXPECT_EQ(fixture.failed.size(), done ? 0U : 1U);
  }
}

TEST(ActionExecutorBind, FailsWhenTheResponseIsLostAndAnotherPodOfTheSameNameIsOnTheNode) {
  ActionExecutorFixture fixture;
  fixture.api.put(pod("p").uid("uid-another").on("n").get());
  fixture.refuse = [](const kube::ApiCall& call) -> std::optional<Error> {
    if (call.verb != Verb::Create) return std::nullopt;
    return Error{Errc::Timeout, "no answer"};
  };
  fixture.carry_out(BindAction{shared(pod("p")), "n"});
  EXPECT_THAT(fixture.bound, IsEmpty());
  EXPECT_THAT(fixture.failed, ElementsAre("uid-p"));
}

TEST(ActionExecutorStatus, SendsOnePatchAndOneEventWhenTheConditionIsNotInTheStatus) {
  ActionExecutorFixture fixture;
  fixture.api.put(pod("p").get());
  fixture.carry_out(StatusAction{shared(pod("p")), 0, "Unschedulable", "0/1 nodes are available", {}});
  EXPECT_THAT(fixture.requests(), ElementsAre("patch pods/status default/p"));
  EXPECT_THAT(fixture.api.calls().front().patch, HasSubstr(R"("uid":"uid-p")"));
  EXPECT_THAT(fixture.events(), ElementsAre("FailedScheduling"));
}

TEST(ActionExecutorStatus, SendsNoRequestWhenTheConditionIsAlreadyInTheStatus) {
  ActionExecutorFixture fixture;
  const auto reported = pod("p").merge(R"({"status": {"conditions": [{"type": "PodScheduled", "status": "False",
      "reason": "Unschedulable", "message": "0/1 nodes are available"}]}})");
  fixture.carry_out(StatusAction{shared(reported), 0, "Unschedulable", "0/1 nodes are available", {}});
  EXPECT_THAT(fixture.requests(), IsEmpty());
}

TEST(ActionExecutorPreempt, PatchesTheStatusOfTheVictimThenDeletesTheVictimBothByUid) {
  ActionExecutorFixture fixture;
  fixture.api.put(pod("victim").get());
  fixture.carry_out(PreemptAction{shared(pod("urgent")), 0, "n", {{"default", "victim", "uid-victim"}}});
  EXPECT_THAT(fixture.requests(), ElementsAre("patch pods/status default/victim", "delete pods default/victim"));
  EXPECT_THAT(fixture.api.calls().front().patch, HasSubstr(R"("uid":"uid-victim")"))
      << "a new pod of the same name must not be patched";
  EXPECT_THAT(fixture.deleted_uids, ElementsAre("uid-victim")) << "a new pod of the same name must not be deleted";
  EXPECT_THAT(fixture.preemption_finished, ElementsAre(true));
  EXPECT_THAT(fixture.events(), ElementsAre("Preempted"));
}

TEST(ActionExecutorPreempt, SendsNoRequestForAVictimThatIsAlreadyTerminating) {
  ActionExecutorFixture fixture;
  fixture.carry_out(PreemptAction{shared(pod("urgent")), 0, "n", {{"default", "victim", "uid-victim", true}}});
  EXPECT_THAT(fixture.requests(), IsEmpty());
  EXPECT_THAT(fixture.preemption_finished, ElementsAre(true));
}

TEST(ActionExecutorPreempt, AVictimThatDoesNotExistCountsAsPreemptedWithoutAnEvent) {
  ActionExecutorFixture fixture;
  fixture.carry_out(PreemptAction{shared(pod("urgent")), 0, "n", {{"default", "victim", "uid-victim"}}});
  EXPECT_THAT(fixture.requests(), ElementsAre("patch pods/status default/victim"));
  EXPECT_THAT(fixture.preemption_finished, ElementsAre(true));
  EXPECT_THAT(fixture.events(), IsEmpty());
}

TEST(ActionExecutorPreempt, AVictimIsNotDeletedWhenItsStatusCannotBePatched) {
  ActionExecutorFixture fixture;
  fixture.api.put(pod("victim").get());
  fixture.refuse = [](const kube::ApiCall& call) -> std::optional<Error> {
    if (call.verb != Verb::Patch) return std::nullopt;
    return Error{Errc::Invalid, "metadata.uid: field is immutable"};
  };
  fixture.carry_out(PreemptAction{shared(pod("urgent")), 0, "n", {{"default", "victim", "uid-victim"}}});
  EXPECT_THAT(fixture.requests(), ElementsAre("patch pods/status default/victim"));
  EXPECT_THAT(fixture.preemption_finished, ElementsAre(false)) << "the pod must be tried again";
}

}  // namespace
}  // namespace rescheduler::scheduler
