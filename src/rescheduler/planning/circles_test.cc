#include "rescheduler/planning/circles.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace rescheduler::rescheduling {
namespace {

const migration::Lineage kWeb{"Deployment", "shop", "web", "web"};
const migration::Lineage kDb{"Deployment", "shop", "db", "db"};

TEST(Circles, WhoWentThereDoesNotComeBackAndNeitherDoesASibling) {
  Circles circles;
  circles.went(kWeb, "a", "b");
  EXPECT_TRUE(circles.closes(kWeb, "b", "a"));
  EXPECT_FALSE(circles.closes(kWeb, "a", "b")) << "more of the same";
  EXPECT_FALSE(circles.closes(kDb, "b", "a")) << "another workload";
}

TEST(Circles, AreSeenOverSeveralMovesInWhicheverOrderTheyAreTold) {
  Circles circles;
  circles.went(kWeb, "b", "c");
  circles.went(kWeb, "a", "b");
  EXPECT_TRUE(circles.closes(kWeb, "c", "a"));
  EXPECT_TRUE(circles.closes(kWeb, "c", "b"));
  EXPECT_FALSE(circles.closes(kWeb, "a", "c"));
}

TEST(Circles, ANodeThatWasLeftIsOpenToThoseWhoHaveNothingToDoWithIt) {
  Circles circles;
  for (const char* hot : {"a", "b", "c", "d"}) circles.went(kWeb, hot, "cool");
  EXPECT_FALSE(circles.closes(kWeb, "a", "b"));
  EXPECT_FALSE(circles.closes(kWeb, "elsewhere", "a"));
  EXPECT_TRUE(circles.closes(kWeb, "cool", "d"));
}

// The definition, once more: is there a way from `to` to `from` along the moves?
bool leads(const std::vector<std::pair<std::string, std::string>>& moves,
           const std::string& from,
           const std::string& to) {
  std::set<std::string> reached{from};
  for (std::size_t before = 0; before != reached.size();) {
    before = reached.size();
    for (const auto& [source, target] : moves) {
      if (reached.contains(source)) reached.insert(target);
    }
  }
  return reached.contains(to);
}

RC_GTEST_PROP(Circles, AreWhatAWayBackIs, ()) {
  const auto node = [] { return std::string(1, static_cast<char>('a' + *rc::gen::inRange(0, 6))); };
  Circles circles;
  std::vector<std::pair<std::string, std::string>> moves;
  const int count = *rc::gen::inRange(0, 9);
  for (int i = 0; i < count; ++i) {
    const std::string from = node();
    const std::string to = node();
    if (from == to) continue;
    moves.emplace_back(from, to);
    circles.went(kWeb, from, to);
  }
  const std::string from = node();
  const std::string to = node();
  RC_PRE(from != to);
  RC_ASSERT(circles.closes(kWeb, from, to) == leads(moves, to, from));
}

}  // namespace
}  // namespace rescheduler::rescheduling
