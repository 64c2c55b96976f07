#include "dashboard/cluster_view.h"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dashboard/testing.h"

namespace rescheduler::dashboard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ClusterView, ANodeRowShowsTheRequestsOfItsPodsAndIsTakenOncePerChange) {
  ClusterView cluster_view;
  cluster_view.upsert(node("a", "4", "8Gi"), kNow);
  cluster_view.upsert(pod("shop", "web", "a", "1", "2Gi"), kNow);
  auto changes = cluster_view.take_changes();
  ASSERT_EQ(changes.rows.size(), 1u);
  EXPECT_EQ(changes.rows[0], R"(["a","zone-1","","ready",1,110,null,null,null,null,25,25])");
  EXPECT_TRUE(cluster_view.take_changes().empty());
  cluster_view.upsert(pod("shop", "web", "a", "1", "2Gi"), kNow);
  EXPECT_TRUE(cluster_view.take_changes().empty()) << "the same pod changes nothing";
}

TEST(ClusterView, ANodeRowShowsTheMeasuredAndThePredictedLoad) {
  ClusterView cluster_view;
  cluster_view.upsert(node("a", "4", "8Gi"), kNow);
  scheduler::LoadUpdate loads;
  cluster::NodeLoad load;
  load.used[cluster::kCpuLoad] = 0.5;
  load.reserved[cluster::kCpuLoad] = 0.25;
  loads.nodes = {{"a", load}, {"unknown", load}};
  loads.load_summary.basis = cluster::LoadBasis::Usage;
  loads.load_summary.source = "metrics-server";
  cluster_view.loads(loads);
  EXPECT_THAT(cluster_view.take_changes().rows, ElementsAre(HasSubstr(",50,null,75,null,")));
  EXPECT_EQ(cluster_view.load().source, "metrics-server");
}

TEST(ClusterView, CountsFollowTheStatesOfPodsAndNodes) {
  ClusterView cluster_view;
  cluster_view.upsert(node("a", "4", "8Gi"), kNow);
  cluster_view.upsert(pod("shop", "web", "", "1", "1Gi"), kNow);
  EXPECT_EQ(cluster_view.counts().pending, 1u);
  cluster_view.upsert(pod("shop", "web", "a", "1", "1Gi"), kNow);
  EXPECT_EQ(cluster_view.counts().pending, 0u);
  EXPECT_EQ(cluster_view.counts().pods, 1u);
  auto crashing = pod("shop", "web", "a", "1", "1Gi");
  crashing.mutable_status()->add_container_statuses()->mutable_state()->mutable_waiting()->set_reason(
      "CrashLoopBackOff");
  cluster_view.upsert(crashing, kNow);
  EXPECT_EQ(cluster_view.counts().failing, 1u);
  EXPECT_EQ(cluster_view.pod("shop/web")->phase(), "CrashLoopBackOff");
  auto over = pod("shop", "web", "a", "1", "1Gi");
  over.mutable_status()->set_phase("Succeeded");
  cluster_view.upsert(over, kNow);
  EXPECT_EQ(cluster_view.counts().pods, 0u);
  EXPECT_EQ(cluster_view.node("a")->cpu_requested, 0) << "the requests of a pod that has ended do not count";
  cluster_view.remove(over);
  EXPECT_EQ(cluster_view.pod("shop/web"), nullptr);
  cluster_view.remove(node("a", "4", "8Gi"));
  EXPECT_EQ(cluster_view.counts().nodes, 0u);
}

// A viewer can have read the list of nodes between two changes, so it can know a node whose row was never published.
TEST(ClusterView, ARemovedNodeIsReportedOnceAlsoIfItsRowWasNotPublished) {
  ClusterView cluster_view;
  cluster_view.upsert(node("a", "4", "8Gi"), kNow);
  cluster_view.upsert(node("b", "4", "8Gi"), kNow);
  cluster_view.remove(node("b", "4", "8Gi"));
  EXPECT_THAT(cluster_view.take_changes().gone, ElementsAre("b"));
  cluster_view.remove(node("a", "4", "8Gi"));
  EXPECT_THAT(cluster_view.take_changes().gone, ElementsAre("a"));
  EXPECT_TRUE(cluster_view.take_changes().empty());
}

TEST(ClusterView, RemovingAnOldPodKeepsTheNewPodOfTheSameName) {
  ClusterView cluster_view;
  const auto old = pod("shop", "db-0", "a", "1", "1Gi");
  auto replacement = old;
  replacement.mutable_metadata()->set_uid("another");
  cluster_view.upsert(old, kNow);
  cluster_view.upsert(replacement, kNow);
  cluster_view.remove(old);
  ASSERT_NE(cluster_view.pod("shop/db-0"), nullptr);
  EXPECT_EQ(cluster_view.counts().pods, 1u);
}

