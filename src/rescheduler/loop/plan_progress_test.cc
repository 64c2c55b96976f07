#include "rescheduler/loop/plan_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace rescheduler::rescheduling {
namespace {

using config::MoveCaps;
using migration::MoveOrder;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr MoveCaps kNoCaps{0, 0, 0, 0};

PlannedMove move(const std::string& uid, std::uint32_t step = 1, const std::string& workload = "") {
  PlannedMove made;
  made.ns = "shop";
  made.uid = uid;
  made.pod = uid;
  made.lineage = {"Deployment", "shop", workload.empty() ? uid : workload, ""};
  made.source = "from-" + uid;
  made.target = "to-" + uid;
  made.step = step;
  return made;
}

std::shared_ptr<const Plan> plan(std::vector<PlannedMove> moves) {
  auto made = std::make_shared<Plan>();
  made->moves = std::move(moves);
  return made;
}

std::vector<std::string> due(const PlanProgress& waves,
                             const MoveCaps& caps,
                             const std::vector<MoveOrder>& under_way = {}) {
  std::vector<std::string> uids;
  for (const PlannedMove& one : waves.due(under_way, caps)) uids.push_back(one.uid);
  return uids;
}

TEST(PlanProgress, AStepBeginsWhenTheOneBeforeIsOver) {
  PlanProgress waves;
  waves.adopt(plan({move("a"), move("b", 2), move("c")}));
  EXPECT_THAT(due(waves, kNoCaps), ElementsAre("a", "c"));
  waves.began("a");
  waves.began("c");
  waves.ended("a");
  EXPECT_THAT(due(waves, kNoCaps), IsEmpty());
  waves.ended("c");
  EXPECT_THAT(due(waves, kNoCaps), ElementsAre("b"));
  waves.skipped("b");
  EXPECT_TRUE(waves.over());
}

TEST(PlanProgress, APodWithADetourTakesItsHopsOneAfterTheOther) {
  PlanProgress waves;
  waves.adopt(plan({move("a"), move("a", 2)}));
  waves.began("a");
  EXPECT_THAT(due(waves, kNoCaps), IsEmpty());
  waves.ended("a");
  EXPECT_FALSE(waves.over());
  EXPECT_THAT(due(waves, kNoCaps), ElementsAre("a"));
}

TEST(PlanProgress, ANewPlanDropsWhatHasNotBegun) {
  PlanProgress waves;
  waves.adopt(plan({move("a"), move("b")}));
  waves.began("a");
  waves.drop();
  EXPECT_FALSE(waves.waiting());
  EXPECT_TRUE(waves.over());
  waves.ended("a");  // of nobody's plan any more
  EXPECT_THAT(due(waves, kNoCaps), IsEmpty());
}

TEST(PlanProgress, CapsCountWhatIsUnderWay) {
  PlanProgress waves;
  waves.adopt(plan({move("a", 1, "web"), move("b", 1, "web"), move("c", 1, "api")}));
  EXPECT_THAT(due(waves, MoveCaps{0, 0, 0, 1}), ElementsAre("a", "c"));
  EXPECT_THAT(due(waves, MoveCaps{1, 0, 0, 0}), ElementsAre("a"));
  const std::vector<MoveOrder> others{order_for(move("x", 1, "web"), "p")};
  EXPECT_THAT(due(waves, MoveCaps{0, 0, 0, 1}, others), ElementsAre("c"));
  EXPECT_THAT(due(waves, MoveCaps{0, 0, 2, 0}, others), ElementsAre("a"));
}

RC_GTEST_PROP(PlanProgress, NeverGoBeyondTheCapsAndAlwaysEnd, ()) {
  std::vector<PlannedMove> moves;
  const int count = *rc::gen::inRange(1, 15);
  for (int i = 0; i < count; ++i) {
    PlannedMove one = move(std::to_string(i), static_cast<std::uint32_t>(*rc::gen::inRange(1, 4)),
                           std::string(1, static_cast<char>('a' + *rc::gen::inRange(0, 3))));
    one.source = std::to_string(*rc::gen::inRange(0, 3));
    one.target = std::to_string(*rc::gen::inRange(3, 6));
    moves.push_back(one);
  }
  const MoveCaps caps{static_cast<std::uint32_t>(*rc::gen::inRange(1, 4)),
                      static_cast<std::uint32_t>(*rc::gen::inRange(1, 3)), 3,
                      static_cast<std::uint32_t>(*rc::gen::inRange(1, 3))};
  PlanProgress waves;
  waves.adopt(plan(moves));
  std::vector<MoveOrder> under_way;
  for (int turn = 0; turn < 100 && !waves.over(); ++turn) {
    for (const PlannedMove& one : waves.due(under_way, caps)) {
      waves.began(one.uid);
      under_way.push_back(order_for(one, "p"));
    }
    RC_ASSERT(!under_way.empty());
    RC_ASSERT(under_way.size() <= caps.total);
    std::map<std::string, std::uint32_t> nodes;
    std::map<migration::Lineage, std::uint32_t> lineages;
    for (const MoveOrder& order : under_way) {
      RC_ASSERT(++nodes[order.source] <= caps.per_node);
      RC_ASSERT(++nodes[order.target] <= caps.per_node);
      RC_ASSERT(++lineages[order.lineage] <= caps.per_workload);
    }
    const auto which = static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(under_way.size())));
    waves.ended(under_way[which].uid);
    under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(which));
  }
  RC_ASSERT(waves.over());
}

}  // namespace
}  // namespace rescheduler::rescheduling
