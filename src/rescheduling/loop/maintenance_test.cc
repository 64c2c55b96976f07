#include "rescheduling/loop/maintenance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rescheduler::rescheduling {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

constexpr WallTime kNoon{std::chrono::seconds{1'700'000'000}};
constexpr const char* kUs = "rescheduler-scheduler";

MaintenanceNode node(const std::string& name, std::size_t to_leave = 4) {
  MaintenanceNode made;
  made.name = name;
  made.uid = name + "-uid";
  made.version = "7";
  made.marked = true;
  made.to_leave = to_leave;
  return made;
}

MaintenanceNode cordoned(MaintenanceNode made) {
  made.unschedulable = true;
  made.cordoned_by = kUs;
  return made;
}

std::vector<std::string> reasons(const MaintenanceStep& step) {
  std::vector<std::string> all;
  for (const NodeActivity& activity : step.activity) all.push_back(activity.reason);
  return all;
}

std::vector<NodeAction> actions(const MaintenanceStep& step) {
  std::vector<NodeAction> all;
  for (const NodeWrite& write : step.writes) all.push_back(write.action);
  return all;
}

class MaintenanceTest : public testing::Test {
 protected:
  Maintenance maintenance{config::MaintenanceSettings{}, kUs};
};

TEST_F(MaintenanceTest, ANodeIsCordonedDrainedAndUncordoned) {
  auto step = maintenance.next({node("a")}, kNoon);
  EXPECT_THAT(actions(step), ElementsAre(NodeAction::Cordon));
  EXPECT_THAT(reasons(step), ElementsAre("MaintenanceStarted"));
  EXPECT_THAT(step.draining, ElementsAre("a"));
  EXPECT_EQ(step.writes[0].version, "7");

  step = maintenance.next({cordoned(node("a", 2))}, kNoon + 10s);
  EXPECT_THAT(actions(step), IsEmpty());
  EXPECT_THAT(reasons(step), ElementsAre("MaintenanceProgress"));
  EXPECT_EQ(step.progress.at("a").eta, 10s);

  step = maintenance.next({cordoned(node("a", 0))}, kNoon + 20s);
  EXPECT_THAT(reasons(step), ElementsAre("MaintenanceDrained"));
  EXPECT_TRUE(step.progress.at("a").drained);
  EXPECT_THAT(maintenance.next({cordoned(node("a", 0))}, kNoon + 30s).activity, IsEmpty()) << "reported once";

  MaintenanceNode back = cordoned(node("a", 0));
  back.marked = false;
  step = maintenance.next({back}, kNoon + 40s);
  EXPECT_THAT(actions(step), ElementsAre(NodeAction::Uncordon));
  EXPECT_THAT(reasons(step), ElementsAre("MaintenanceEnded"));
  EXPECT_THAT(step.draining, IsEmpty());
}

TEST_F(MaintenanceTest, TheCordonOfAnotherClientIsKept) {
  MaintenanceNode cordoned_by_other = node("a");
  cordoned_by_other.unschedulable = true;
  auto step = maintenance.next({cordoned_by_other}, kNoon);
  EXPECT_THAT(actions(step), IsEmpty());
  EXPECT_THAT(step.draining, ElementsAre("a"));
  cordoned_by_other.marked = false;
  step = maintenance.next({cordoned_by_other}, kNoon + 1min);
  EXPECT_THAT(actions(step), IsEmpty());
  ASSERT_THAT(step.activity, SizeIs(1));
  EXPECT_THAT(step.activity[0].note, HasSubstr("stays cordoned"));
}

TEST_F(MaintenanceTest, TheEndIsReportedOnceForANodeThatIsNoLongerListed) {
  MaintenanceNode cordoned_by_other = node("a");
  cordoned_by_other.unschedulable = true;
  maintenance.next({cordoned_by_other}, kNoon);
  const auto step = maintenance.next({}, kNoon + 1min);
  EXPECT_THAT(actions(step), IsEmpty());
  EXPECT_THAT(reasons(step), ElementsAre("MaintenanceEnded"));
  EXPECT_THAT(maintenance.next({}, kNoon + 2min).activity, IsEmpty());
}

TEST_F(MaintenanceTest, ANodeThatAnotherClientUncordonsIsNotCordonedAgain) {
  maintenance.next({node("a")}, kNoon);
  MaintenanceNode touched = cordoned(node("a"));
  touched.unschedulable = false;
  auto step = maintenance.next({touched}, kNoon + 10s);
  EXPECT_THAT(actions(step), ElementsAre(NodeAction::MarkReleased));
  EXPECT_THAT(step.draining, IsEmpty());
  touched.cordoned_by = std::string(kReleased);
  EXPECT_THAT(maintenance.next({touched}, kNoon + 20s).writes, IsEmpty());
  touched.marked = false;
  step = maintenance.next({touched}, kNoon + 30s);
  EXPECT_THAT(actions(step), ElementsAre(NodeAction::DropMark)) << "only our annotation is removed";
}

TEST_F(MaintenanceTest, ANodeWhosePodsHaveNoTargetIsNotCordoned) {
  MaintenanceNode full = node("a");
  full.no_room = true;
  full.blockers = {"shop/db: no node has room"};
  auto step = maintenance.next({full}, kNoon);
  EXPECT_THAT(actions(step), IsEmpty());
  EXPECT_THAT(step.draining, IsEmpty());
  ASSERT_THAT(step.activity, SizeIs(1));
  EXPECT_EQ(step.activity[0].reason, "MaintenanceBlocked");
  EXPECT_THAT(step.activity[0].note, HasSubstr("shop/db: no node has room"));
  EXPECT_THAT(maintenance.next({full}, kNoon + 1min).activity, IsEmpty()) << "reported once";
  full.no_room = false;
  full.blockers.clear();
  EXPECT_THAT(actions(maintenance.next({full}, kNoon + 2min)), ElementsAre(NodeAction::Cordon));
}

TEST_F(MaintenanceTest, APodThatCannotLeaveIsReportedAtTheStartAndAgainAfterAnHour) {
  MaintenanceNode blocked = node("a");
  blocked.blockers = {"shop/db: it has opted out of moves"};
  EXPECT_THAT(reasons(maintenance.next({blocked}, kNoon)), ElementsAre("MaintenanceStarted", "MaintenanceBlocked"));
  blocked = cordoned(blocked);
  EXPECT_THAT(maintenance.next({blocked}, kNoon + 30min).activity, IsEmpty());
  EXPECT_THAT(reasons(maintenance.next({blocked}, kNoon + 1h)), ElementsAre("MaintenanceStuck"));
  EXPECT_THAT(maintenance.next({blocked}, kNoon + 2h).activity, IsEmpty());
}

TEST_F(MaintenanceTest, TheNumberOfNodesUnderMaintenanceIsLimited) {
  const auto first = maintenance.next({node("a"), node("b")}, kNoon);
  EXPECT_THAT(first.draining, ElementsAre("a"));
  EXPECT_THAT(maintenance.considered({cordoned(node("a", 0)), node("b")}), ElementsAre("a"))
      << "a drained node is still out of service";
  MaintenanceNode back = cordoned(node("a", 0));
  back.marked = false;
  EXPECT_THAT(maintenance.next({back, node("b")}, kNoon + 1min).draining, ElementsAre("b"));
}

TEST_F(MaintenanceTest, ANewLeaderContinuesWithTheNodeThatIsAlreadyCordoned) {
  const auto step = maintenance.next({node("a"), cordoned(node("b", 3))}, kNoon);
  EXPECT_THAT(step.draining, ElementsAre("b"));
  EXPECT_THAT(actions(step), IsEmpty());
}

TEST(CordonPatch, SetsTheCordonAndItsOwnerTogether) {
  EXPECT_EQ(
      cordon_patch({NodeAction::Cordon, "a", "7"}, kUs),
      R"({"metadata":{"resourceVersion":"7","annotations":{"rescheduler.io/cordoned-by":"rescheduler-scheduler"}},)"
      R"("spec":{"unschedulable":true}})");
  EXPECT_EQ(cordon_patch({NodeAction::Uncordon, "a", "7"}, kUs),
            R"({"metadata":{"resourceVersion":"7","annotations":{"rescheduler.io/cordoned-by":null}},)"
            R"("spec":{"unschedulable":null}})");
  EXPECT_EQ(cordon_patch({NodeAction::DropMark, "a", "7"}, kUs),
            R"({"metadata":{"resourceVersion":"7","annotations":{"rescheduler.io/cordoned-by":null}}})");
}

}  // namespace
}  // namespace rescheduler::rescheduling
