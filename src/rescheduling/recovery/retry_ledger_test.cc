#include "rescheduling/recovery/retry_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace rescheduler::rescheduling::recovery {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr WallTime kNow{hours{24 * 365 * 50}};
const config::RecoverySettings kSettings;
const std::set<std::string> kNoNodes;

Annotations applied(Annotations to, const std::map<std::string, std::optional<std::string>>& changes) {
  for (const auto& [key, value] : changes) {
    if (value) {
      to[key] = *value;
    } else {
      to.erase(key);
    }
  }
  return to;
}

// --- Retries ---

TEST(Retries, TheAnnotationSetsTheNumberOfRetries) {
  const auto read = [](const std::string& text) { return read_retries({{"scheduling-retries", text}}, 100); };
  EXPECT_EQ(read("3")->allowed, 3U);
  EXPECT_EQ(read("3")->complaint, "");
  EXPECT_EQ(read("0")->allowed, 0U);
  EXPECT_EQ(read("0")->complaint, "") << "zero switches retries off";
  EXPECT_FALSE(read_retries({}, 100));
  EXPECT_EQ(read_retries({{"scheduling-retires", "2"}}, 100)->allowed, 2U)
      << "a spelling that the guide uses in places";
}

TEST(Retries, AnInvalidNumberCountsAsZeroAndATooLargeOneAsTheMaximum) {
  for (const char* text : {"-1", "abc", "", " 3", "3.5", "0x3", "1e2"}) {
    const auto read = read_retries({{"scheduling-retries", text}}, 100);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(read->allowed, 0U) << text;
    EXPECT_THAT(read->complaint, HasSubstr("is not a number of retries")) << text;
  }
  for (const char* text : {"101", "999999999999", "99999999999999999999999999"}) {
    const auto read = read_retries({{"scheduling-retries", text}}, 100);
    EXPECT_EQ(read->allowed, 100U) << text;
    EXPECT_THAT(read->complaint, HasSubstr("above the maximum; 100 retries")) << text;
  }
}

// --- Formats ---

TEST(LedgerJson, ReadsTheAnnotationsOfKseWithNullLists) {
  const Annotations deploy{{"kse.com/deploy", R"({"currentReschedulingTimes":2,"deployScheduledHosts":["a","b"]})"}};
  const auto read = read_ledger(OwnerKind::Deployment, deploy, 3, kNow);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->slots.size(), 1U);
  EXPECT_EQ(read->slots[0].times, 2U);
  EXPECT_THAT(read->nodes(), ElementsAre("a", "b"));

  for (const auto& [kind, key, field] : {std::tuple{OwnerKind::ReplicaSet, "kse.com/rs", "rsScheduledHosts"},
                                         std::tuple{OwnerKind::Job, "kse.com/job", "jobScheduledHosts"},
                                         std::tuple{OwnerKind::CronJob, "kse.com/cj", "cjScheduledHosts"},
                                         std::tuple{OwnerKind::Pod, "kse.com/pod", "podScheduledHosts"}}) {
    const auto empty =
        read_ledger(kind, {{key, fmt::format(R"({{"currentReschedulingTimes":1,"{}":null}})", field)}}, 3, kNow);
    ASSERT_TRUE(empty) << key;
    EXPECT_EQ(empty->times(), 1U) << key;
    EXPECT_THAT(empty->nodes(), IsEmpty()) << key;
  }
  const Annotations map{{"kse.com/sts-pods-map",
                         R"({"db-0":{"currentReschedulingTimes":1,"podScheduledHosts":["x"]},
                             "db-1":{"currentReschedulingTimes":2,"podScheduledHosts":null}})"}};
  const auto ordinals = read_ledger(OwnerKind::StatefulSet, map, 3, kNow);
  ASSERT_TRUE(ordinals);
  EXPECT_EQ(ordinals->find("db-0")->times, 1U);
  EXPECT_EQ(ordinals->find("db-1")->times, 2U);
}

