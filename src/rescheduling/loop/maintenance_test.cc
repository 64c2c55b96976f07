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

std::vector<NodeAction> deeds(const MaintenanceStep& step) {
  std::vector<NodeAction> all;
  for (const NodeWrite& write : step.writes) all.push_back(write.action);
  return all;
}

class Maintained : public testing::Test {
 protected:
  Maintenance care{config::MaintenanceSettings{}, kUs};
};

TEST_F(Maintained, ANodeIsCordonedAndDrainedAndGivenBack) {
  auto step = care.next({node("a")}, kNoon);
  EXPECT_THAT(deeds(step), ElementsAre(NodeAction::Cordon));
  EXPECT_THAT(reasons(step), ElementsAre("MaintenanceStarted"));
  EXPECT_THAT(step.draining, ElementsAre("a"));
  EXPECT_EQ(step.writes[0].version, "7");

  step = care.next({cordoned(node("a", 2))}, kNoon + 10s);
  EXPECT_THAT(deeds(step), IsEmpty());
  EXPECT_THAT(reasons(step), ElementsAre("MaintenanceProgress"));
  EXPECT_EQ(step.progress.at("a").eta, 10s);

  step = care.next({cordoned(node("a", 0))}, kNoon + 20s);
  EXPECT_THAT(reasons(step), ElementsAre("MaintenanceDrained"));
  EXPECT_TRUE(step.progress.at("a").drained);
  EXPECT_THAT(care.next({cordoned(node("a", 0))}, kNoon + 30s).activity, IsEmpty()) << "said once";

  MaintenanceNode back = cordoned(node("a", 0));
  back.marked = false;
  step = care.next({back}, kNoon + 40s);
  EXPECT_THAT(deeds(step), ElementsAre(NodeAction::Uncordon));
  EXPECT_THAT(reasons(step), ElementsAre("MaintenanceEnded"));
  EXPECT_THAT(step.draining, IsEmpty());
}

TEST_F(Maintained, ACordonOfSomebodyElseStays) {
  MaintenanceNode theirs = node("a");
  theirs.unschedulable = true;
  auto step = care.next({theirs}, kNoon);
  EXPECT_THAT(deeds(step), IsEmpty());
  EXPECT_THAT(step.draining, ElementsAre("a"));
  theirs.marked = false;
  step = care.next({theirs}, kNoon + 1min);
  EXPECT_THAT(deeds(step), IsEmpty());
  ASSERT_THAT(step.activity, SizeIs(1));
  EXPECT_THAT(step.activity[0].note, HasSubstr("stays cordoned"));
}

TEST_F(Maintained, ANodeThatIsNobodysBusinessAnyMoreIsSaidToBeSo) {
  MaintenanceNode theirs = node("a");
  theirs.unschedulable = true;
  care.next({theirs}, kNoon);
  const auto step = care.next({}, kNoon + 1min);
  EXPECT_THAT(deeds(step), IsEmpty());
  EXPECT_THAT(reasons(step), ElementsAre("MaintenanceEnded"));
  EXPECT_THAT(care.next({}, kNoon + 2min).activity, IsEmpty());
}

TEST_F(Maintained, WhoUncordonsItMeanwhileHasTheLastWord) {
  care.next({node("a")}, kNoon);
  MaintenanceNode touched = cordoned(node("a"));
  touched.unschedulable = false;
  auto step = care.next({touched}, kNoon + 10s);
  EXPECT_THAT(deeds(step), ElementsAre(NodeAction::MarkReleased));
  EXPECT_THAT(step.draining, IsEmpty());
  touched.cordoned_by = std::string(kReleased);
  EXPECT_THAT(care.next({touched}, kNoon + 20s).writes, IsEmpty());
  touched.marked = false;
  step = care.next({touched}, kNoon + 30s);
  EXPECT_THAT(deeds(step), ElementsAre(NodeAction::DropMark)) << "only our note goes";
}

TEST_F(Maintained, ANodeWhosePodsHaveNowhereToGoIsNotBegunWith) {
  MaintenanceNode full = node("a");
  full.no_room = true;
  full.blockers = {"shop/db: no node has room"};
  auto step = care.next({full}, kNoon);
  EXPECT_THAT(deeds(step), IsEmpty());
  EXPECT_THAT(step.draining, IsEmpty());
  ASSERT_THAT(step.activity, SizeIs(1));
  EXPECT_EQ(step.activity[0].reason, "MaintenanceBlocked");
  EXPECT_THAT(step.activity[0].note, HasSubstr("shop/db: no node has room"));
  EXPECT_THAT(care.next({full}, kNoon + 1min).activity, IsEmpty()) << "said once";
  full.no_room = false;
  full.blockers.clear();
  EXPECT_THAT(deeds(care.next({full}, kNoon + 2min)), ElementsAre(NodeAction::Cordon));
}

TEST_F(Maintained, APodThatCannotLeaveIsToldAndWaitedForAndToldAgainMuchLater) {
  MaintenanceNode blocked = node("a");
  blocked.blockers = {"shop/db: it has opted out of moves"};
  EXPECT_THAT(reasons(care.next({blocked}, kNoon)), ElementsAre("MaintenanceStarted", "MaintenanceBlocked"));
  blocked = cordoned(blocked);
  EXPECT_THAT(care.next({blocked}, kNoon + 30min).activity, IsEmpty());
  EXPECT_THAT(reasons(care.next({blocked}, kNoon + 1h)), ElementsAre("MaintenanceStuck"));
  EXPECT_THAT(care.next({blocked}, kNoon + 2h).activity, IsEmpty());
}

TEST_F(Maintained, SoManyNodesAtOnceAndNoMore) {
  const auto first = care.next({node("a"), node("b")}, kNoon);
  EXPECT_THAT(first.draining, ElementsAre("a"));
  EXPECT_THAT(care.considered({cordoned(node("a", 0)), node("b")}), ElementsAre("a"))
      << "one that is empty is still out of service";
  MaintenanceNode back = cordoned(node("a", 0));
  back.marked = false;
  EXPECT_THAT(care.next({back, node("b")}, kNoon + 1min).draining, ElementsAre("b"));
}

TEST_F(Maintained, ANewLeaderGoesOnWithWhatItFinds) {
  const auto step = care.next({node("a"), cordoned(node("b", 3))}, kNoon);
  EXPECT_THAT(step.draining, ElementsAre("b"));
  EXPECT_THAT(deeds(step), IsEmpty());
}

TEST(CordonPatch, SaysWhoseItIsInTheSameBreath) {
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
