#include "migration/evicting_mover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/core_pod.pb.h"
#include "support/scripted_api.h"
#include "support/virtual_time.h"

namespace rescheduler::migration {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

class Evicting : public testing::Test {
 protected:
  void SetUp() override {
    api.put(pod("web-1", "a"));
    // Evictions are posted to pods and stored nowhere.
    api.answer_creates_of(kube::resource_of<api::Pod>(), [](const kube::Message&, kube::Message&) {});
    order.ns = "shop";
    order.pod = "web-1";
    order.uid = api.find<api::Pod>("shop", "web-1")->metadata().uid();
    order.lineage = {"Deployment", "shop", "web", "web-uid"};
    order.source = "a";
    order.target = "b";
    order.deadline = 60s;
  }
  static api::Pod pod(const std::string& name, const std::string& node) {
    api::Pod made;
    made.mutable_metadata()->set_namespace_("shop");
    made.mutable_metadata()->set_name(name);
    made.mutable_spec()->set_node_name(node);
    auto& owner = *made.mutable_metadata()->add_owner_references();
    owner.set_kind("ReplicaSet");
    owner.set_name("web-5f95");
    owner.set_uid("set-uid");
    owner.set_controller(true);
    return made;
  }
  // From now on evictions are answered like this; those that only ask as well.
  void answer_with(Error error) {
    api.before_each([error](const kube::ApiCall& call) -> std::optional<Error> {
      if (call.subresource == "eviction") return error;
      return std::nullopt;
    });
  }
  static api::Pod ready(api::Pod made, const std::string& uid) {
    made.mutable_metadata()->set_uid(uid);
    auto& condition = *made.mutable_status()->add_conditions();
    condition.set_type("Ready");
    condition.set_status("True");
    return made;
  }
  // While it is evicted these are seen, in this order.
  void see_meanwhile(const std::vector<api::Pod>& all) {
    api.before_each([this, all](const kube::ApiCall& call) -> std::optional<Error> {
      if (call.subresource != "eviction" || call.dry_run) return std::nullopt;
      for (const api::Pod& one : all) mover->seen(std::make_shared<api::Pod>(one));
      return std::nullopt;
    });
  }
  MoveOutcome move() {
    begin();
    return wait();
  }
  void begin() {
    on_loop([&] {
      mover = std::make_unique<EvictingMover>(api, time.services());
      mover->on_outcome([this](const MoveOutcome& told) { outcome = told; });
      mover->begin(order);
    });
  }
  MoveOutcome wait() {
    for (int i = 0; i < 10'000 && !outcome; ++i) on_loop([] {});
    EXPECT_TRUE(outcome);
    on_loop([&] { EXPECT_TRUE(mover->under_way().empty()); });
    return outcome.value_or(MoveOutcome{});
  }
  int evictions() {
    int count = 0;
    for (const auto& call : api.calls()) count += call.text.find("eviction") != std::string::npos ? 1 : 0;
    return count;
  }
  void on_loop(const std::function<void()>& act) {
    const auto task = [&act]() -> net::Task<Result<void>> {
      act();
      co_return Result<void>{};
    };
    ASSERT_TRUE(time.loop.await_result(task()));
  }
  void TearDown() override {
    on_loop([&] { mover.reset(); });
  }

  test::ScriptedApi api;
  std::unique_ptr<EvictingMover> mover;
  std::optional<MoveOutcome> outcome;
  MoveOrder order;
  test::VirtualTime time;  // last: nothing runs any more when the rest goes
};

TEST_F(Evicting, APodThatIsGoneOrAnotherByThatNameOrElsewhereIsLeftAlone) {
  order.uid = "another";
  EXPECT_EQ(move().result, MoveResult::Stale);
  outcome.reset();
  order.uid = api.find<api::Pod>("shop", "web-1")->metadata().uid();
  order.source = "c";
  EXPECT_EQ(move().result, MoveResult::Stale);
  outcome.reset();
  order.pod = "nobody";
  EXPECT_EQ(move().result, MoveResult::Stale);
  EXPECT_EQ(evictions(), 0);
}

TEST_F(Evicting, WhatIsForbiddenIsRefusedAfterAskingOnce) {
  for (const Errc code : {Errc::Denied, Errc::Internal}) {  // no permission; two budgets cover it
    outcome.reset();
    const int before = evictions();
    answer_with(Error{code, "no"});
    const MoveOutcome told = move();
    EXPECT_EQ(told.result, MoveResult::Refused);
    EXPECT_THAT(told.message, HasSubstr("no"));
    EXPECT_EQ(evictions(), before + 1) << "the one that only asks";
  }
}

TEST_F(Evicting, ABudgetThatIsUsedUpIsWaitedForUntilTheDeadline) {
  answer_with(Error{Errc::Throttled, "the budget is used up"});
  const MoveOutcome told = move();
  EXPECT_EQ(told.result, MoveResult::Refused);
  EXPECT_THAT(told.message, HasSubstr("budget"));
  EXPECT_GT(evictions(), 5);
  EXPECT_LE(told.ended - told.began, 60s);
}

TEST_F(Evicting, APodThatVanishesMeanwhileIsStale) {
  answer_with(Error{Errc::Conflict, "the uid is another"});
  EXPECT_EQ(move().result, MoveResult::Stale);
}

TEST_F(Evicting, TheReplacementIsKnownByItsOwnerAndByBeingNew) {
  api::Pod of_others = ready(pod("api-9", "b"), "u9");
  of_others.mutable_metadata()->mutable_owner_references(0)->set_name("api-77");
  const api::Pod replacement = ready(pod("web-3", "b"), "u3");
  see_meanwhile({ready(pod("web-2", "c"), "u2"), of_others, replacement});
  on_loop([&] {
    mover = std::make_unique<EvictingMover>(api, time.services());
    mover->on_outcome([this](const MoveOutcome& told) { outcome = told; });
    mover->seen(std::make_shared<api::Pod>(ready(pod("web-2", "c"), "u2")));  // was there before
    mover->begin(order);
  });
  const MoveOutcome told = wait();
  EXPECT_EQ(told.result, MoveResult::Succeeded);
  EXPECT_EQ(told.replacement, "web-3");
}

TEST_F(Evicting, AReplacementOnAnotherNodeIsElsewhere) {
  see_meanwhile({ready(pod("web-3", "c"), "u3")});
  const MoveOutcome told = move();
  EXPECT_EQ(told.result, MoveResult::Elsewhere);
  EXPECT_EQ(told.landed, "c");
}

TEST_F(Evicting, WithoutAReplacementInTimeItFailed) {
  const MoveOutcome told = move();
  EXPECT_EQ(told.result, MoveResult::Failed);
  EXPECT_THAT(told.message, HasSubstr("no replacement"));
  EXPECT_EQ(evictions(), 2) << "asked, and done";
}

}  // namespace
}  // namespace rescheduler::migration