TEST(LedgerJson, TheTotalCountOfKseIsDividedAmongTheReplicas) {
  const Annotations deploy{{"kse.com/deploy", R"({"currentReschedulingTimes":5,"deployScheduledHosts":["a"]})"}};
  const auto read = read_ledger(OwnerKind::Deployment, deploy, 3, kNow);
  ASSERT_EQ(read->slots.size(), 2U);
  EXPECT_EQ(read->find("1")->times, 3U);
  EXPECT_EQ(read->find("2")->times, 2U);
}

TEST(LedgerJson, AHigherCountOfKseReplacesOurs) {
  RetryLedger ours;
  ours.at("1") = {"1", 1, {{"a", kNow}}, {"u"}};
  auto annotations = applied({}, write_ledger(OwnerKind::Deployment, ours));
  std::string& text = annotations.at("kse.com/deploy");
  const auto times = text.find("Times\":1");
  ASSERT_NE(times, std::string::npos);
  text.replace(times, 8, "Times\":2");
  EXPECT_EQ(read_ledger(OwnerKind::Deployment, annotations, 3, kNow)->times(), 2U);
}

TEST(LedgerJson, AnInvalidAnnotationIsAnError) {
  for (const char* nonsense : {"", "[", "3", "[]", "\"a\""}) {
    EXPECT_FALSE(read_ledger(OwnerKind::Deployment, {{"kse.com/deploy", nonsense}}, 3, kNow)) << nonsense;
  }
}

TEST(LedgerJson, TheTotalOfADaemonSetIsWrittenAsANumberForKse) {
  RetryLedger ledger;
  ledger.at("node-a").times = 2;
  ledger.at("node-b").times = 1;
  const auto written = write_ledger(OwnerKind::DaemonSet, ledger);
  EXPECT_EQ(written.at("kse.com/current-retries-times"), "3");
  EXPECT_EQ(read_ledger(OwnerKind::DaemonSet, applied({}, written), 3, kNow)->find("node-a")->times, 2U);
}

RetryLedger any_ledger() {
  RetryLedger ledger;
  const int slots = *rc::gen::inRange(0, 4);
  for (int s = 0; s < slots; ++s) {
    Slot& slot = ledger.at(std::to_string(s + 1));
    slot.times = *rc::gen::inRange<std::uint32_t>(1, 5);
    const int visits = *rc::gen::inRange(0, 4);
    for (int v = 0; v < visits; ++v) slot.visits.push_back({fmt::format("n\"{}", v), kNow - seconds{10 - v}});
    if (*rc::gen::arbitrary<bool>()) slot.counted.push_back(fmt::format("uid-{}", s));
  }
  return ledger;
}

RC_GTEST_PROP(LedgerJsonProperty, AWrittenLedgerIsReadBackUnchanged, ()) {
  const auto kind = *rc::gen::element(OwnerKind::Deployment, OwnerKind::ReplicaSet, OwnerKind::StatefulSet,
                                      OwnerKind::DaemonSet, OwnerKind::Job, OwnerKind::CronJob, OwnerKind::Pod);
  const RetryLedger ledger = any_ledger();
  const auto read = read_ledger(kind, applied({}, write_ledger(kind, ledger)), 3, kNow);
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == ledger);
}

// --- Slots ---

TEST(Slots, AReplacementTakesTheSlotOfTheRemovedPod) {
  RetryLedger ledger;
  ledger.at("1") = {"1", 1, {{"a", kNow}}, {"old"}};
  EXPECT_EQ(slot_of(ledger, {"old", ""}, {{"old", ""}, {"other", ""}}, 3), "1");
  EXPECT_EQ(slot_of(ledger, {"other", ""}, {{"old", ""}, {"other", ""}}, 3), "2") << "the old pod still exists";
  EXPECT_EQ(slot_of(ledger, {"new", ""}, {{"other", ""}, {"new", ""}}, 3), "1");
  EXPECT_EQ(slot_of(ledger, {"new", "1"}, {{"other", ""}, {"new", "1"}}, 3), "1") << "the pod names its slot";
  EXPECT_EQ(slot_of(ledger, {"z", "1"}, {{"new", "1"}, {"z", "1"}}, 3), "2")
      << "two pods name the slot: the pod with the smaller uid has it";
}

