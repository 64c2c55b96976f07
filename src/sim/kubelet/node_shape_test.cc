#include "sim/kubelet/node_shape.h"

#include <gtest/gtest.h>

#include "kube/proto/core_node.pb.h"
#include "sim/kubelet/node_table.h"

namespace rescheduler::sim {
namespace {

TEST(NodeShapeTest, ANewNodeHasTheLabelsResourcesAndConditionsOfAKubelet) {
  NodeShape shape;
  shape.cpu = "8";
  shape.reserved_cpu = "500m";
  shape.memory = "32Gi";
  shape.reserved_memory = "1Gi";
  shape.zone = "z1";
  shape.instance_type = "m5.large";
  shape.extended["nvidia.com/gpu"] = "2";
  shape.labels["tier"] = "gold";
  const api::Node node = make_node("n1", shape, 300, WallTime{});
  const auto& labels = node.metadata().labels();
  EXPECT_EQ(labels.at("kubernetes.io/hostname"), "n1");
  EXPECT_EQ(labels.at("topology.kubernetes.io/zone"), "z1");
  EXPECT_EQ(labels.at("node.kubernetes.io/instance-type"), "m5.large");
  EXPECT_EQ(labels.at("kubernetes.io/arch"), "amd64");
  EXPECT_EQ(labels.at("tier"), "gold");
  EXPECT_EQ(node.status().capacity().at("cpu").string(), "8");
  EXPECT_EQ(node.status().allocatable().at("cpu").string(), "7500m");
  EXPECT_EQ(node.status().allocatable().at("memory").string(), "31Gi");
  EXPECT_EQ(node.status().allocatable().at("nvidia.com/gpu").string(), "2");
  EXPECT_EQ(node.status().addresses(0).address(), "172.16.1.45");
  EXPECT_EQ(node.status().node_info().operating_system(), "linux");
  ASSERT_EQ(node.status().conditions_size(), 4);
  EXPECT_EQ(node.status().conditions(3).type(), "Ready");
  EXPECT_EQ(node.status().conditions(3).status(), "True");
}

TEST(NodeShapeTest, ExistingLabelsAndResourcesOfANodeAreKept) {
  api::Node node;
  node.mutable_metadata()->set_name("n1");
  (*node.mutable_metadata()->mutable_labels())["kubernetes.io/arch"] = "arm64";
  (*node.mutable_status()->mutable_capacity())["cpu"].set_string("64");
  (*node.mutable_status()->mutable_allocatable())["cpu"].set_string("60");
  complete_labels(node, {});
  complete_status(node, {}, 0);
  EXPECT_EQ(node.metadata().labels().at("kubernetes.io/arch"), "arm64");
  EXPECT_EQ(node.status().capacity().at("cpu").string(), "64");
  EXPECT_EQ(node.status().allocatable().at("cpu").string(), "60");
  EXPECT_EQ(node.status().allocatable().at("memory").string(), "16Gi");
}

TEST(NodeShapeTest, AnAddressIsAssignedOnceAndReusedAfterItsRelease) {
  KubeletNode node;
  node.number = 5;
  std::set<std::uint16_t> given;
  for (int i = 0; i < 1022; ++i) given.insert(node.take_ip());
  EXPECT_EQ(given.size(), 1022u);
  EXPECT_FALSE(given.contains(0));
  EXPECT_EQ(node.take_ip(), 0);
  node.give_back_ip(7);
  EXPECT_EQ(node.take_ip(), 7);
  EXPECT_EQ(node.pod_ip(7), "10.0.20.7");
  EXPECT_EQ(node.pod_ip(300), "10.0.21.44");
}

}  // namespace
}  // namespace rescheduler::sim
