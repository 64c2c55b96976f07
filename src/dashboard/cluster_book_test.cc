#include "dashboard/cluster_book.h"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dashboard/testing.h"

namespace rescheduler::dashboard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(ClusterBook, ANodesRowSaysWhatItsPodsAskForAndOnlyOnce) {
  ClusterBook book;
  book.seen(node("a", "4", "8Gi"), kNow);
  book.seen(pod("shop", "web", "a", "1", "2Gi"), kNow);
  auto changes = book.take_changes();
  ASSERT_EQ(changes.rows.size(), 1u);
  EXPECT_EQ(changes.rows[0], R"(["a","zone-1","","ready",1,110,null,null,null,null,25,25])");
  EXPECT_TRUE(book.take_changes().empty());
  book.seen(pod("shop", "web", "a", "1", "2Gi"), kNow);
  EXPECT_TRUE(book.take_changes().empty()) << "seen again, and nothing has changed";
}

TEST(ClusterBook, LoadsAreMeasuredAndPredicted) {
  ClusterBook book;
  book.seen(node("a", "4", "8Gi"), kNow);
  scheduler::LoadsSeen loads;
  cluster::NodeLoad load;
  load.used[cluster::kCpuLoad] = 0.5;
  load.booked[cluster::kCpuLoad] = 0.25;
  loads.nodes = {{"a", load}, {"unknown", load}};
  loads.picture.basis = cluster::LoadBasis::Usage;
  loads.picture.source = "metrics-server";
  book.loads(loads);
  EXPECT_THAT(book.take_changes().rows, ElementsAre(HasSubstr(",50,null,75,null,")));
  EXPECT_EQ(book.load().source, "metrics-server");
}

TEST(ClusterBook, CountsFollowWhatPodsAndNodesDo) {
  ClusterBook book;
  book.seen(node("a", "4", "8Gi"), kNow);
  book.seen(pod("shop", "web", "", "1", "1Gi"), kNow);
  EXPECT_EQ(book.counts().pending, 1u);
  book.seen(pod("shop", "web", "a", "1", "1Gi"), kNow);
  EXPECT_EQ(book.counts().pending, 0u);
  EXPECT_EQ(book.counts().pods, 1u);
  auto crashing = pod("shop", "web", "a", "1", "1Gi");
  crashing.mutable_status()->add_container_statuses()->mutable_state()->mutable_waiting()->set_reason(
      "CrashLoopBackOff");
  book.seen(crashing, kNow);
  EXPECT_EQ(book.counts().failing, 1u);
  EXPECT_EQ(book.pod("shop/web")->phase, "CrashLoopBackOff");
  auto over = pod("shop", "web", "a", "1", "1Gi");
  over.mutable_status()->set_phase("Succeeded");
  book.seen(over, kNow);
  EXPECT_EQ(book.counts().pods, 0u);
  EXPECT_EQ(book.node("a")->cpu_requested, 0) << "what is over takes no room";
  book.gone(over);
  EXPECT_EQ(book.pod("shop/web"), nullptr);
  book.gone(node("a", "4", "8Gi"));
  EXPECT_EQ(book.counts().nodes, 0u);
}

TEST(ClusterBook, ANodeThatGoesIsToldOnceAndOneThatWasNeverToldNotAtAll) {
  ClusterBook book;
  book.seen(node("a", "4", "8Gi"), kNow);
  book.seen(node("b", "4", "8Gi"), kNow);
  book.gone(node("b", "4", "8Gi"));
  EXPECT_THAT(book.take_changes().gone, IsEmpty());
  book.gone(node("a", "4", "8Gi"));
  EXPECT_THAT(book.take_changes().gone, ElementsAre("a"));
  EXPECT_TRUE(book.take_changes().empty());
}

TEST(ClusterBook, AnOldPodThatGoesDoesNotTakeItsNamesakeWithIt) {
  ClusterBook book;
  const auto old = pod("shop", "db-0", "a", "1", "1Gi");
  auto replacement = old;
  replacement.mutable_metadata()->set_uid("another");
  book.seen(old, kNow);
  book.seen(replacement, kNow);
  book.gone(old);
  ASSERT_NE(book.pod("shop/db-0"), nullptr);
  EXPECT_EQ(book.counts().pods, 1u);
}

