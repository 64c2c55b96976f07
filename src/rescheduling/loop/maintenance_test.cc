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

// Without the writes that only report the status.
std::vector<NodeAction> actions(const MaintenanceStep& step) {
  std::vector<NodeAction> all;
  for (const NodeWrite& write : step.writes) {
    if (write.action != NodeAction::Report) all.push_back(write.action);
  }
  return all;
}

// The new status of the only node; "unchanged": no write changes it.
std::string status(const MaintenanceStep& step) {
  if (step.writes.empty() || !step.writes.front().status) return "unchanged";
  return *step.writes.front().status;
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
  EXPECT_THAT(actions(maintenance.next({touched}, kNoon + 20s)), IsEmpty());
  touched.marked = false;
  step = maintenance.next({touched}, kNoon + 30s);
  EXPECT_THAT(actions(step), ElementsAre(NodeAction::DropMark)) << "only our annotation is removed";
}

TEST_F(MaintenanceTest, APodWithoutATargetDoesNotKeepTheNodeFromBeingCordoned) {
  MaintenanceNode full = node("a");
  full.blockers = {"shop/db: no node has room"};
  const auto step = maintenance.next({full}, kNoon);
  EXPECT_THAT(actions(step), ElementsAre(NodeAction::Cordon));
  EXPECT_THAT(step.draining, ElementsAre("a"));
  EXPECT_THAT(reasons(step), ElementsAre("MaintenanceStarted", "MaintenanceBlocked"));
  EXPECT_THAT(step.activity[1].note, HasSubstr("shop/db: no node has room"));
}

TEST_F(MaintenanceTest, ANodeIsDrainedWhenOnlyPodsAreLeftThatThePolicyLeaves) {
  maintenance.next({node("a")}, kNoon);
  MaintenanceNode rest = cordoned(node("a", 0));
  rest.staying = {"kube-system/dns: namespace kube-system is excluded"};
  const auto step = maintenance.next({rest}, kNoon + 10s);
  EXPECT_TRUE(step.progress.at("a").drained);
  ASSERT_THAT(reasons(step), ElementsAre("MaintenanceDrained"));
  EXPECT_THAT(step.activity[0].note, HasSubstr("left on the node: kube-system/dns: namespace kube-system is excluded"));
}

TEST_F(MaintenanceTest, TheNodeSaysWhichPodsAreLeftAndWhy) {
  EXPECT_EQ(status(maintenance.next({node("a")}, kNoon)), "draining") << "in the write that cordons the node";
  MaintenanceNode blocked = cordoned(node("a"));
  blocked.drain_status = "draining";
  EXPECT_EQ(status(maintenance.next({blocked}, kNoon)), "unchanged");
  blocked.blockers = {"shop/db: it is a bare pod"};
  blocked.staying = {"kube-system/dns: it is critical"};
  EXPECT_EQ(status(maintenance.next({blocked}, kNoon)),
            "blocked: shop/db: it is a bare pod; left on the node: kube-system/dns: it is critical");
  blocked.blockers.clear();
  blocked.to_leave = 0;
  EXPECT_EQ(status(maintenance.next({blocked}, kNoon)), "drained; left on the node: kube-system/dns: it is critical");
  blocked.staying.clear();
  EXPECT_EQ(status(maintenance.next({blocked}, kNoon)), "drained");
  blocked.marked = false;
  const auto over = maintenance.next({blocked}, kNoon);
  EXPECT_THAT(actions(over), ElementsAre(NodeAction::Uncordon));
  EXPECT_EQ(status(over), "") << "the annotation is removed";
}

TEST_F(MaintenanceTest, ALabelWithoutEffectIsReportedOnceOnTheNode) {
  MaintenanceNode off = node("a");
  off.mode = config::StrategyMode::Off;
  auto step = maintenance.next({off}, kNoon);
  EXPECT_THAT(actions(step), IsEmpty());
  EXPECT_THAT(step.draining, IsEmpty());
  ASSERT_THAT(reasons(step), ElementsAre("MaintenanceRefused"));
  EXPECT_TRUE(step.activity[0].warning);
  EXPECT_THAT(step.writes, IsEmpty()) << "without NodeMaintenance, the permission to patch nodes is not needed";
  EXPECT_THAT(maintenance.considered({off}), IsEmpty());
  step = maintenance.next({off}, kNoon + 1min);
  EXPECT_THAT(step.activity, IsEmpty());
  off.mode = config::StrategyMode::Observe;
  EXPECT_THAT(reasons(maintenance.next({off}, kNoon + 2min)), ElementsAre("MaintenanceRefused"));
  off.mode = config::StrategyMode::Act;
  EXPECT_THAT(actions(maintenance.next({off}, kNoon + 3min)), ElementsAre(NodeAction::Cordon));
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
  EXPECT_EQ(cordon_patch({NodeAction::Report, "a", "", "blocked: \"x\""}, kUs),
            R"({"metadata":{"annotations":{"rescheduler.io/drain-status":"blocked: \"x\""}}})")
      << "a report does not depend on the version of the node";
  EXPECT_EQ(cordon_patch({NodeAction::Uncordon, "a", "7", ""}, kUs),
            R"({"metadata":{"resourceVersion":"7","annotations":{"rescheduler.io/cordoned-by":null,)"
            R"("rescheduler.io/drain-status":null}},"spec":{"unschedulable":null}})");
}

}  // namespace
}  // namespace rescheduler::rescheduling
