#include "migration/turns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rescheduler::migration {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Turns, GoByWhoCameFirst) {
  Turns turns;
  turns.stand_for("web", "a", false);
  turns.stand_for("web", "b", false);
  turns.stand_for("web", "c", false);
  turns.stand_for("web", "b", false);  // asking again changes nothing
  EXPECT_EQ(turns.ahead_of("web", "a"), "");
  EXPECT_EQ(turns.ahead_of("web", "b"), "a");
  EXPECT_THAT(turns.leave("a"), ElementsAre("b"));
  EXPECT_EQ(turns.ahead_of("web", "b"), "");
  EXPECT_EQ(turns.ahead_of("web", "c"), "b");
}

TEST(Turns, OnlyTheNextOneIsWokenAndNobodyByOneThatOnlyWaited) {
  Turns turns;
  for (const char* move : {"a", "b", "c"}) turns.stand_for("web", move, false);
  turns.stand_for("db", "d", false);
  EXPECT_THAT(turns.leave("b"), IsEmpty());
  EXPECT_THAT(turns.leave("a"), ElementsAre("c"));
  EXPECT_THAT(turns.leave("c"), IsEmpty());
  EXPECT_EQ(turns.ahead_of("web", "late"), "");
  EXPECT_EQ(turns.ahead_of("db", "late"), "d");
}

TEST(Turns, WhatHasBegunGoesFirst) {
  Turns turns;
  turns.stand_for("web", "a", false);
  turns.stand_for("web", "b", false);
  turns.stand_for("web", "b", true);
  EXPECT_EQ(turns.ahead_of("web", "a"), "b");
  turns.stand_for("web", "c", true);
  EXPECT_EQ(turns.ahead_of("web", "b"), "c");
  EXPECT_THAT(turns.leave("c"), ElementsAre("b"));
}

TEST(Turns, WhoLeavesLeavesEveryQueue) {
  Turns turns;
  turns.stand_for("pod", "a", false);
  turns.stand_for("web", "a", false);
  turns.stand_for("web", "b", false);
  EXPECT_THAT(turns.leave("a"), ElementsAre("b"));
  EXPECT_EQ(turns.ahead_of("pod", "b"), "");
  turns.stand_for("", "b", false);  // what it belongs to is not known yet
  EXPECT_EQ(turns.ahead_of("", "c"), "");
}

}  // namespace
}  // namespace rescheduler::migration
