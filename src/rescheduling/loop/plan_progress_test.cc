#include "rescheduling/loop/plan_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace rescheduler::rescheduling {
namespace {

using config::MoveCaps;
using migration::MoveRequest;
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

std::vector<std::string> due(const PlanProgress& progress,
                             const MoveCaps& caps,
                             const std::vector<MoveRequest>& under_way = {}) {
  std::vector<std::string> uids;
  for (const PlannedMove& one : progress.due(under_way, caps)) uids.push_back(one.uid);
  return uids;
}

TEST(PlanProgress, AStepBeginsWhenThePreviousStepIsOver) {
  PlanProgress progress;
  progress.adopt(plan({move("a"), move("b", 2), move("c")}));
  EXPECT_THAT(due(progress, kNoCaps), ElementsAre("a", "c"));
  progress.began("a");
  progress.began("c");
  progress.ended("a");
  EXPECT_THAT(due(progress, kNoCaps), IsEmpty());
  progress.ended("c");
  EXPECT_THAT(due(progress, kNoCaps), ElementsAre("b"));
  progress.skipped("b");
  EXPECT_TRUE(progress.over());
}

TEST(PlanProgress, APodWithADetourMakesItsMovesOneAfterTheOther) {
  PlanProgress progress;
  progress.adopt(plan({move("a"), move("a", 2)}));
  progress.began("a");
  EXPECT_THAT(due(progress, kNoCaps), IsEmpty());
  progress.ended("a");
  EXPECT_FALSE(progress.over());
  EXPECT_THAT(due(progress, kNoCaps), ElementsAre("a"));
}

TEST(PlanProgress, DropRemovesTheMovesThatHaveNotBegun) {
  PlanProgress progress;
  progress.adopt(plan({move("a"), move("b")}));
  progress.began("a");
  progress.drop();
  EXPECT_FALSE(progress.waiting());
  EXPECT_TRUE(progress.over());
  progress.ended("a");  // belongs to no current plan
  EXPECT_THAT(due(progress, kNoCaps), IsEmpty());
}

TEST(PlanProgress, CapsCountTheMovesUnderWay) {
  PlanProgress progress;
  progress.adopt(plan({move("a", 1, "web"), move("b", 1, "web"), move("c", 1, "api")}));
  EXPECT_THAT(due(progress, MoveCaps{0, 0, 0, 1}), ElementsAre("a", "c"));
  EXPECT_THAT(due(progress, MoveCaps{1, 0, 0, 0}), ElementsAre("a"));
  const std::vector<MoveRequest> others{move_request_for(move("x", 1, "web"), "p", std::chrono::minutes{1})};
  EXPECT_THAT(due(progress, MoveCaps{0, 0, 0, 1}, others), ElementsAre("c"));
  EXPECT_THAT(due(progress, MoveCaps{0, 0, 2, 0}, others), ElementsAre("a"));
}

RC_GTEST_PROP(PlanProgress, TheCapsAreNeverExceededAndEveryPlanEnds, ()) {
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
  PlanProgress progress;
  progress.adopt(plan(moves));
  std::vector<MoveRequest> under_way;
  for (int cycle = 0; cycle < 100 && !progress.over(); ++cycle) {
    for (const PlannedMove& one : progress.due(under_way, caps)) {
      progress.began(one.uid);
      under_way.push_back(move_request_for(one, "p", std::chrono::minutes{1}));
    }
    RC_ASSERT(!under_way.empty());
    RC_ASSERT(under_way.size() <= caps.total);
    std::map<std::string, std::uint32_t> nodes;
    std::map<migration::Lineage, std::uint32_t> lineages;
    for (const MoveRequest& request : under_way) {
      RC_ASSERT(++nodes[request.source] <= caps.per_node);
      RC_ASSERT(++nodes[request.target] <= caps.per_node);
      RC_ASSERT(++lineages[request.lineage] <= caps.per_workload);
    }
    const auto which = static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(under_way.size())));
    progress.ended(under_way[which].uid);
    under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(which));
  }
  RC_ASSERT(progress.over());
}

}  // namespace
}  // namespace rescheduler::rescheduling
