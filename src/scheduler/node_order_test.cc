// A search that stops early visits the same number of nodes in each zone. Searches for several pods visit all nodes.
#include "scheduler/node_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/metrics.h"
#include "cluster/testing.h"
#include "config/read.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "scheduler/scheduler.h"

namespace rescheduler::scheduler {
namespace {

using cluster::testing::node;
using cluster::testing::pod;
using testing::AllOf;
using testing::ElementsAre;
using testing::Ge;
using testing::Lt;

std::vector<std::string> names_in_order(const cluster::Cluster& cluster) {
  std::vector<std::string> names;
  for (const cluster::NodeIndex index : zone_interleaved(cluster)) names.push_back(cluster.node(index).node->name);
  return names;
}

TEST(NodeOrder, ZonesAlternateInTheOrderInWhichTheyWereAdded) {
  cluster::Cluster cluster;
  for (const char* name : {"b1", "b2", "b3", "b4"}) cluster.upsert_node(node(name).zone("b"));
  for (const char* name : {"a1", "a2"}) cluster.upsert_node(node(name).zone("a"));
  cluster.upsert_node(node("none"));
  EXPECT_THAT(names_in_order(cluster), ElementsAre("b1", "a1", "none", "b2", "a2", "b3", "b4"));
  cluster.remove_node("b1");
  EXPECT_THAT(names_in_order(cluster), ElementsAre("b2", "a1", "none", "b3", "a2", "b4"));
}

TEST(NodeOrder, AZoneIsThePairOfRegionAndZoneAndTheBetaZoneLabelTakesPrecedence) {
  cluster::Cluster cluster;
  const std::string region = "topology.kubernetes.io/region";
  cluster.upsert_node(node("east1").zone("a").label(region, "east"));
  cluster.upsert_node(node("east2").zone("a").label(region, "east"));
  cluster.upsert_node(node("west").zone("a").label(region, "west"));
  cluster.upsert_node(node("old").zone("a").label(region, "east").label("failure-domain.beta.kubernetes.io/zone", "x"));
  EXPECT_THAT(names_in_order(cluster), ElementsAre("east1", "west", "old", "east2"));
}

struct SchedulerNodeSampleTest : testing::Test {
  SchedulerNodeSampleTest() {
    SchedulerSettings settings;
    settings.profiles = config::default_configuration(config::default_catalog()).placing();
    settings.percentage_of_nodes_to_score = 1;  // so that a search stops after 100 nodes
    scheduler = std::move(Scheduler::make(settings, metrics, now).value());
  }
  void add_nodes(int first, int end, bool cordoned) {
    for (int i = first; i < end; ++i) {
      scheduler->upsert(std::make_shared<const api::Node>(node(std::to_string(i)).cordoned(cordoned).get()), now);
    }
  }
  int node_of_next_pod(const std::string& name) {
    auto object = std::make_shared<api::Pod>(pod(name).get());
    object->mutable_spec()->set_scheduler_name("rescheduler-scheduler");
    scheduler->upsert(std::shared_ptr<const api::Pod>(std::move(object)), now);
    const auto actions = scheduler->decide_next(now);
    return actions.size() == 1 ? std::stoi(std::get<BindAction>(actions.front()).node) : -1;
  }

  WallTime now{std::chrono::seconds{1'700'000'000}};
  MetricRegistry metrics;
  std::unique_ptr<Scheduler> scheduler;
};

TEST_F(SchedulerNodeSampleTest, TheNextSearchStartsAfterAllVisitedNodesIncludingRejectedNodes) {
  add_nodes(0, 150, true);
  add_nodes(150, 400, false);
  EXPECT_THAT(node_of_next_pod("first"), AllOf(Ge(150), Lt(250)));
  EXPECT_THAT(node_of_next_pod("second"), AllOf(Ge(250), Lt(350)));
}

TEST_F(SchedulerNodeSampleTest, ASampleOfTheNodesContainsNodesOfEachZone) {
  for (int i = 0; i < 300; ++i) {
    // The node with the most free resources is selected, and all large nodes are in zone b.
    auto made = node(std::to_string(i)).zone(i < 150 ? "a" : "b").cpu(i < 150 ? "4" : "400");
    scheduler->upsert(std::make_shared<const api::Node>(made.get()), now);
  }
  EXPECT_THAT(node_of_next_pod("first"), AllOf(Ge(150), Lt(200)));
}

}  // namespace
}  // namespace rescheduler::scheduler
