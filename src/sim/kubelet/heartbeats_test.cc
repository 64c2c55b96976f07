#include "sim/kubelet/kubelet_fixture.h"

namespace rescheduler::sim {
namespace {

class HeartbeatsTest : public KubeletFixture {
 protected:
  std::int64_t renewed(const std::string& node) {
    return server.find<api::Lease>("kube-node-lease", node)->spec().renew_time().seconds() - 1'704'067'200;
  }
};

TEST_F(HeartbeatsTest, ALeaseIsCreatedImmediatelyAndRenewedEveryTenSeconds) {
  add_node("n1");
  agenda.run_for(1s);
  const auto lease = server.find<api::Lease>("kube-node-lease", "n1");
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->spec().holder_identity(), "n1");
  EXPECT_EQ(lease->spec().lease_duration_seconds(), 40);
  EXPECT_EQ(lease->metadata().owner_references(0).kind(), "Node");
  for (int i = 1; i < 20; ++i) {
    agenda.run_for(10s);
    EXPECT_GE(renewed("n1"), 10 * i - 9);
  }
}

TEST_F(HeartbeatsTest, HeartbeatsOfNodesAreSpreadOverTime) {
  for (int i = 0; i < 50; ++i) add_node("n" + std::to_string(i));
  agenda.run_for(25s);
  std::set<std::int64_t> seconds;
  for (int i = 0; i < 50; ++i) seconds.insert(renewed("n" + std::to_string(i)));
  EXPECT_GE(seconds.size(), 9u);
}

TEST_F(HeartbeatsTest, TheNodeStatusIsReportedEveryFiveMinutesOrWhenItChanges) {
  add_node("n1");
  const auto heartbeat = [this] {
    return server.find<api::Node>({}, "n1")->status().conditions(0).last_heartbeat_time().seconds() - 1'704'067'200;
  };
  agenda.run_for(290s);
  EXPECT_EQ(heartbeat(), 0);
  agenda.run_for(25s);
  EXPECT_GE(heartbeat(), 300);
  EXPECT_EQ(server.find<api::Node>({}, "n1")->status().conditions(0).last_transition_time().seconds(), 1'704'067'200);
  api::Pod greedy = pod("greedy");
  annotate(greedy, kMemoryProfile, "16000Mi");
  create(greedy);
  agenda.run_for(20s);
  const auto node = server.find<api::Node>({}, "n1");
  EXPECT_EQ(node->status().conditions(0).type(), "MemoryPressure");
  EXPECT_EQ(node->status().conditions(0).status(), "True");
  EXPECT_EQ(node->status().conditions(3).status(), "True");
}

TEST_F(HeartbeatsTest, ANodeWithoutLabelsAndStatusGetsDefaults) {
  api::Node bare;
  bare.mutable_metadata()->set_name("bare");
  ASSERT_TRUE(server.create(bare));
  agenda.run_for(1s);
  const auto node = server.find<api::Node>({}, "bare");
  EXPECT_EQ(node->metadata().labels().at("kubernetes.io/hostname"), "bare");
  EXPECT_EQ(node->status().allocatable().at("pods").string(), "110");
  EXPECT_EQ(node->status().addresses(0).type(), "InternalIP");
  EXPECT_EQ(node->status().conditions_size(), 4);
  create(pod("a", "bare"));
  agenda.run_for(3s);
  EXPECT_EQ(phase("a"), "Running");
}

TEST_F(HeartbeatsTest, ADeletedNodeStopsRenewingItsLease) {
  add_node("n1");
  agenda.run_for(15s);
  ASSERT_TRUE(server.remove(server.kinds().of<api::Node>(), {}, "n1", {}));
  const auto before = renewed("n1");
  agenda.run_for(1min);
  EXPECT_EQ(renewed("n1"), before);
}

}  // namespace
}  // namespace rescheduler::sim
