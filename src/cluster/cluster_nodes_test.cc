// Nodes of the model: the events of their changes, and nodes that are known only through their pods.
#include <gtest/gtest.h>

#include "cluster/cluster.h"
#include "cluster/testing.h"

namespace rescheduler::cluster::testing {
namespace {

struct ClusterNodes : ::testing::Test {
  const NodeInfo& state(const std::string& name) { return cluster.node(cluster.find_node(name).value()); }
  Cluster cluster;
};

TEST_F(ClusterNodes, ANodeHasTheResourcesLabelsTaintsAndImagesOfItsObject) {
  cluster.upsert_node(node("n")
                          .cpu("3500m")
                          .memory("1Gi")
                          .pods(7)
                          .resource("ephemeral-storage", "2Gi")
                          .resource("example.com/gpu", "2")
                          .resource("strange", "5")
                          .zone("a")
                          .taint("k", "v", "NoSchedule")
                          .image("web:1", 10)
                          .image("web:1", 20));
  const Node& made = *state("n").node;
  EXPECT_EQ(made.allocatable.cpu, 3500);
  EXPECT_EQ(made.allocatable.memory, 1 << 30);
  EXPECT_EQ(made.allocatable.ephemeral_storage, std::int64_t{2} << 30);
  EXPECT_EQ(made.allowed_pods, 7);
  ASSERT_EQ(made.allocatable.others.size(), 1U);
  EXPECT_EQ(cluster.text(made.allocatable.others[0].first), "example.com/gpu");
  EXPECT_EQ(cluster.text(made.label(Symbol::Zone)), "a");
  EXPECT_FALSE(made.has_label(Symbol::Region));
  EXPECT_EQ(made.taints.size(), 1U);
  EXPECT_EQ(made.images.size(), 1U);
}

TEST_F(ClusterNodes, TheLoadOfANodeIsUnknownUntilItIsSetAndANewSummaryChangesAllGenerations) {
  cluster.upsert_node(node("n"));
  cluster.upsert_node(node("m"));
  EXPECT_FALSE(state("n").load.knows(kCpuLoad)) << "unknown, not idle";
  const auto before = cluster.generations();
  NodeLoad load;
  load.used[kCpuLoad] = 0.5;
  load.reserved[kCpuLoad] = 0.25;
  cluster.set_load(*cluster.find_node("n"), load);
  EXPECT_EQ(state("n").load.predicted(kCpuLoad), 0.75);
  EXPECT_FALSE(state("n").load.knows(kMemoryLoad));
  EXPECT_NE(state("n").generation, before[state("n").index]);
  EXPECT_EQ(state("m").generation, before[state("m").index]);
  cluster.set_load_summary({.basis = LoadBasis::Usage, .source = "prometheus"});
  EXPECT_NE(state("m").generation, before[state("m").index]);
  EXPECT_EQ(cluster.load_summary().source, "prometheus");
  cluster.remove_node("n");
  cluster.upsert_node(node("n"));
  EXPECT_FALSE(state("n").load.knows(kCpuLoad)) << "the new node may be another machine";
}

TEST_F(ClusterNodes, TheEventOfANodeUpdateNamesTheKindOfChange) {
  struct Row {
    const char* what;
    NodeBuilder after;
    std::optional<ActionType> change;
  };
  const NodeBuilder before = node("n").zone("a").taint("k", "", "NoSchedule").condition("Ready", "False");
  const Row rows[] = {
      {"nothing", before, std::nullopt},
      {"cpu", NodeBuilder(before).cpu("8"), ActionType::NodeAllocatable},
      {"pods", NodeBuilder(before).pods(8), ActionType::NodeAllocatable},
      {"label", NodeBuilder(before).zone("b"), ActionType::NodeLabel},
      {"label gone", NodeBuilder(before).without_label("kubernetes.io/hostname"), ActionType::NodeLabel},
      {"taint", NodeBuilder(before).taint("l", "", "NoSchedule"), ActionType::NodeTaint},
      {"cordoned", NodeBuilder(before).cordoned(), std::nullopt},
      {"condition", node("n").zone("a").taint("k", "", "NoSchedule").condition("Ready", "True"),
       ActionType::NodeCondition},
      {"annotation", NodeBuilder(before).annotation("a", "b"), ActionType::NodeAnnotation},
      {"feature", NodeBuilder(before).feature("F"), ActionType::NodeFeature},
      {"image", NodeBuilder(before).image("web:1", 5), std::nullopt},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    Cluster model;
    const auto added = model.upsert_node(before);
    EXPECT_TRUE(added->actions.has(ActionType::Add));
    EXPECT_EQ(added->label, "NodeAdd");
    const auto event = model.upsert_node(row.after);
    ASSERT_EQ(event != nullptr, row.change.has_value());
    if (!event) continue;
    EXPECT_EQ(event->resource, EventResource::Node);
    EXPECT_TRUE(event->actions.has(*row.change));
    EXPECT_FALSE(event->actions.has(ActionType::Add));
    EXPECT_EQ(event->node_before->name, "n");
    EXPECT_EQ(*event->node_after, *model.node(NodeIndex{0}).node);
  }
}

TEST_F(ClusterNodes, UncordoningANodeIsReportedAsATaintChange) {
  cluster.upsert_node(node("n").cordoned());
  const auto event = cluster.upsert_node(node("n"));
  ASSERT_TRUE(event);
  EXPECT_TRUE(event->actions.has(ActionType::NodeTaint));
}

TEST_F(ClusterNodes, OnlyFieldsThatPlacementReadsChangeTheGenerationOfANode) {
  cluster.upsert_node(node("n"));
  const auto generation = state("n").generation;
  const auto version = cluster.nodes_version();
  cluster.upsert_node(node("n").condition("Ready", "True").annotation("a", "b"));
  EXPECT_EQ(state("n").generation, generation);
  EXPECT_EQ(cluster.nodes_version(), version);
  cluster.upsert_node(node("n").condition("Ready", "True").annotation("a", "b").image("web:1", 5));
  EXPECT_GT(state("n").generation, generation);
  EXPECT_GT(cluster.nodes_version(), version);
  const auto later = cluster.nodes_version();
  const auto before_pod = state("n").generation;
  cluster.upsert_pod(pod("p").on("n"));
  EXPECT_GT(state("n").generation, before_pod);
  EXPECT_EQ(cluster.nodes_version(), later);  // pods do not change it
}

TEST_F(ClusterNodes, NoEventsAreReturnedWhileListeningIsOff) {
  cluster.listen(false);
  EXPECT_EQ(cluster.upsert_node(node("n")), nullptr);
  EXPECT_EQ(cluster.upsert_pod(pod("p").on("n")), nullptr);
  EXPECT_EQ(cluster.remove_pod("uid-p"), nullptr);
  EXPECT_EQ(cluster.remove_node("n"), nullptr);
  EXPECT_EQ(cluster.node_count(), 0U);
}

// --- Nodes that are known only through their pods ---

TEST_F(ClusterNodes, PodsOfAnUnknownNodeAreKeptUntilTheNodeArrives) {
  cluster.upsert_pod(pod("p").requests("1", "1Gi").on("ghost"));
  EXPECT_EQ(cluster.node_count(), 0U);
  EXPECT_EQ(cluster.find_node("ghost"), std::nullopt);
  EXPECT_EQ(cluster.pod_count(), 1U);
  cluster.upsert_node(node("ghost"));
  EXPECT_EQ(cluster.node_count(), 1U);
  EXPECT_EQ(state("ghost").requested.cpu, 1000);
  EXPECT_EQ(state("ghost").pods.size(), 1U);
}

TEST_F(ClusterNodes, TheModelKeepsThePodsOfADeletedNode) {
  cluster.upsert_node(node("n").zone("a"));
  cluster.prepare(Symbol::Zone);
  cluster.upsert_pod(pod("p").requests("1", "1Gi").on("n"));
  const NodeIndex index = cluster.find_node("n").value();
  const auto event = cluster.remove_node("n");
  EXPECT_TRUE(event->actions.has(ActionType::Delete));
  EXPECT_EQ(event->node_before->name, "n");
  EXPECT_EQ(cluster.remove_node("n"), nullptr);
  EXPECT_EQ(cluster.find_node("n"), std::nullopt);
  EXPECT_EQ(cluster.topology().find(Symbol::Zone)->of(index), kNoDomain);
  EXPECT_EQ(cluster.pod_count(), 1U);
  cluster.upsert_node(node("n"));
  EXPECT_EQ(state("n").index, index);
  EXPECT_EQ(state("n").requested.cpu, 1000);
}

TEST_F(ClusterNodes, AnIndexIsReusedWhenItsNodeAndAllPodsOfTheNodeAreGone) {
  cluster.upsert_node(node("n"));
  cluster.upsert_pod(pod("p").requests("1", "1Gi").on("n"));
  cluster.remove_node("n");
  cluster.remove_pod("uid-p");
  cluster.upsert_node(node("m"));
  EXPECT_EQ(cluster.nodes().size(), 1U);
  EXPECT_EQ(state("m").requested, ResourceList{});
  EXPECT_EQ(cluster.find_node("n"), std::nullopt);
  // The index of an unknown node is reused too, when its last pod is reported on another node.
  cluster.upsert_pod(pod("q").on("elsewhere"));
  cluster.upsert_pod(pod("q").on("m"));
  cluster.upsert_node(node("o"));
  EXPECT_EQ(cluster.nodes().size(), 2U);
}

TEST_F(ClusterNodes, TopologyDomainsFollowTheLabelsOfTheNodes) {
  cluster.upsert_node(node("n1").zone("a"));
  cluster.upsert_node(node("n2"));
  cluster.prepare(Symbol::Zone);
  cluster.upsert_node(node("n3").zone("b"));
  const Domains& zones = *cluster.topology().find(Symbol::Zone);
  const auto zone_of = [&](const std::string& name) {
    const Domain domain = zones.of(cluster.find_node(name).value());
    return domain == kNoDomain ? "none" : cluster.text(zones.values[domain]);
  };
  EXPECT_EQ(zone_of("n1"), "a");
  EXPECT_EQ(zone_of("n2"), "none");
  EXPECT_EQ(zone_of("n3"), "b");
  cluster.upsert_node(node("n2").zone("b"));
  cluster.upsert_node(node("n1").zone("c"));
  cluster.upsert_node(node("n3"));
  EXPECT_EQ(zone_of("n1"), "c");
  EXPECT_EQ(zone_of("n2"), "b");
  EXPECT_EQ(zone_of("n3"), "none");
  EXPECT_EQ(cluster.topology().find(Symbol::Region), nullptr);
}

TEST_F(ClusterNodes, TheNodesThatHaveAnImageAreCounted) {
  const Symbol web = cluster.interner().symbols.intern("web:1");
  cluster.upsert_node(node("n1").image("web:1", 100));
  cluster.upsert_node(node("n2").image("web:1", 200));
  EXPECT_EQ(cluster.images().of(web).nodes, 2);
  EXPECT_EQ(cluster.images().of(web).size, 100);  // as the first node reported it
  cluster.upsert_node(node("n1"));
  EXPECT_EQ(cluster.images().of(web).nodes, 1);
  cluster.remove_node("n2");
  EXPECT_EQ(cluster.images().of(web).nodes, 0);
}

}  // namespace
}  // namespace rescheduler::cluster::testing
