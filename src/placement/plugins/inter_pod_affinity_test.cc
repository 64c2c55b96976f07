#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placement/testing.h"

namespace rescheduler::placement::testing {
namespace {

using cluster::testing::name_space;
using cluster::testing::node;
using cluster::testing::Others;
using cluster::testing::pod;
using cluster::testing::PodBuilder;
using cluster::testing::Texts;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr const char* kPlugin = "InterPodAffinity";
constexpr const char* kZone = "topology.kubernetes.io/zone";
constexpr const char* kHost = "kubernetes.io/hostname";
const Others kX{.labels = {{{"app", "x"}}}};
const Others kY{.labels = {{{"app", "y"}}}};
const Verdict kFits{Code::Success, {}, kPlugin};
const Verdict kSkipped{Code::Skip, {}, kPlugin};
const Verdict kFar{Code::UnschedulableAndUnresolvable, {"node(s) didn't match pod affinity rules"}, kPlugin};
const Verdict kTooNear{Code::Unschedulable, {"node(s) didn't match pod anti-affinity rules"}, kPlugin};
const Verdict kExistingAntiAffinity{Code::Unschedulable,
                                    {"node(s) didn't satisfy existing pods anti-affinity rules"},
                                    kPlugin};

// Zone a: a1 and a2; zone b: b1; and a node without a zone.
Bench two_zones() {
  Bench bench;
  bench.add(node("a1").zone("a")).add(node("a2").zone("a")).add(node("b1").zone("b")).add(node("lost"));
  return bench;
}
PodBuilder x(const std::string& name) { return pod(name).label("app", "x"); }

TEST(PodAffinity, OnlyDomainsWithAMatchingPodAreAccepted) {
  Bench bench = two_zones();
  bench.add(x("1").on("a1"));
  const auto context = pod("p").near(kZone, kX);
  EXPECT_EQ(bench.ask(kPlugin, context, "a1"), kFits);
  EXPECT_EQ(bench.ask(kPlugin, context, "a2"), kFits);
  EXPECT_EQ(bench.ask(kPlugin, context, "b1"), kFar);
  EXPECT_EQ(bench.ask(kPlugin, context, "lost"), kFar);
  EXPECT_EQ(bench.ask(kPlugin, pod("p").near(kHost, kX), "a2"), kFar);
}

TEST(PodAffinity, OnePodMustSatisfyAllTerms) {
  Bench bench = two_zones();
  bench.add(x("1").on("a1")).add(pod("2").label("tier", "front").on("a1"));
  const auto context = pod("p").near(kZone, kX).near(kZone, {.labels = {{{"tier", "front"}}}});
  EXPECT_EQ(bench.ask(kPlugin, context, "a1"), kFar);
  bench.add(x("3").label("tier", "front").on("b1"));
  EXPECT_EQ(bench.ask(kPlugin, context, "a1"), kFar);
  EXPECT_EQ(bench.ask(kPlugin, context, "b1"), kFits);
}

TEST(PodAffinity, TheFirstPodOfAGroupFitsOnEveryNodeWithTheTopologyKey) {
  Bench bench = two_zones();
  EXPECT_EQ(bench.ask(kPlugin, x("p").near(kZone, kX), "a1"), kFits);
  EXPECT_EQ(bench.ask(kPlugin, x("p").near(kZone, kX), "lost"), kFar);
  EXPECT_EQ(bench.ask(kPlugin, pod("p").near(kZone, kX), "a1"), kFar);  // not in the group
  bench.add(x("1").on("b1"));
  EXPECT_EQ(bench.ask(kPlugin, x("p").near(kZone, kX), "a1"), kFar);  // not the first pod
}

TEST(PodAffinity, AMatchingPodOnANodeWithoutTheTopologyKeyIsNotCounted) {
  Bench bench = two_zones();
  bench.add(x("1").on("lost"));
  EXPECT_EQ(bench.ask(kPlugin, x("p").near(kZone, kX), "a1"), kFits);  // still the first pod that counts
  EXPECT_EQ(bench.ask(kPlugin, pod("p").near(kZone, kX), "a1"), kFar);
}

TEST(PodAntiAffinity, DomainsWithAMatchingPodAreRejected) {
  Bench bench = two_zones();
  bench.add(x("1").on("a1"));
  const auto context = pod("p").away(kZone, kX);
  EXPECT_EQ(bench.ask(kPlugin, context, "a2"), kTooNear);
  EXPECT_EQ(bench.ask(kPlugin, context, "b1"), kFits);
  EXPECT_EQ(bench.ask(kPlugin, context, "lost"), kFits);
  EXPECT_EQ(bench.ask(kPlugin, pod("p").away(kHost, kX), "a2"), kFits);
}

TEST(PodAntiAffinity, TheAntiAffinityOfExistingPodsRejectsTheIncomingPod) {
  Bench bench = two_zones();
  bench.add(pod("1").away(kZone, kX).on("a1"));
  EXPECT_EQ(bench.ask(kPlugin, x("p"), "a2"), kExistingAntiAffinity);
  EXPECT_EQ(bench.ask(kPlugin, x("p"), "b1"), kFits);
  EXPECT_EQ(bench.ask(kPlugin, pod("p").label("app", "y"), "a2"), kSkipped);
  bench.model().remove_pod("uid-1");
  EXPECT_EQ(bench.ask(kPlugin, x("p"), "a2"), kSkipped);
}

TEST(PodAntiAffinity, AffinityIsReportedBeforeAntiAffinityAndOwnTermsBeforeTermsOfExistingPods) {
  Bench bench = two_zones();
  bench.add(x("1").on("a1")).add(pod("2").away(kZone, kY).on("a1"));
  const auto context = pod("p").label("app", "y").away(kZone, kX);
  EXPECT_EQ(bench.ask(kPlugin, context, "a1"), kTooNear);
  EXPECT_EQ(bench.ask(kPlugin, PodBuilder(context).near(kZone, {.labels = {{{"app", "z"}}}}), "a1"), kFar);
}

TEST(AffinityNamespaces, ATermSelectsNamespacesByListBySelectorOrTheOwnNamespace) {
  struct Row {
    const char* what;
    Others others;
    bool meets_default;
    bool meets_red;
    bool meets_blue;
  };
  const Texts app = {{"app", "x"}};
  const Row rows[] = {
      {"the own namespace", {.labels = app}, true, false, false},
      {"by list of names", {.labels = app, .namespaces = {"red"}}, false, true, false},
      {"all namespaces", {.labels = app, .namespace_labels = Texts{}}, true, true, true},
      {"by label", {.labels = app, .namespace_labels = Texts{{"team", "b"}}}, false, false, true},
      {"by list or label",
       {.labels = app, .namespaces = {"red"}, .namespace_labels = Texts{{"team", "b"}}},
       false,
       true,
       true},
      {"without a selector: no pod", {.namespace_labels = Texts{}}, false, false, false},
      {"with an empty selector: every pod", {.labels = Texts{}}, true, false, false},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    for (const auto& [ns, meets] :
         {std::pair{"default", row.meets_default}, {"red", row.meets_red}, {"blue", row.meets_blue}}) {
      Bench bench = two_zones();
      bench.add(name_space("red", {{"team", "r"}})).add(name_space("blue", {{"team", "b"}}));
      bench.add(x("there").in(ns).on("a1"));
      EXPECT_EQ(bench.ask(kPlugin, pod("p").away(kZone, row.others), "a1"), meets ? kTooNear : kFits) << ns;
    }
  }
}

TEST(AffinityNamespaces, ChangedNamespaceLabelsChangeTheSelectedPods) {
  Bench bench = two_zones();
  const auto context = pod("p").away(kZone, {.labels = {{{"app", "x"}}}, .namespace_labels = Texts{{"team", "b"}}});
  bench.add(x("1").in("blue").on("a1"));
  bench.add(pod("2").in("blue").away(kHost, {.labels = Texts{}, .namespace_labels = Texts{{"team", "d"}}}).on("b1"));
  EXPECT_EQ(bench.ask(kPlugin, context, "a1"), kFits);
  EXPECT_EQ(bench.ask(kPlugin, context, "b1"), kFits);
  bench.add(name_space("blue", {{"team", "b"}}));
  EXPECT_EQ(bench.ask(kPlugin, context, "a1"), kTooNear);
  bench.add(name_space("default", {{"team", "d"}}));
  EXPECT_EQ(bench.ask(kPlugin, context, "b1"), kExistingAntiAffinity);
  bench.model().remove_namespace("blue");
  EXPECT_EQ(bench.ask(kPlugin, context, "a1"), kFits);
}

TEST(PodAffinity, TerminatingPodsStillCount) {
  Bench bench = two_zones();
  bench.add(x("1").on("a1").terminating());
  EXPECT_EQ(bench.ask(kPlugin, pod("p").near(kZone, kX), "a2"), kFits);
  EXPECT_EQ(bench.ask(kPlugin, pod("p").away(kZone, kX), "a2"), kTooNear);
}

TEST(AffinityScores, TheTermsOfTheIncomingPodAndOfExistingPodsAreAdded) {
  struct Row {
    const char* what;
    PodBuilder there;
    PodBuilder context;
    std::int64_t on_a;  // the score of a1 and a2 with the pod on a1
  };
  const Row rows[] = {
      {"own affinity", x("1"), pod("p").likes(7, kZone, kX), 7},
      {"own anti-affinity", x("1"), pod("p").dislikes(7, kZone, kX), -7},
      {"affinity of the existing pod", pod("1").likes(3, kZone, kX), x("p"), 3},
      {"anti-affinity of the existing pod", pod("1").dislikes(3, kZone, kX), x("p"), -3},
      {"required affinity of the existing pod", pod("1").near(kZone, kX), x("p"), 1},
      {"affinity of both pods", x("1").likes(3, kZone, kX), x("p").likes(7, kZone, kX), 10},
      {"two own terms", x("1"), pod("p").likes(7, kZone, kX).likes(2, kZone, kX), 9},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    Bench bench = two_zones();
    bench.add(PodBuilder(row.there).on("a1"));
    EXPECT_THAT(bench.raw(kPlugin, row.context),
                ElementsAre(Pair("a1", row.on_a), Pair("a2", row.on_a), Pair("b1", 0), Pair("lost", 0)));
  }
}

TEST(AffinityScores, ThereAreNoScoresIfNoTermMatches) {
  Bench bench = two_zones();
  bench.add(x("1").on("lost"));
  EXPECT_THAT(bench.raw(kPlugin, pod("p").likes(7, kZone, kX)), IsEmpty());
  EXPECT_THAT(bench.raw(kPlugin, pod("p")), IsEmpty());
}

TEST(AffinityScores, TheProfileCanIgnorePreferredTermsOfExistingPods) {
  InterPodAffinityArgs args;
  args.ignore_preferred_terms_of_existing_pods = true;
  Profile profile = standard_profile();
  profile.args[kPlugin] = args;
  Bench bench(profile);
  bench.add(node("a1")).add(pod("1").likes(3, kHost, kX).on("a1"));
  EXPECT_THAT(bench.raw(kPlugin, x("p")), IsEmpty());
}

TEST(AffinityScores, TheProfileSetsTheWeightOfRequiredTermsOfExistingPods) {
  for (const auto& [weight, expected] : {std::pair{5, 5}, {0, -1}}) {
    InterPodAffinityArgs args;
    args.hard_pod_affinity_weight = weight;
    Profile profile = standard_profile();
    profile.args[kPlugin] = args;
    Bench bench(profile);
    bench.add(node("a1")).add(x("1").near(kHost, kX).on("a1"));
    const auto scores = bench.raw(kPlugin, x("p"));
    EXPECT_EQ(scores.empty() ? -1 : scores.at("a1"), expected);
  }
}

TEST(AffinityHints, OnlyChangesThatAffectTheTermsWakeAPod) {
  Bench bench = two_zones();
  auto& model = bench.model();
  const auto waiting = pod("p").label("app", "y").near(kZone, kX);
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.upsert_pod(pod("1").label("app", "z").on("a1"))), QueueingHint::Skip);
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.upsert_pod(x("1").on("a1"))), QueueingHint::Queue);
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.upsert_pod(x("2").in("other").on("a1"))), QueueingHint::Skip);
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.remove_pod("uid-2")), QueueingHint::Skip);
  // A pod with anti-affinity is removed, or the waiting pod's anti-affinity no longer selects a pod.
  model.upsert_pod(pod("3").away(kZone, kY).on("a1"));
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.remove_pod("uid-3")), QueueingHint::Queue);
  const auto with_anti_affinity = pod("p").away(kZone, kX);
  EXPECT_EQ(bench.hint(kPlugin, with_anti_affinity, model.upsert_pod(pod("1").label("app", "z").on("a1"))),
            QueueingHint::Queue);
  EXPECT_EQ(bench.hint(kPlugin, with_anti_affinity, model.upsert_node(node("c1"))), QueueingHint::Queue);
  EXPECT_EQ(bench.hint(kPlugin, with_anti_affinity, model.upsert_node(node("c1").zone("c"))), QueueingHint::Queue);
  EXPECT_EQ(bench.hint(kPlugin, with_anti_affinity, model.upsert_node(node("c1").zone("c").cpu("9"))),
            QueueingHint::Skip);
}

TEST(PodAffinity, AnInvalidSelectorMakesThePodUnschedulableWithTheReason) {
  Bench bench = two_zones();
  const auto context =
      pod("p").merge(R"({"spec":{"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
      [{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchExpressions":[{"key":"a","operator":"Sideways"}]}}]}}}})");
  const Verdict verdict = bench.ask(kPlugin, context, "a1");
  EXPECT_EQ(verdict.code, Code::UnschedulableAndUnresolvable);
  ASSERT_EQ(verdict.reasons.size(), 1U);
  EXPECT_THAT(verdict.reasons[0], ::testing::StartsWith("parsing pod: pod affinity: "));
}

}  // namespace
}  // namespace rescheduler::placement::testing