TEST(ClusterView, TheWorstStateOfANodeIsShown) {
  ClusterView cluster_view;
  auto one = node("a", "4", "8Gi");
  one.mutable_spec()->set_unschedulable(true);
  cluster_view.upsert(one, kNow);
  EXPECT_EQ(cluster_view.node("a")->state(), "cordoned");
  (*one.mutable_metadata()->mutable_labels())["rescheduler.io/maintenance"] = "true";
  cluster_view.upsert(one, kNow);
  EXPECT_EQ(cluster_view.node("a")->state(), "maintenance");
  auto& taint = *one.mutable_spec()->add_taints();
  taint.set_key("rescheduler.io/quarantine");
  taint.set_effect("NoSchedule");
  (*one.mutable_metadata()->mutable_annotations())["rescheduler.io/quarantine"] =
      R"({"until":"2030-01-01T00:00:00Z","why":"two owners fail there"})";
  cluster_view.upsert(one, kNow);
  EXPECT_EQ(cluster_view.node("a")->state(), "quarantined");
  EXPECT_EQ(cluster_view.node("a")->quarantine.why, "two owners fail there");
  one.mutable_status()->mutable_conditions(0)->set_status("Unknown");
  cluster_view.upsert(one, kNow);
  EXPECT_EQ(cluster_view.node("a")->state(), "notReady");
}

TEST(ClusterView, APoolOfTheSettingsOverridesThePoolLabelOfTheCloudProvider) {
  config::NodePool gpu;
  gpu.name = "graphics";
  gpu.selector = "gpu=yes";
  ClusterView cluster_view({gpu});
  auto one = node("a", "4", "8Gi");
  (*one.mutable_metadata()->mutable_labels())["eks.amazonaws.com/nodegroup"] = "blue";
  cluster_view.upsert(one, kNow);
  EXPECT_EQ(cluster_view.node("a")->pool, "blue");
  (*one.mutable_metadata()->mutable_labels())["gpu"] = "yes";
  cluster_view.upsert(one, kNow);
  EXPECT_EQ(cluster_view.node("a")->pool, "graphics");
}

TEST(ClusterView, PodsAreFoundByPartOfTheirNameByNodeAndByState) {
  ClusterView cluster_view;
  cluster_view.upsert(node("a", "4", "8Gi"), kNow);
  cluster_view.upsert(pod("shop", "web-1", "a", "1", "1Gi"), kNow);
  cluster_view.upsert(pod("shop", "web-2", "", "1", "1Gi"), kNow);
  cluster_view.upsert(pod("mail", "smtp", "a", "1", "1Gi"), kNow);
  const auto names = [&](const PodQuery& query) {
    std::vector<std::string> found;
    for (const PodEntry* one : cluster_view.find(query).first) found.emplace_back(one->name());
    return found;
  };
  EXPECT_THAT(names({.text = "shop/"}), ElementsAre("web-1", "web-2"));
  EXPECT_THAT(names({.node = "a"}), ElementsAre("smtp", "web-1"));
  EXPECT_THAT(names({.state = "pending"}), ElementsAre("web-2"));
  EXPECT_EQ(cluster_view.find({.limit = 1}).second, 3u);
  EXPECT_THAT(names({.limit = 1}), ElementsAre("smtp"));
}

TEST(ClusterView, HostileNamesStayTextInJson) {
  const std::string nasty = "</script><img src=x onerror=alert(1)>\"\\\u202e\n\x01";
  ClusterView cluster_view;
  auto one = node(nasty, "4", "8Gi");
  (*one.mutable_metadata()->mutable_labels())["topology.kubernetes.io/zone"] = nasty;
  cluster_view.upsert(one, kNow);
  const auto changes = cluster_view.take_changes();
  ASSERT_EQ(changes.rows.size(), 1u);
  EXPECT_THAT(changes.rows[0], Not(HasSubstr("\n")));
  const auto read = boost::json::parse(changes.rows[0]);
  EXPECT_EQ(std::string(read.at(0).as_string()), nasty);
  EXPECT_EQ(std::string(read.at(1).as_string()), nasty);
}

TEST(ClusterView, TheOwnerOfAPodIsItsDeploymentAndNotTheReplicaSet) {
  auto one = pod("shop", "web-7d9-x", "a", "1", "1Gi");
  auto& owner = *one.mutable_metadata()->add_owner_references();
  owner.set_kind("ReplicaSet");
  owner.set_name("web-7d9");
  owner.set_controller(true);
  (*one.mutable_metadata()->mutable_labels())["pod-template-hash"] = "7d9";
  ClusterView cluster_view;
  cluster_view.upsert(one, kNow);
  EXPECT_EQ(cluster_view.pod("shop/web-7d9-x")->owner_kind(), "Deployment");
  EXPECT_EQ(cluster_view.pod("shop/web-7d9-x")->owner_name(), "web");
}

}  // namespace
}  // namespace rescheduler::dashboard
