#include "rescheduler/recovery/attribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kube/proto/core_node.pb.h"

namespace rescheduler::rescheduling::recovery {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr WallTime kNow{hours{24 * 365 * 50}};

std::vector<NodeStanding> twenty_nodes() {
  std::vector<NodeStanding> nodes;
  for (int i = 0; i < 20; ++i) nodes.push_back({fmt::format("n{:02}", i), fmt::format("zone-{}", i % 3)});
  return nodes;
}

std::vector<std::string> words(const std::vector<NodeOrder>& orders) {
  std::vector<std::string> all;
  for (const NodeOrder& order : orders) all.push_back(fmt::format("{} {}", order.node, to_string(order.to)));
  return all;
}

TEST(Quarantine, ThreeOwnersFailingOnOneNodeMakeItTheNodesFaultAndNobodyElses) {
  Attribution attribution({});
  for (const char* owner : {"a", "b", "c"}) attribution.failed("n07", owner, kNow);
  attribution.failed("n08", "a", kNow);
  attribution.failed("n09", "a", kNow);
  EXPECT_THAT(words(attribution.decide(twenty_nodes(), kNow)), ElementsAre("n07 quarantined"));
  EXPECT_THAT(attribution.blamed(twenty_nodes(), kNow), ElementsAre("n07"));
}

TEST(Quarantine, OneOwnerFailingManyTimesIsNotTheNodesFault) {
  Attribution attribution({});
  for (int i = 0; i < 50; ++i) attribution.failed("n01", "a", kNow);
  attribution.failed("n01", "b", kNow - minutes{30});
  attribution.failed("n01", "c", kNow - minutes{30});
  EXPECT_THAT(attribution.decide(twenty_nodes(), kNow), IsEmpty());
}

TEST(Quarantine, TakesNoMoreOfAZoneThanItMay) {
  Attribution attribution({});
  for (const char* node : {"n00", "n03", "n01"}) {
    for (const char* owner : {"a", "b", "c"}) attribution.failed(node, owner, kNow);
  }
  attribution.failed("n03", "d", kNow);
  EXPECT_THAT(words(attribution.decide(twenty_nodes(), kNow)), ElementsAre("n03 quarantined", "n01 quarantined"))
      << "the worst of zone-0, and the only one of zone-1";
}

TEST(Quarantine, EndsInProbationAndThatInFreedom) {
  Attribution attribution({});
  std::vector<NodeStanding> nodes{{"n", "z", Confinement::Quarantined, kNow + minutes{30}}};
  EXPECT_THAT(attribution.decide(nodes, kNow), IsEmpty());
  EXPECT_THAT(words(attribution.decide(nodes, kNow + minutes{30})), ElementsAre("n probation"));
  nodes[0].confinement = Confinement::Probation;
  nodes[0].until = kNow + minutes{60};
  EXPECT_THAT(attribution.decide(nodes, kNow + minutes{59}), IsEmpty());
  EXPECT_THAT(words(attribution.decide(nodes, kNow + minutes{60})), ElementsAre("n none"));
}

TEST(Quarantine, IsOverAtOnceWhenANewPodIsWellDuringProbation) {
  Attribution attribution({});
  const std::vector<NodeStanding> nodes{{"n", "z", Confinement::Probation, kNow + minutes{30}}};
  attribution.well("n", kNow - minutes{1});
  EXPECT_THAT(attribution.decide(nodes, kNow + minutes{1}), IsEmpty()) << "it was well before";
  attribution.well("n", kNow + minutes{1});
  EXPECT_THAT(words(attribution.decide(nodes, kNow + minutes{2})), ElementsAre("n none"));
}

TEST(Quarantine, BeginsAnewWhenProbationFails) {
  Attribution attribution({});
  const std::vector<NodeStanding> nodes{{"n", "z", Confinement::Probation, kNow + minutes{30}}};
  for (const char* owner : {"a", "b", "c"}) attribution.failed("n", owner, kNow);
  EXPECT_THAT(words(attribution.decide(nodes, kNow)), ElementsAre("n quarantined"));
}

TEST(Confining, TouchesNobodyElsesTaints) {
  api::Node node;
  node.mutable_metadata()->set_name("n");
  node.mutable_spec()->add_taints()->set_key("theirs");
  (*node.mutable_metadata()->mutable_annotations())["theirs"] = "x";
  const api::Node before = node;
  EXPECT_TRUE(confine(node, Confinement::Quarantined, kNow, "why"));
  EXPECT_FALSE(confine(node, Confinement::Quarantined, kNow, "why"));
  auto standing = standing_of(node, WallTime{});
  EXPECT_EQ(standing.confinement, Confinement::Quarantined);
  EXPECT_EQ(standing.until, kNow);
  EXPECT_TRUE(confine(node, Confinement::Probation, kNow, "why"));
  EXPECT_EQ(standing_of(node, kNow).confinement, Confinement::Probation);
  EXPECT_EQ(node.spec().taints_size(), 2);
  EXPECT_TRUE(confine(node, Confinement::None, {}, ""));
  EXPECT_EQ(node.SerializeAsString(), before.SerializeAsString());
}

TEST(Confining, ARecordNobodyCanReadEndsNow) {
  api::Node node;
  ASSERT_TRUE(confine(node, Confinement::Quarantined, kNow + hours{1}, "why"));
  (*node.mutable_metadata()->mutable_annotations())[std::string(kQuarantineRecord)] = "[";
  EXPECT_EQ(standing_of(node, kNow).until, kNow);
}

// Whoever fails where and when: a zone never has more nodes in quarantine than it may.
RC_GTEST_PROP(QuarantineProperty, NeverTakesTooMuchOfAZone, ()) {
  config::QuarantineSettings settings;
  settings.per_zone = *rc::gen::inRange<std::uint32_t>(1, 3);
  settings.owners = 2;
  Attribution attribution(settings);
  std::vector<NodeStanding> nodes = twenty_nodes();
  WallTime now = kNow;
  for (int step = 0; step < 30; ++step) {
    now += minutes{*rc::gen::inRange(0, 20)};
    attribution.failed(fmt::format("n{:02}", *rc::gen::inRange(0, 8)), fmt::format("o{}", *rc::gen::inRange(0, 4)),
                       now);
    for (const NodeOrder& order : attribution.decide(nodes, now)) {
      const auto node = std::ranges::find(nodes, order.node, &NodeStanding::name);
      node->confinement = order.to;
      node->until = order.until;
    }
    std::map<std::string, std::uint32_t> confined;
    for (const NodeStanding& node : nodes) {
      if (node.confinement == Confinement::Quarantined) ++confined[node.zone];
    }
    for (const auto& [zone, count] : confined) RC_ASSERT(count <= settings.per_zone);
  }
}

}  // namespace
}  // namespace rescheduler::rescheduling::recovery