TEST(Slots, AnExcludedSlotIsNotTaken) {
  RetryLedger ledger;
  ledger.at("1") = {"1", 1, {{"a", kNow}}, {"old"}};
  // The old pod is deleted, its replacement is not seen yet, and another replica fails meanwhile.
  EXPECT_EQ(slot_of(ledger, {"other", ""}, {{"other", ""}}, 2, {"1"}), "2");
  EXPECT_EQ(slot_of(ledger, {"other", ""}, {{"other", ""}}, 2), "1");
}

TEST(Slots, ThereAreNeverMoreSlotsThanReplicas) {
  RetryLedger ledger;
  ledger.at("1") = {"1", 2, {}, {"a"}};
  ledger.at("2") = {"2", 1, {}, {"b"}};
  EXPECT_EQ(slot_of(ledger, {"c", ""}, {{"a", ""}, {"b", ""}, {"c", ""}}, 2), "2");
  EXPECT_EQ(slot_of(ledger, {"c", ""}, {{"a", ""}, {"b", ""}, {"c", ""}}, 3), "3");
}

// --- Decisions ---

TEST(RetryDecisions, EachPodIsCountedOnceAndRetriesStopAfterExactlyN) {
  RetryLedger ledger;
  std::vector<RetryVerdict> verdicts;
  for (int i = 0; i < 5; ++i) {
    const PodFailure failure{fmt::format("uid-{}", i), "same", "1"};
    auto decision = judge(ledger, {OwnerKind::Deployment, 3}, failure, kSettings, kNoNodes, kNow);
    verdicts.push_back(decision.retry_verdict);
    ledger = decision.ledger;
    auto again = judge(ledger, {OwnerKind::Deployment, 3}, failure, kSettings, kNoNodes, kNow);
    EXPECT_EQ(again.retry_verdict, i < 3 ? RetryVerdict::AlreadyCounted : RetryVerdict::Exhausted);
    EXPECT_EQ(again.ledger, ledger);
  }
  EXPECT_THAT(verdicts, ElementsAre(RetryVerdict::Retry, RetryVerdict::Retry, RetryVerdict::Retry,
                                    RetryVerdict::Exhausted, RetryVerdict::Exhausted));
}

TEST(RetryDecisions, TheSentenceNamesTheAttemptAndTheAvoidedNodes) {
  RetryLedger ledger;
  ledger = judge(ledger, {OwnerKind::Deployment, 3}, {"u1", "node-a", "1"}, kSettings, kNoNodes, kNow).ledger;
  const auto second = judge(ledger, {OwnerKind::Deployment, 3}, {"u2", "node-b", "1"}, kSettings, kNoNodes, kNow);
  EXPECT_EQ(second.sentence(), "attempt 2 of 3, avoiding node-a, node-b");
}

TEST(RetryDecisions, FailuresOnManyNodesAreAttributedToTheApplication) {
  RetryLedger ledger;
  RetryDecision last;
  for (int i = 0; i < 4; ++i) {
    last = judge(ledger, {OwnerKind::Deployment, 3}, {fmt::format("u{}", i), fmt::format("n{}", i), "1"}, kSettings,
                 kNoNodes, kNow);
    ledger = last.ledger;
  }
  EXPECT_EQ(last.retry_verdict, RetryVerdict::Application);
  EXPECT_EQ(ledger.times(), 3U) << "exactly N retries";
  RetryLedger many;
  int retried = 0;
  for (int i = 0; i < 9; ++i) {
    last = judge(many, {OwnerKind::Deployment, 50}, {fmt::format("u{}", i), fmt::format("n{}", i), "1"}, kSettings,
                 kNoNodes, kNow);
    many = last.ledger;
    if (last.retry_verdict == RetryVerdict::Retry) ++retried;
  }
  EXPECT_EQ(retried, 4) << "five nodes are enough, however many retries are left";
}

