#include "cli/demo/cluster_watcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/scenario/scenario_file.h"
#include "sim/scenario/trivial_placement.h"

namespace rescheduler::cli {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;

class ClusterWatcherTest : public testing::Test {
 protected:
  void start(std::string_view text) {
    auto scenario = sim::read_scenario(text, "s.yaml");
    ASSERT_TRUE(scenario) << scenario.error().message;
    runner = std::make_unique<sim::ScenarioRunner>(cluster.server(), std::move(*scenario));
    watcher = std::make_unique<ClusterWatcher>(cluster, *runner);
    placement = std::make_unique<sim::TrivialPlacement>(cluster.server());
    runner->start();
  }
  const NodeRow& node(const ViewState& state, const std::string& name) {
    for (const NodeRow& each : state.nodes) {
      if (each.name == name) return each;
    }
    ADD_FAILURE() << "no node " << name;
    return state.nodes.at(0);
  }

  sim::EmbeddedCluster cluster;
  std::unique_ptr<sim::ScenarioRunner> runner;
  std::unique_ptr<ClusterWatcher> watcher;
  std::unique_ptr<sim::TrivialPlacement> placement;
};

constexpr std::string_view kTwoGroups = R"(
name: two
nodeGroups: [{name: a, count: 1, cpu: 4, memory: 8Gi}, {name: b, count: 10, cpu: 4, memory: 8Gi}]
workloads:
  - name: web
    replicas: 4
    requests: {cpu: 500m, memory: 1Gi}
    load: {cpu: 800m, memory: 512Mi}
    placement: {group: a}
    grace: 1s
events:
  - {at: 60s, cordon: {node: a-1}}
  - {at: 61s, delete: {workload: web, count: 1}}
  - {at: 120s, fault: {node: b-2, kind: dead}}
)";

TEST_F(ClusterWatcherTest, KeepsTheNewestLinesAndCountsAll) {
  start(kTwoGroups);
  for (int i = 1; i <= 250; ++i) watcher->add_line("line " + std::to_string(i), false);
  const ViewState state = watcher->view_state();
  EXPECT_EQ(state.lines, 250U);
  EXPECT_EQ(state.tail.size(), 200U);
  EXPECT_EQ(state.tail.back().text, "line 250");
}

TEST_F(ClusterWatcherTest, ShowsLoadRequestsAndPodsOfEveryNode) {
  start(kTwoGroups);
  cluster.agenda().run_for(30s);
  const ViewState state = watcher->view_state();
  EXPECT_EQ(state.pods.running, 4);
  EXPECT_EQ(state.pods.all(), 4);
  ASSERT_EQ(state.nodes.size(), 11U);
  EXPECT_EQ(state.nodes[2].name, "b-2") << "names are in natural order";
  const NodeRow& busy = node(state, "a-1");
  EXPECT_EQ(busy.pods, 4);
  EXPECT_EQ(busy.cpu.capacity, 4);
  EXPECT_EQ(busy.cpu.requested, 2);
  EXPECT_NEAR(busy.cpu.used, 3.2, 0.2);
  EXPECT_NEAR(busy.memory.used_share(), 0.25, 0.06);
  EXPECT_EQ(node(state, "b-1").pods, 0);
  EXPECT_NEAR(state.balance, 67, 3) << "one of eleven nodes has all the load";
  EXPECT_EQ(state.moves, 0U);
  EXPECT_GE(watcher->quiet_for(), 10s);
}

TEST_F(ClusterWatcherTest, APodWhoseReplacementRunsOnAnotherNodeCountsAsMoved) {
  start(kTwoGroups);
  cluster.agenda().run_for(90s);
  const ViewState state = watcher->view_state();
  EXPECT_EQ(state.moves, 1U);
  EXPECT_EQ(state.pods.running, 4);
  EXPECT_EQ(node(state, "a-1").pods, 3);
  EXPECT_EQ(node(state, "a-1").health, NodeRow::Health::Cordoned);
  EXPECT_THAT(state.tail, Contains(Field(&TailLine::text, HasSubstr("a-1 -> b-"))));
}

TEST_F(ClusterWatcherTest, ANodeThatBecomesNotReadyIsShown) {
  start(kTwoGroups);
  cluster.agenda().run_for(4min);
  const ViewState state = watcher->view_state();
  EXPECT_EQ(node(state, "b-2").health, NodeRow::Health::NotReady);
  EXPECT_THAT(state.tail, Contains(Field(&TailLine::text, "node b-2 is not ready")));
  EXPECT_EQ(state.events_left, 0U);
}

}  // namespace
}  // namespace rescheduler::cli
