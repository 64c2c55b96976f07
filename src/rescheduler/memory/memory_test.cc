#include "rescheduler/memory/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace rescheduler::rescheduling {
namespace {

using migration::Lineage;
using migration::MoveOrder;
using migration::MoveOutcome;
using migration::MoveResult;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::SizeIs;
using namespace std::chrono_literals;

constexpr WallTime kNoon{std::chrono::seconds{1'700'000'000}};

MoveOrder order(const std::string& pod, const std::string& source = "a", const std::string& target = "b") {
  MoveOrder made;
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

MoveOutcome outcome(const MoveOrder& of, MoveResult result, WallTime at, const std::string& replacement = "") {
  MoveOutcome made;
  made.order = of;
  made.result = result;
  made.began = at - 30s;
  made.ended = at;
  made.replacement = replacement;
  made.landed = of.target;
  return made;
}

const config::Brakes kBrakes;  // cooldown 10 min, memory 6 h

TEST(MoveMemory, ReadsBackWhatItWrites) {
  MoveMemory memory;
  memory.begun(order("one"), kNoon);
  memory.begun(order("two", "c"), kNoon + 1min);
  memory.ended(outcome(order("one"), MoveResult::Elsewhere, kNoon + 2min, "new"));
  const auto again = MoveMemory::parse(memory.to_json());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, memory);
  EXPECT_EQ(again->moves()[0].replacement, "new");
  EXPECT_FALSE(again->moves()[1].ended);
}

TEST(MoveMemory, WhatIsNoRecordIsAnErrorAndNothingIsTheEmptyOne) {
  for (const char* text : {"{", "{}", "[1]", R"([{"pod":"a"}])", R"([{"began":"2024-01-01T00:00:00Z","ended":"x"}])"}) {
    EXPECT_FALSE(MoveMemory::parse(text)) << text;
  }
  EXPECT_THAT(MoveMemory::parse("")->moves(), IsEmpty());
}

TEST(MoveMemory, AResultOfALaterVersionIsNoSuccess) {
  const auto memory =
      MoveMemory::parse(R"([{"began":"2024-01-01T00:00:00Z","ended":"2024-01-01T00:01:00Z","result":"teleported"}])");
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->moves()[0].result, MoveResult::Failed);
}

TEST(MoveMemory, AnOutcomeOfAMoveNobodyWroteDownIsKeptToo) {
  MoveMemory memory;
  memory.ended(outcome(order("one"), MoveResult::Succeeded, kNoon));
  ASSERT_THAT(memory.moves(), SizeIs(1));
  EXPECT_EQ(memory.moves()[0].ended, kNoon);
}

TEST(MoveMemory, ForgetsTheOldAndTheTooMany) {
  MoveMemory memory;
  for (int i = 0; i < 10; ++i) memory.begun(order(std::to_string(i)), kNoon + i * 1min);
  memory.forget(kNoon + 10min, 7min, 100);
  EXPECT_THAT(memory.moves(), SizeIs(7));
  memory.forget(kNoon + 10min, 7min, 2);
  ASSERT_THAT(memory.moves(), SizeIs(2));
  EXPECT_EQ(memory.moves()[0].pod, "8") << "the oldest go";
}

TEST(Resting, TheReplacementRestsAndItsSiblingsDoNot) {
  MoveMemory memory;
  memory.ended(outcome(order("one"), MoveResult::Succeeded, kNoon, "new"));
  const Resting now = resting(memory, kBrakes, kNoon + 5min);
  EXPECT_THAT(now.pods, ElementsAre(testing::Pair(Resting::PodName{"shop", "new"}, HasSubstr("5 minutes ago"))));
  EXPECT_THAT(now.lineages, IsEmpty());
  EXPECT_THAT(resting(memory, kBrakes, kNoon + 10min).pods, IsEmpty());
}

TEST(Resting, ALineageDoesNotGoBackWhereItCameFromForAsLongAsItIsRemembered) {
  MoveMemory memory;
  memory.ended(outcome(order("one", "a"), MoveResult::Succeeded, kNoon, "new"));
  memory.ended(outcome(order("two", "c"), MoveResult::Elsewhere, kNoon + 1h, "newer"));
  const Lineage web{"Deployment", "shop", "web", "web-uid"};
  const auto back = [&](const std::string& to, WallTime at) {
    return resting(memory, kBrakes, at).circles.closes(web, "b", to);
  };
  EXPECT_TRUE(back("a", kNoon + 5h) && back("c", kNoon + 5h));
  EXPECT_FALSE(back("a", kNoon + 6h + 30min));
  EXPECT_TRUE(back("c", kNoon + 6h + 30min));
}

TEST(Resting, WhatLeftANodeForMaintenanceMayComeBack) {
  MoveMemory memory;
  MoveOrder drained = order("one");
  drained.strategy = "NodeMaintenance";
  memory.ended(outcome(drained, MoveResult::Succeeded, kNoon, "new"));
  EXPECT_TRUE(resting(memory, kBrakes, kNoon + 1min).circles.empty());
  EXPECT_THAT(resting(memory, kBrakes, kNoon + 1min).pods, SizeIs(1));
}

TEST(Resting, AFailureOrAnUnknownEndRestsTheWholeLineage) {
  MoveMemory memory;
  memory.begun(order("one"), kNoon);
  EXPECT_THAT(resting(memory, kBrakes, kNoon + 1min).lineages, SizeIs(1));
  memory.ended(outcome(order("one"), MoveResult::Failed, kNoon + 2min));
  EXPECT_THAT(resting(memory, kBrakes, kNoon + 3min).lineages, SizeIs(1));
  EXPECT_THAT(resting(memory, kBrakes, kNoon + 13min).lineages, IsEmpty());
}

TEST(Resting, ARefusalIsTriedAgainSoonAndKeepsNobodyFromAnywhere) {
  MoveMemory memory;
  memory.ended(outcome(order("one"), MoveResult::Refused, kNoon));
  EXPECT_THAT(resting(memory, kBrakes, kNoon + 30s).pods, Contains(Key(Resting::PodName{"shop", "one"})));
  EXPECT_THAT(resting_from_refusals(memory, kNoon + 30s).pods, SizeIs(1));
  EXPECT_THAT(resting(memory, kBrakes, kNoon + 61s).pods, IsEmpty());
  EXPECT_TRUE(resting(memory, kBrakes, kNoon + 30s).circles.empty());
}

RC_GTEST_PROP(MoveMemory, AnyRecordReadsBack, ()) {
  MoveMemory memory;
  const int moves = *rc::gen::inRange(0, 20);
  for (int i = 0; i < moves; ++i) {
    const MoveOrder one = order(*rc::gen::arbitrary<bool>() ? "p\"\\" + std::to_string(i) : std::to_string(i));
    const WallTime at = kNoon + std::chrono::seconds{*rc::gen::inRange(0, 1000)};
    memory.begun(one, at);
    if (*rc::gen::arbitrary<bool>()) {
      memory.ended(outcome(one, static_cast<MoveResult>(*rc::gen::inRange(0, 5)), at + 1s, "r"));
    }
  }
  const auto again = MoveMemory::parse(memory.to_json());
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == memory);
}

}  // namespace
}  // namespace rescheduler::rescheduling