TEST(RetryDecisions, FailuresOnFaultyNodesAreNotAttributedToTheApplication) {
  RetryLedger ledger;
  RetryDecision last;
  for (int i = 0; i < 4; ++i) {
    last = judge(ledger, {OwnerKind::Deployment, 3}, {fmt::format("u{}", i), fmt::format("n{}", i), "1"}, kSettings,
                 {"n0", "n1"}, kNow);
    ledger = last.ledger;
  }
  EXPECT_EQ(last.retry_verdict, RetryVerdict::Exhausted);
}

TEST(RetryDecisions, APodOfADaemonSetAddsNoVisitedNode) {
  const auto decision = judge({}, {OwnerKind::DaemonSet, 1}, {"u", "n", "n"}, kSettings, kNoNodes, kNow);
  EXPECT_THAT(decision.ledger.nodes(), IsEmpty());
  EXPECT_EQ(decision.sentence(), "attempt 1 of 1");
}

TEST(PruneLedger, OldVisitsAreDroppedAndTheLatestAreKept) {
  RetryLedger ledger;
  Slot& slot = ledger.at("1");
  for (int i = 0; i < 30; ++i) slot.visits.push_back({fmt::format("n{}", i), kNow - hours{30 - i}});
  prune(ledger, {.expiry = hours{10}, .most = 4}, kNow);
  EXPECT_THAT(ledger.nodes(), ElementsAre("n26", "n27", "n28", "n29"));
  prune(ledger, {.expiry = hours{10}, .most = 4}, kNow + hours{10});
  EXPECT_THAT(ledger.slots, IsEmpty());
}

TEST(ResetSlot, AllRetriesAreAvailableAgainAndTheVisitsAreKept) {
  RetryLedger ledger;
  ledger.at("1") = {"1", 3, {{"a", kNow}}, {"u"}};
  EXPECT_TRUE(reset_slot(ledger, "1"));
  EXPECT_EQ(ledger.times(), 0U);
  EXPECT_THAT(ledger.nodes(), ElementsAre("a"));
  EXPECT_FALSE(reset_slot(ledger, "1"));
  EXPECT_FALSE(reset_slot(ledger, "2"));
}

// For any sequence of failures with serialization in between: no slot is retried more than N times, no pod is counted
// twice, and no list exceeds its limit.
RC_GTEST_PROP(RetryDecisionsProperty, NeverRetriesMoreThanAllowed, ()) {
  const auto retries = *rc::gen::inRange<std::uint32_t>(1, 5);
  const auto replicas = *rc::gen::inRange<std::uint32_t>(1, 4);
  const int failures = *rc::gen::inRange(1, 40);
  config::RecoverySettings settings;
  settings.visited.most = 3;
  Annotations annotations;
  std::map<std::string, int> counted;
  int retried = 0;
  for (int i = 0; i < failures; ++i) {
    const std::string uid = fmt::format("u{}", *rc::gen::inRange(0, 20));
    const auto ledger = read_ledger(OwnerKind::Deployment, annotations, retries, kNow);
    RC_ASSERT(ledger.has_value());
    const std::string slot = slot_of(*ledger, {uid, ""}, {{uid, ""}}, replicas);
    const PodFailure failure{uid, fmt::format("n{}", *rc::gen::inRange(0, 3)), slot};
    const auto decision = judge(*ledger, {OwnerKind::Deployment, retries}, failure, settings, kNoNodes, kNow);
    if (decision.retry_verdict == RetryVerdict::Retry) ++retried, ++counted[uid];
    annotations = applied(annotations, write_ledger(OwnerKind::Deployment, decision.ledger));
    for (const Slot& one : decision.ledger.slots) {
      RC_ASSERT(one.times <= retries);
      RC_ASSERT(one.visits.size() <= 3U);
    }
  }
  RC_ASSERT(retried <= static_cast<int>(retries * replicas));
  for (const auto& [uid, times] : counted) RC_ASSERT(times == 1);
}

}  // namespace
}  // namespace rescheduler::rescheduling::recovery
