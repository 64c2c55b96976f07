#include "rescheduling/recovery/attribution.h"

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

std::vector<QuarantineStatus> twenty_nodes() {
  std::vector<QuarantineStatus> nodes;
  for (int i = 0; i < 20; ++i) nodes.push_back({fmt::format("n{:02}", i), fmt::format("zone-{}", i % 3)});
  return nodes;
}

std::vector<std::string> action_texts(const std::vector<QuarantineAction>& requests) {
  std::vector<std::string> all;
  for (const QuarantineAction& action : requests)
    all.push_back(fmt::format("{} {}", action.node, to_string(action.to)));
  return all;
}

// The kubelet rejected the pod: evidence without a comparison.
NodeFailure rejected_at(WallTime at) { return {.at = at, .by_kubelet = true}; }
// Containers crash, or images cannot be pulled: also a sign of a bad release.
NodeFailure crashed_at(WallTime at, const std::string& release) { return {.at = at, .release = release}; }

TEST(Quarantine, FailuresOfThreeOwnersOnOneNodeQuarantineOnlyThatNode) {
  Attribution attribution({});
  for (const char* owner : {"a", "b", "c"}) attribution.failed("n07", owner, rejected_at(kNow));
  attribution.failed("n08", "a", rejected_at(kNow));
  attribution.failed("n09", "a", rejected_at(kNow));
  EXPECT_THAT(action_texts(attribution.decide(twenty_nodes(), kNow)), ElementsAre("n07 quarantined"));
  EXPECT_THAT(attribution.faulty_nodes(twenty_nodes(), kNow), ElementsAre("n07"));
}

TEST(Quarantine, ManyFailuresOfOneOwnerDoNotQuarantineANode) {
  Attribution attribution({});
  for (int i = 0; i < 50; ++i) attribution.failed("n01", "a", rejected_at(kNow));
  attribution.failed("n01", "b", rejected_at(kNow - minutes{30}));
  attribution.failed("n01", "c", rejected_at(kNow - minutes{30}));
  EXPECT_THAT(attribution.decide(twenty_nodes(), kNow), IsEmpty());
}

TEST(Quarantine, ReleasesThatAreHealthyNowhereAreNoEvidence) {
  Attribution attribution({});
  for (const char* owner : {"a", "b", "c", "d"}) attribution.failed("n07", owner, crashed_at(kNow, owner));
  EXPECT_THAT(attribution.decide(twenty_nodes(), kNow), IsEmpty()) << "not compared yet";
  attribution.review([](const auto&, const auto&, const auto&) { return false; }, kNow);
  EXPECT_THAT(attribution.decide(twenty_nodes(), kNow), IsEmpty());
  EXPECT_THAT(attribution.faulty_nodes(twenty_nodes(), kNow), IsEmpty());
}

TEST(Quarantine, ReleasesThatAreHealthyOnOtherNodesAreEvidence) {
  Attribution attribution({});
  for (const char* owner : {"a", "b", "c", "d"}) attribution.failed("n07", owner, crashed_at(kNow, owner));
  std::vector<std::string> asked;
  const auto all_but_d = [&](const std::string& node, const std::string& owner, const std::string& release) {
    asked.push_back(fmt::format("{} {} {}", node, owner, release));
    return owner != "d";
  };
  attribution.review(all_but_d, kNow);
  EXPECT_THAT(asked, ElementsAre("n07 a a", "n07 b b", "n07 c c", "n07 d d"));
  const auto actions = attribution.decide(twenty_nodes(), kNow);
  EXPECT_THAT(action_texts(actions), ElementsAre("n07 quarantined"));
  EXPECT_EQ(actions.at(0).why, "pods of 3 different owners fail on the node: a, b, c");
}

TEST(Quarantine, AReleaseThatFailsOnTwoNodesIsNoEvidenceAgainstEither) {
  Attribution attribution({});
  for (const char* owner : {"a", "b", "c"}) attribution.failed("n07", owner, crashed_at(kNow, owner));
  attribution.failed("n08", "c", crashed_at(kNow - minutes{1}, "c"));
  const auto healthy = [](const auto&, const auto&, const auto&) { return true; };
  attribution.review(healthy, kNow);
  EXPECT_THAT(attribution.decide(twenty_nodes(), kNow), IsEmpty());
  // Another release of c: it does not count for the release that fails now.
  attribution.failed("n08", "c", crashed_at(kNow, "the next one"));
  attribution.review(healthy, kNow);
  EXPECT_THAT(action_texts(attribution.decide(twenty_nodes(), kNow)), ElementsAre("n07 quarantined"));
}

TEST(Quarantine, AReleaseThatIsNoLongerHealthyElsewhereIsNoEvidenceAnyMore) {
  Attribution attribution({});
  for (const char* owner : {"a", "b", "c"}) attribution.failed("n07", owner, crashed_at(kNow, owner));
  attribution.review([](const auto&, const auto&, const auto&) { return true; }, kNow);
  EXPECT_THAT(attribution.faulty_nodes(twenty_nodes(), kNow), ElementsAre("n07"));
  attribution.review([](const auto&, const std::string& owner, const auto&) { return owner != "b"; }, kNow);
  EXPECT_THAT(attribution.faulty_nodes(twenty_nodes(), kNow), IsEmpty());
}

