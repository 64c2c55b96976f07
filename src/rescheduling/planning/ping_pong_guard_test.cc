#include "rescheduling/planning/ping_pong_guard.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace rescheduler::rescheduling {
namespace {

const migration::Lineage kWeb{"Deployment", "shop", "web", "web"};
const migration::Lineage kDb{"Deployment", "shop", "db", "db"};

TEST(PingPongGuard, NoReplicaOfAWorkloadReturnsToANodeThatTheWorkloadLeft) {
  PingPongGuard ping_pong;
  ping_pong.record_move(kWeb, "a", "b");
  EXPECT_TRUE(ping_pong.would_return(kWeb, "b", "a"));
  EXPECT_FALSE(ping_pong.would_return(kWeb, "a", "b")) << "another move in the same direction";
  EXPECT_FALSE(ping_pong.would_return(kDb, "b", "a")) << "another workload";
}

TEST(PingPongGuard, AReturnOverSeveralMovesIsFoundInAnyOrderOfTheRecords) {
  PingPongGuard ping_pong;
  ping_pong.record_move(kWeb, "b", "c");
  ping_pong.record_move(kWeb, "a", "b");
  EXPECT_TRUE(ping_pong.would_return(kWeb, "c", "a"));
  EXPECT_TRUE(ping_pong.would_return(kWeb, "c", "b"));
  EXPECT_FALSE(ping_pong.would_return(kWeb, "a", "c"));
}

TEST(PingPongGuard, ANodeThatWasLeftIsOpenToReplicasOfUnrelatedNodes) {
  PingPongGuard ping_pong;
  for (const char* hot : {"a", "b", "c", "d"}) ping_pong.record_move(kWeb, hot, "cool");
  EXPECT_FALSE(ping_pong.would_return(kWeb, "a", "b"));
  EXPECT_FALSE(ping_pong.would_return(kWeb, "elsewhere", "a"));
  EXPECT_TRUE(ping_pong.would_return(kWeb, "cool", "d"));
}

// The definition, implemented independently: whether the moves lead from `from` to `to`.
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

RC_GTEST_PROP(PingPongGuard, AMoveIsAReturnIfTheRecordedMovesLeadFromItsTargetToItsSource, ()) {
  const auto node = [] { return std::string(1, static_cast<char>('a' + *rc::gen::inRange(0, 6))); };
  PingPongGuard ping_pong;
  std::vector<std::pair<std::string, std::string>> moves;
  const int count = *rc::gen::inRange(0, 9);
  for (int i = 0; i < count; ++i) {
    const std::string from = node();
    const std::string to = node();
    if (from == to) continue;
    moves.emplace_back(from, to);
    ping_pong.record_move(kWeb, from, to);
  }
  const std::string from = node();
  const std::string to = node();
  RC_PRE(from != to);
  RC_ASSERT(ping_pong.would_return(kWeb, from, to) == leads(moves, to, from));
}

}  // namespace
}  // namespace rescheduler::rescheduling