TEST(ClusterBook, TheWorstOfANodesStatesIsShown) {
  ClusterBook book;
  auto one = node("a", "4", "8Gi");
  one.mutable_spec()->set_unschedulable(true);
  book.seen(one, kNow);
  EXPECT_EQ(book.node("a")->state(), "cordoned");
  (*one.mutable_metadata()->mutable_labels())["rescheduler.io/maintenance"] = "true";
  book.seen(one, kNow);
  EXPECT_EQ(book.node("a")->state(), "maintenance");
  auto& taint = *one.mutable_spec()->add_taints();
  taint.set_key("rescheduler.io/quarantine");
  taint.set_effect("NoSchedule");
  (*one.mutable_metadata()->mutable_annotations())["rescheduler.io/quarantine"] =
      R"({"until":"2030-01-01T00:00:00Z","why":"two owners fail there"})";
  book.seen(one, kNow);
  EXPECT_EQ(book.node("a")->state(), "quarantined");
  EXPECT_EQ(book.node("a")->quarantine.why, "two owners fail there");
  one.mutable_status()->mutable_conditions(0)->set_status("Unknown");
  book.seen(one, kNow);
  EXPECT_EQ(book.node("a")->state(), "notReady");
}

TEST(ClusterBook, PoolsOfTheSettingsComeBeforeWhatCloudsSay) {
  config::NodePool gpu;
  gpu.name = "graphics";
  gpu.selector = "gpu=yes";
  ClusterBook book({gpu});
  auto one = node("a", "4", "8Gi");
  (*one.mutable_metadata()->mutable_labels())["eks.amazonaws.com/nodegroup"] = "blue";
  book.seen(one, kNow);
  EXPECT_EQ(book.node("a")->pool, "blue");
  (*one.mutable_metadata()->mutable_labels())["gpu"] = "yes";
  book.seen(one, kNow);
  EXPECT_EQ(book.node("a")->pool, "graphics");
}

TEST(ClusterBook, PodsAreFoundByPartOfTheirNameNodeAndState) {
  ClusterBook book;
  book.seen(node("a", "4", "8Gi"), kNow);
  book.seen(pod("shop", "web-1", "a", "1", "1Gi"), kNow);
  book.seen(pod("shop", "web-2", "", "1", "1Gi"), kNow);
  book.seen(pod("mail", "smtp", "a", "1", "1Gi"), kNow);
  const auto names = [&](const PodQuery& query) {
    std::vector<std::string> found;
    for (const PodEntry* one : book.find(query).first) found.emplace_back(one->name);
    return found;
  };
  EXPECT_THAT(names({.text = "shop/"}), ElementsAre("web-1", "web-2"));
  EXPECT_THAT(names({.node = "a"}), ElementsAre("smtp", "web-1"));
  EXPECT_THAT(names({.state = "pending"}), ElementsAre("web-2"));
  EXPECT_EQ(book.find({.limit = 1}).second, 3u);
  EXPECT_THAT(names({.limit = 1}), ElementsAre("smtp"));
}

TEST(ClusterBook, HostileNamesAreOnlyEverTextInJson) {
  const std::string nasty = "</script><img src=x onerror=alert(1)>\"\\\u202e\n\x01";
  ClusterBook book;
  auto one = node(nasty, "4", "8Gi");
  (*one.mutable_metadata()->mutable_labels())["topology.kubernetes.io/zone"] = nasty;
  book.seen(one, kNow);
  const auto changes = book.take_changes();
  ASSERT_EQ(changes.rows.size(), 1u);
  EXPECT_THAT(changes.rows[0], Not(HasSubstr("\n")));
  const auto read = boost::json::parse(changes.rows[0]);
  EXPECT_EQ(std::string(read.at(0).as_string()), nasty);
  EXPECT_EQ(std::string(read.at(1).as_string()), nasty);
}

TEST(ClusterBook, ADeploymentIsNamedRatherThanItsReplicaSet) {
  auto one = pod("shop", "web-7d9-x", "a", "1", "1Gi");
  auto& owner = *one.mutable_metadata()->add_owner_references();
  owner.set_kind("ReplicaSet");
  owner.set_name("web-7d9");
  owner.set_controller(true);
  (*one.mutable_metadata()->mutable_labels())["pod-template-hash"] = "7d9";
  ClusterBook book;
  book.seen(one, kNow);
  EXPECT_EQ(book.pod("shop/web-7d9-x")->owner_kind, "Deployment");
  EXPECT_EQ(book.pod("shop/web-7d9-x")->owner_name, "web");
}

}  // namespace
}  // namespace rescheduler::dashboard
