#include "rescheduling/history/move_history_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/client/client.h"
#include "kube/proto/core.pb.h"
#include "support/scripted_api.h"
#include "support/virtual_time.h"

namespace rescheduler::rescheduling {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

migration::MoveRequest request(const std::string& pod) {
  migration::MoveRequest made;
  made.ns = "shop";
  made.pod = pod;
  made.uid = "uid-" + pod;
  made.lineage = {"Deployment", "shop", "web", "w"};
  made.source = "a";
  made.target = "b";
  return made;
}

class MoveHistoryStoreTest : public testing::Test {
 protected:
  Result<void> load(MoveHistoryStore& store) { return time.loop.await_result(store.load()); }
  Result<void> begin(MoveHistoryStore& store, const std::string& pod) {
    return time.loop.await_result(store.save_begun({request(pod)}, now()));
  }
  Result<void> end(MoveHistoryStore& store, const std::string& pod) {
    migration::MoveOutcome outcome;
    outcome.request = request(pod);
    outcome.result = migration::MoveResult::Succeeded;
    outcome.began = outcome.ended = now();
    store.note_ended(outcome);
    return time.loop.await_result(store.save_ended(now()));
  }
  api::ConfigMap map() { return *api.find<api::ConfigMap>("kube-system", "rescheduler-moves"); }
  void change(const std::function<void(api::ConfigMap&)>& how) {
    api::ConfigMap changed = map();
    how(changed);
    ASSERT_TRUE(time.loop.await_result(kube::Client(api).update(changed)));
  }
  WallTime now() const { return time.clock.wall_now(); }

  test::VirtualTime time;
  test::ScriptedApi api;
  MoveHistoryStore one{api, "kube-system", 6h};
  MoveHistoryStore two{api, "kube-system", 6h};
};

TEST_F(MoveHistoryStoreTest, ANewLeaderReadsTheMovesOfThePreviousLeader) {
  ASSERT_TRUE(load(one));
  EXPECT_THAT(one.history().moves(), IsEmpty());
  ASSERT_TRUE(begin(one, "p"));
  ASSERT_TRUE(load(two));
  ASSERT_THAT(two.history().moves(), SizeIs(1));
  EXPECT_FALSE(two.history().moves()[0].ended);
  ASSERT_TRUE(end(one, "p"));
  ASSERT_TRUE(load(two));
  EXPECT_TRUE(two.history().moves()[0].ended);
}

TEST_F(MoveHistoryStoreTest, EffectsAreSavedOnceAndReadByTheNextLeader) {
  ASSERT_TRUE(load(one));
  EXPECT_FALSE(one.has_unsaved());
  one.note_effects(R"({"LoadBalancing":{}})");
  EXPECT_TRUE(one.has_unsaved());
  ASSERT_TRUE(load(one));
  EXPECT_EQ(one.effects(), R"({"LoadBalancing":{}})") << "unsaved effects are kept by a load";
  ASSERT_TRUE(time.loop.await_result(one.save_ended(now())));
  EXPECT_FALSE(one.has_unsaved());
  ASSERT_TRUE(load(two));
  EXPECT_EQ(two.effects(), R"({"LoadBalancing":{}})");
}

TEST_F(MoveHistoryStoreTest, OfTwoConcurrentWritesTheSecondFailsAndReadsTheStateAgain) {
  ASSERT_TRUE(load(one));
  ASSERT_TRUE(load(two));
  ASSERT_TRUE(begin(one, "p"));
  const auto refused = begin(two, "q");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::Conflict);
  EXPECT_THAT(two.history().moves(), SizeIs(1)) << "the failed write has read the move of the other store";
  EXPECT_TRUE(begin(two, "q")) << "the repeated write succeeds";
}

TEST_F(MoveHistoryStoreTest, APauseStopsTheMovesDecidedBeforeItAndIsKeptByLaterWrites) {
  ASSERT_TRUE(load(one));
  EXPECT_FALSE(one.paused());
  change([](api::ConfigMap& changed) {
    (*changed.mutable_metadata()->mutable_annotations())["rescheduler.io/paused"] = "true";
  });
  const auto refused = begin(one, "p");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::Conflict);
  EXPECT_TRUE(one.paused());
  ASSERT_TRUE(end(one, "p")) << "outcomes are saved during a pause";
  EXPECT_EQ(map().metadata().annotations().at("rescheduler.io/paused"), "true") << "the pause is kept";
  change([](api::ConfigMap& changed) {
    (*changed.mutable_metadata()->mutable_annotations())["rescheduler.io/paused"] = "false";
  });
  ASSERT_TRUE(load(one));
  EXPECT_FALSE(one.paused());
}

TEST_F(MoveHistoryStoreTest, AnOutcomeThatCouldNotBeSavedIsSavedLater) {
  ASSERT_TRUE(load(one));
  ASSERT_TRUE(begin(one, "p"));
  api.fail_calls(api.calls().size(), 1, Error{Errc::Unavailable, "away"});
  EXPECT_FALSE(end(one, "p"));
  EXPECT_TRUE(one.has_unsaved());
  ASSERT_TRUE(load(one));
  EXPECT_TRUE(one.history().moves()[0].ended) << "although the ConfigMap does not have the outcome yet";
  ASSERT_TRUE(begin(one, "q"));
  EXPECT_FALSE(one.has_unsaved());
  ASSERT_TRUE(load(two));
  for (const auto& move : two.history().moves()) EXPECT_EQ(move.ended.has_value(), move.pod == "p") << move.pod;
}

TEST_F(MoveHistoryStoreTest, AnInvalidHistoryIsAnErrorThatNamesTheConfigMap) {
  ASSERT_TRUE(load(one));
  change([](api::ConfigMap& changed) { (*changed.mutable_data())["moves"] = "nonsense"; });
  const auto loaded = load(one);
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message, HasSubstr("ConfigMap kube-system/rescheduler-moves"));
}

}  // namespace
}  // namespace rescheduler::rescheduling
