#include "rescheduling/history/move_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace rescheduler::rescheduling {
namespace {

using migration::Lineage;
using migration::MoveOutcome;
using migration::MoveRequest;
using migration::MoveResult;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::SizeIs;
using namespace std::chrono_literals;

constexpr WallTime kNoon{std::chrono::seconds{1'700'000'000}};

MoveRequest request(const std::string& pod, const std::string& source = "a", const std::string& target = "b") {
  MoveRequest made;
  made.ns = "shop";
  made.pod = pod;
  made.uid = "uid-" + pod;
  made.lineage = {"Deployment", "shop", "web", "web-uid"};
  made.source = source;
  made.target = target;
  made.strategy = "LoadBalancing";
  made.plan = "p1";
  return made;
}

MoveOutcome outcome(const MoveRequest& of, MoveResult result, WallTime at, const std::string& replacement = "") {
  MoveOutcome made;
  made.request = of;
  made.result = result;
  made.began = at - 30s;
  made.ended = at;
  made.replacement = replacement;
  made.landed = of.target;
  return made;
}

const config::Brakes kBrakes;  // cooldown 10 min, history 6 h

TEST(MoveHistory, AWrittenHistoryIsReadBackUnchanged) {
  MoveHistory history;
  history.begun(request("one"), kNoon);
  history.begun(request("two", "c"), kNoon + 1min);
  history.ended(outcome(request("one"), MoveResult::Elsewhere, kNoon + 2min, "new"));
  const auto again = MoveHistory::parse(history.to_json());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, history);
  EXPECT_EQ(again->moves()[0].replacement, "new");
  EXPECT_FALSE(again->moves()[1].ended);
}

TEST(MoveHistory, InvalidTextIsAnErrorAndEmptyTextIsAnEmptyHistory) {
  for (const char* text : {"{", "{}", "[1]", R"([{"pod":"a"}])", R"([{"began":"2024-01-01T00:00:00Z","ended":"x"}])"}) {
    EXPECT_FALSE(MoveHistory::parse(text)) << text;
  }
  EXPECT_THAT(MoveHistory::parse("")->moves(), IsEmpty());
}

TEST(MoveHistory, AnUnknownResultIsReadAsAFailure) {
  const auto history =
      MoveHistory::parse(R"([{"began":"2024-01-01T00:00:00Z","ended":"2024-01-01T00:01:00Z","result":"teleported"}])");
  ASSERT_TRUE(history);
  EXPECT_EQ(history->moves()[0].result, MoveResult::Failed);
}

TEST(MoveHistory, TheOutcomeOfAMoveWithoutARecordedBeginningIsKept) {
  MoveHistory history;
  history.ended(outcome(request("one"), MoveResult::Succeeded, kNoon));
  ASSERT_THAT(history.moves(), SizeIs(1));
  EXPECT_EQ(history.moves()[0].ended, kNoon);
}

TEST(MoveHistory, OldMovesAndTheOldestMovesBeyondTheLimitAreDropped) {
  MoveHistory history;
  for (int i = 0; i < 10; ++i) history.begun(request(std::to_string(i)), kNoon + i * 1min);
  history.forget(kNoon + 10min, 7min, 100);
  EXPECT_THAT(history.moves(), SizeIs(7));
  history.forget(kNoon + 10min, 7min, 2);
  ASSERT_THAT(history.moves(), SizeIs(2));
  EXPECT_EQ(history.moves()[0].pod, "8") << "the oldest moves are dropped";
}

TEST(Cooldowns, TheReplacementHasACooldownAndOtherReplicasDoNot) {
  MoveHistory history;
  history.ended(outcome(request("one"), MoveResult::Succeeded, kNoon, "new"));
  const Cooldowns now = cooldowns(history, kBrakes, kNoon + 5min);
  EXPECT_THAT(now.pods, ElementsAre(testing::Pair(Cooldowns::PodName{"shop", "new"}, HasSubstr("5 minutes ago"))));
  EXPECT_THAT(now.lineages, IsEmpty());
  EXPECT_THAT(cooldowns(history, kBrakes, kNoon + 10min).pods, IsEmpty());
}

TEST(Cooldowns, AWorkloadDoesNotReturnToASourceNodeWhileTheMoveIsInTheHistory) {
  MoveHistory history;
  history.ended(outcome(request("one", "a"), MoveResult::Succeeded, kNoon, "new"));
  history.ended(outcome(request("two", "c"), MoveResult::Elsewhere, kNoon + 1h, "newer"));
  const Lineage web{"Deployment", "shop", "web", "web-uid"};
  const auto back = [&](const std::string& to, WallTime at) {
    return cooldowns(history, kBrakes, at).ping_pong.would_return(web, "b", to);
  };
  EXPECT_TRUE(back("a", kNoon + 5h) && back("c", kNoon + 5h));
  EXPECT_FALSE(back("a", kNoon + 6h + 30min));
  EXPECT_TRUE(back("c", kNoon + 6h + 30min));
}

TEST(Cooldowns, APodThatWasDrainedForMaintenanceMayReturnAfterItsCooldown) {
  MoveHistory history;
  MoveRequest drained = request("one");
  drained.strategy = "NodeMaintenance";
  history.ended(outcome(drained, MoveResult::Succeeded, kNoon, "new"));
  EXPECT_TRUE(cooldowns(history, kBrakes, kNoon + 1min).ping_pong.empty());
  EXPECT_THAT(cooldowns(history, kBrakes, kNoon + 1min).pods, SizeIs(1));
}

TEST(Cooldowns, AFailedOrUnfinishedMoveGivesTheWholeWorkloadACooldown) {
  MoveHistory history;
  history.begun(request("one"), kNoon);
  EXPECT_THAT(cooldowns(history, kBrakes, kNoon + 1min).lineages, SizeIs(1));
  history.ended(outcome(request("one"), MoveResult::Failed, kNoon + 2min));
  EXPECT_THAT(cooldowns(history, kBrakes, kNoon + 3min).lineages, SizeIs(1));
  EXPECT_THAT(cooldowns(history, kBrakes, kNoon + 13min).lineages, IsEmpty());
}

TEST(Cooldowns, ARefusedMoveHasAShortCooldownAndDoesNotCountForPingPong) {
  MoveHistory history;
  history.ended(outcome(request("one"), MoveResult::Refused, kNoon));
  EXPECT_THAT(cooldowns(history, kBrakes, kNoon + 30s).pods, Contains(Key(Cooldowns::PodName{"shop", "one"})));
  EXPECT_THAT(cooldowns_from_refusals(history, kNoon + 30s).pods, SizeIs(1));
  EXPECT_THAT(cooldowns(history, kBrakes, kNoon + 61s).pods, IsEmpty());
  EXPECT_TRUE(cooldowns(history, kBrakes, kNoon + 30s).ping_pong.empty());
}

RC_GTEST_PROP(MoveHistory, AnyWrittenHistoryIsReadBackUnchanged, ()) {
  MoveHistory history;
  const int moves = *rc::gen::inRange(0, 20);
  for (int i = 0; i < moves; ++i) {
    const MoveRequest one = request(*rc::gen::arbitrary<bool>() ? "p\"\\" + std::to_string(i) : std::to_string(i));
    const WallTime at = kNoon + std::chrono::seconds{*rc::gen::inRange(0, 1000)};
    history.begun(one, at);
    if (*rc::gen::arbitrary<bool>()) {
      history.ended(outcome(one, static_cast<MoveResult>(*rc::gen::inRange(0, 5)), at + 1s, "r"));
    }
  }
  const auto again = MoveHistory::parse(history.to_json());
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == history);
}

}  // namespace
}  // namespace rescheduler::rescheduling
