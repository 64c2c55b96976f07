#include "sim/scenario/trivial_placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "sim/scenario/scenario_objects.h"
#include "sim/server/conditions.h"

namespace rescheduler::sim {
namespace {

using namespace std::chrono_literals;

class TrivialPlacementTest : public testing::Test {
 protected:
  TrivialPlacementTest() {
    api::Namespace ns;
    ns.mutable_metadata()->set_name("default");
    EXPECT_TRUE(server.create(ns));
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(server.create(node_object(group, i)));
  }

  void add_pod(const std::string& name, const std::string& cpu) {
    Workload workload{.name = name, .kind = WorkloadKind::Pod};
    workload.requests = {{"cpu", cpu}};
    for_each_workload_object(workload, [this](std::unique_ptr<google::protobuf::Message> pod) {
      EXPECT_TRUE(server.create(static_cast<const api::Pod&>(*pod)));
    });
  }
  std::string node_of(const std::string& name) { return server.find<api::Pod>("default", name)->spec().node_name(); }
  void settle() { agenda.run_for(1s); }

  NodeGroup group{.name = "n", .prefix = "n", .count = 3, .cpu = "2"};
  Agenda agenda;
  Server server{agenda, Rng(1)};
};

TEST_F(TrivialPlacementTest, PodsArePlacedInTurnOnNodesWhereTheyFit) {
  TrivialPlacement placement(server);
  for (const char* name : {"a", "b", "c", "d"}) add_pod(name, "1500m");
  settle();
  EXPECT_EQ(node_of("a"), "n-1");
  EXPECT_EQ(node_of("b"), "n-2");
  EXPECT_EQ(node_of("c"), "n-3");
  EXPECT_EQ(node_of("d"), "");
  EXPECT_EQ(placement.placed(), 3U);
  EXPECT_EQ(placement.waiting(), 1U);
  const auto pod = server.find<api::Pod>("default", "d");
  ASSERT_NE(find_condition(pod->status(), "PodScheduled"), nullptr);
  EXPECT_EQ(find_condition(pod->status(), "PodScheduled")->reason(), "Unschedulable");
}

TEST_F(TrivialPlacementTest, AnUnschedulablePodIsPlacedWhenANodeIsAdded) {
  TrivialPlacement placement(server);
  for (const char* name : {"a", "b", "c", "d"}) add_pod(name, "1500m");
  settle();
  NodeGroup more = group;
  more.prefix = "m";
  ASSERT_TRUE(server.create(node_object(more, 0)));
  settle();
  EXPECT_EQ(node_of("d"), "m-1");
  EXPECT_EQ(placement.waiting(), 0U);
}

TEST_F(TrivialPlacementTest, PodsFromBeforeThePlacementArePlacedAndCounted) {
  add_pod("early", "1500m");
  {
    TrivialPlacement first(server);
    settle();
  }
  EXPECT_EQ(node_of("early"), "n-1");
  add_pod("pending", "1500m");
  TrivialPlacement second(server);
  settle();
  EXPECT_EQ(node_of("pending"), "n-2");
}

TEST_F(TrivialPlacementTest, CordonedNodesAreNotUsed) {
  ASSERT_TRUE(
      server.modify<api::Node>("", "n-1", [](api::Node& node) { node.mutable_spec()->set_unschedulable(true); }));
  TrivialPlacement placement(server);
  add_pod("a", "100m");
  settle();
  EXPECT_EQ(node_of("a"), "n-2");
}

TEST_F(TrivialPlacementTest, ADeletedNodeIsNotCountedBeforeAndAfterItsPodsAreGone) {
  TrivialPlacement placement(server);
  add_pod("a", "100m");
  settle();
  ASSERT_EQ(node_of("a"), "n-1");
  const NodeRooms rooms(server);
  EXPECT_EQ(rooms.size(), 3U);
  ASSERT_TRUE(server.remove(server.kinds().of<api::Node>(), "", "n-1", api::DeleteOptions{}));
  EXPECT_EQ(rooms.size(), 2U);
  api::DeleteOptions now;
  now.set_grace_period_seconds(0);
  ASSERT_TRUE(server.remove(server.kinds().of<api::Pod>(), "default", "a", now));
  EXPECT_EQ(rooms.size(), 2U);
  EXPECT_EQ(rooms.find("n-1"), nullptr);
}

}  // namespace
}  // namespace rescheduler::sim
