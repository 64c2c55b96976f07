// The reported durations of a decision. Timing changes no decision.
#include "placement/plugin_timer.h"

#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/core_pod.pb.h"
#include "placement/testing.h"

namespace rescheduler::placement::testing {
namespace {

using cluster::testing::node;
using cluster::testing::pod;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::Pair;

// Each call of now() returns one nanosecond more.
struct RecordingTimer final : PluginTimer {
  std::chrono::nanoseconds now() override { return std::chrono::nanoseconds{++time}; }
  void point_took(Point point, Code code, std::chrono::nanoseconds took) override {
    points.emplace_back(point, code);
    EXPECT_GT(took.count(), 0);
  }
  void plugin_took(const Plugin& plugin, Point point, Code /*code*/, std::chrono::nanoseconds took) override {
    plugins.emplace(std::string(plugin.name()), point);
    EXPECT_EQ(took.count(), 1) << "the duration includes no other plugin";
  }
  int time = 0;
  std::vector<std::pair<Point, Code>> points{};
  std::multiset<std::pair<std::string, Point>> plugins{};
};

TEST(PluginTimerTest, ReportsEachExtensionPointThatTheDecisionReached) {
  Bench bench;
  bench.add(node("n1")).add(node("n2"));
  RecordingTimer placed;
  const SchedulingResult answer = bench.decide(pod("p"), {.plugin_timer = &placed});
  EXPECT_EQ(answer.outcome, Outcome::Scheduled);
  EXPECT_THAT(placed.points, ElementsAre(Pair(Point::Filter, Code::Success), Pair(Point::Score, Code::Success)));
  EXPECT_EQ(difference(answer, bench.decide(pod("p"), {})), "") << "the timer does not change the decision";
  RecordingTimer refused;
  bench.decide(pod("large").requests("1000", "1Gi"), {.plugin_timer = &refused});
  EXPECT_THAT(refused.points,
              ElementsAre(Pair(Point::Filter, Code::Unschedulable), Pair(Point::PostFilter, Code::Unschedulable)));
}

TEST(PluginTimerTest, TimesEachPluginForEachNodeUnlessItsPreFilterSkips) {
  Bench bench;
  bench.add(node("n1")).add(node("n2"));
  const api::Pod asked_pod = pod("p").requests("1", "1Gi");
  const auto compiled_spec = bench.model().compiled_spec_of(asked_pod);
  const auto context = make_pod_context(bench.model(), asked_pod, *compiled_spec);
  bench.framework().prepare(bench.model(), context);
  RecordingTimer timer;
  time_plugins(bench.framework(), context, bench.model().existing_nodes(), timer);
  EXPECT_EQ(timer.plugins.count({"NodeResourcesFit", Point::Filter}), 2U);
  EXPECT_EQ(timer.plugins.count({"NodeResourcesFit", Point::Score}), 2U);
  EXPECT_EQ(timer.plugins.count({"NodeResourcesFit", Point::PreFilter}), 1U);
  EXPECT_EQ(timer.plugins.count({"NodePorts", Point::PreFilter}), 1U);
  EXPECT_THAT(timer.plugins, Not(Contains(Pair("NodePorts", Point::Filter))))
      << "PreFilter of NodePorts skips this pod";
}

}  // namespace
}  // namespace rescheduler::placement::testing