TEST(Quarantine, TheNumberOfQuarantinedNodesPerZoneIsLimited) {
  Attribution attribution({});
  for (const char* node : {"n00", "n03", "n01"}) {
    for (const char* owner : {"a", "b", "c"}) attribution.failed(node, owner, rejected_at(kNow));
  }
  attribution.failed("n03", "d", rejected_at(kNow));
  EXPECT_THAT(action_texts(attribution.decide(twenty_nodes(), kNow)), ElementsAre("n03 quarantined", "n01 quarantined"))
      << "the worst node of zone-0 and the only failing node of zone-1";
}

TEST(Quarantine, IsFollowedByProbationAndProbationByNone) {
  Attribution attribution({});
  std::vector<QuarantineStatus> nodes{{"n", "z", NodeQuarantine::Quarantined, kNow + minutes{30}}};
  EXPECT_THAT(attribution.decide(nodes, kNow), IsEmpty());
  EXPECT_THAT(action_texts(attribution.decide(nodes, kNow + minutes{30})), ElementsAre("n probation"));
  nodes[0].quarantine = NodeQuarantine::Probation;
  nodes[0].until = kNow + minutes{60};
  EXPECT_THAT(attribution.decide(nodes, kNow + minutes{59}), IsEmpty());
  EXPECT_THAT(action_texts(attribution.decide(nodes, kNow + minutes{60})), ElementsAre("n none"));
}

TEST(Quarantine, ProbationEndsAtOnceWhenANewPodIsHealthy) {
  Attribution attribution({});
  const std::vector<QuarantineStatus> nodes{{"n", "z", NodeQuarantine::Probation, kNow + minutes{30}}};
  attribution.well("n", kNow - minutes{1});
  EXPECT_THAT(attribution.decide(nodes, kNow + minutes{1}), IsEmpty()) << "the pod was created before the probation";
  attribution.well("n", kNow + minutes{1});
  EXPECT_THAT(action_texts(attribution.decide(nodes, kNow + minutes{2})), ElementsAre("n none"));
}

TEST(Quarantine, BeginsAgainIfPodsFailDuringProbation) {
  Attribution attribution({});
  const std::vector<QuarantineStatus> nodes{{"n", "z", NodeQuarantine::Probation, kNow + minutes{30}}};
  for (const char* owner : {"a", "b", "c"}) attribution.failed("n", owner, rejected_at(kNow));
  EXPECT_THAT(action_texts(attribution.decide(nodes, kNow)), ElementsAre("n quarantined"));
}

TEST(SetQuarantine, DoesNotChangeOtherTaintsAndAnnotations) {
  api::Node node;
  node.mutable_metadata()->set_name("n");
  node.mutable_spec()->add_taints()->set_key("theirs");
  (*node.mutable_metadata()->mutable_annotations())["theirs"] = "x";
  const api::Node before = node;
  EXPECT_TRUE(set_quarantine(node, NodeQuarantine::Quarantined, kNow, "why"));
  EXPECT_FALSE(set_quarantine(node, NodeQuarantine::Quarantined, kNow, "why"));
  auto status = quarantine_status_of(node, WallTime{});
  EXPECT_EQ(status.quarantine, NodeQuarantine::Quarantined);
  EXPECT_EQ(status.until, kNow);
  EXPECT_TRUE(set_quarantine(node, NodeQuarantine::Probation, kNow, "why"));
  EXPECT_EQ(quarantine_status_of(node, kNow).quarantine, NodeQuarantine::Probation);
  EXPECT_EQ(node.spec().taints_size(), 2);
  EXPECT_TRUE(set_quarantine(node, NodeQuarantine::None, {}, ""));
  EXPECT_EQ(node.SerializeAsString(), before.SerializeAsString());
}

TEST(SetQuarantine, AQuarantineWithAnUnreadableRecordEndsNow) {
  api::Node node;
  ASSERT_TRUE(set_quarantine(node, NodeQuarantine::Quarantined, kNow + hours{1}, "why"));
  (*node.mutable_metadata()->mutable_annotations())[std::string(kQuarantineRecord)] = "[";
  EXPECT_EQ(quarantine_status_of(node, kNow).until, kNow);
}

// For any sequence of failures, a zone never has more quarantined nodes than allowed.
RC_GTEST_PROP(QuarantineProperty, TheLimitPerZoneIsNeverExceeded, ()) {
  config::QuarantineSettings settings;
  settings.per_zone = *rc::gen::inRange<std::uint32_t>(1, 3);
  settings.owners = 2;
  Attribution attribution(settings);
  std::vector<QuarantineStatus> nodes = twenty_nodes();
  WallTime now = kNow;
  for (int step = 0; step < 30; ++step) {
    now += minutes{*rc::gen::inRange(0, 20)};
    attribution.failed(fmt::format("n{:02}", *rc::gen::inRange(0, 8)), fmt::format("o{}", *rc::gen::inRange(0, 4)),
                       rejected_at(now));
    for (const QuarantineAction& action : attribution.decide(nodes, now)) {
      const auto node = std::ranges::find(nodes, action.node, &QuarantineStatus::name);
      node->quarantine = action.to;
      node->until = action.until;
    }
    std::map<std::string, std::uint32_t> quarantined;
    for (const QuarantineStatus& node : nodes) {
      if (node.quarantine == NodeQuarantine::Quarantined) ++quarantined[node.zone];
    }
    for (const auto& [zone, count] : quarantined) RC_ASSERT(count <= settings.per_zone);
  }
}

}  // namespace
}  // namespace rescheduler::rescheduling::recovery
