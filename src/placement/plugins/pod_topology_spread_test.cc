#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/codec/json.h"
#include "kube/proto/core_pod.pb.h"
#include "placement/testing.h"

namespace rescheduler::placement::testing {
namespace {

using cluster::testing::node;
using cluster::testing::pod;
using cluster::testing::PodBuilder;
using cluster::testing::Spread;
using cluster::testing::Texts;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr const char* kPlugin = "PodTopologySpread";
constexpr const char* kHost = "kubernetes.io/hostname";
const Texts kWeb = {{"app", "web"}};
const Verdict kTooMany{Code::Unschedulable, {"node(s) didn't match pod topology spread constraints"}, kPlugin};
const Verdict kNoLabel{Code::UnschedulableAndUnresolvable,
                       {"node(s) didn't match pod topology spread constraints (missing required label)"},
                       kPlugin};
const Verdict kFits{Code::Success, {}, kPlugin};

PodBuilder web(const std::string& name) { return pod(name).label("app", "web"); }
PodBuilder spreading(const Spread& how) { return web("p").spread(how); }

// Zone a: a1 and a2; zone b: b1; and a node without a zone.
void two_zones(Bench& bench) {
  bench.add(node("a1").zone("a")).add(node("a2").zone("a")).add(node("b1").zone("b")).add(node("lost"));
}

TEST(HardSpread, TheZoneWithMorePodsIsRejected) {
  Bench bench;
  two_zones(bench);
  bench.add(web("1").on("a1"));
  EXPECT_EQ(bench.ask(kPlugin, spreading({.labels = kWeb}), "a1"), kTooMany);
  EXPECT_EQ(bench.ask(kPlugin, spreading({.labels = kWeb}), "a2"), kTooMany);
  EXPECT_EQ(bench.ask(kPlugin, spreading({.labels = kWeb}), "b1"), kFits);
  EXPECT_EQ(bench.ask(kPlugin, spreading({.labels = kWeb}), "lost"), kNoLabel);
  EXPECT_EQ(bench.ask(kPlugin, spreading({.max_skew = 2, .labels = kWeb}), "a1"), kFits);
}

TEST(HardSpread, APodThatItsOwnSelectorDoesNotMatchAddsNothingToTheSkew) {
  Bench bench;
  two_zones(bench);
  bench.add(web("1").on("a1"));
  EXPECT_EQ(bench.ask(kPlugin, pod("p").spread({.labels = kWeb}), "a1"), kFits);
  bench.add(web("2").on("a1"));
  EXPECT_EQ(bench.ask(kPlugin, pod("p").spread({.labels = kWeb}), "a1"), kTooMany);
}

TEST(HardSpread, OnlyMatchingPodsOfTheNamespaceThatDoNotTerminateAreCounted) {
  struct Row {
    const char* what;
    PodBuilder there;
    Spread how;
    Verdict verdict;
  };
  const Row rows[] = {
      {"a matching pod", web("1"), {.labels = kWeb}, kTooMany},
      {"a pod of another namespace", web("1").in("other"), {.labels = kWeb}, kFits},
      {"a terminating pod", web("1").terminating(), {.labels = kWeb}, kFits},
      {"no selector: no pod", web("1"), {}, kFits},
      {"an empty selector: no pod", web("1"), {.labels = Texts{}}, kFits},
      {"a pod of another revision", web("1").label("rev", "1"), {.labels = kWeb, .match_label_keys = {"rev"}}, kFits},
      {"a pod of the same revision",
       web("1").label("rev", "2"),
       {.labels = kWeb, .match_label_keys = {"rev"}},
       kTooMany},
      {"by a key that the incoming pod lacks",
       web("1").label("x", "1"),
       {.labels = kWeb, .match_label_keys = {"x"}},
       kTooMany},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    Bench bench;
    two_zones(bench);
    bench.add(PodBuilder(row.there).on("a1"));
    EXPECT_EQ(bench.ask(kPlugin, web("p").label("rev", "2").spread(row.how), "a2"), row.verdict);
  }
}

TEST(HardSpread, TheTaintsAndAffinityPoliciesDecideWhichNodesAreCounted) {
  Bench bench;
  two_zones(bench);
  bench.add(node("c1").zone("c").taint("team", "", "NoSchedule"));
  bench.add(web("1").on("a1")).add(web("2").on("b1"));
  // Zone c has no such pod, so the others have too many, unless the pod cannot run in zone c.
  EXPECT_EQ(bench.ask(kPlugin, spreading({.labels = kWeb}), "a1"), kTooMany);
  EXPECT_EQ(bench.ask(kPlugin, spreading({.labels = kWeb, .taints_policy = "Honor"}), "a1"), kFits);
  EXPECT_EQ(bench.ask(kPlugin, spreading({.labels = kWeb, .taints_policy = "Honor"}).toleration("team"), "a1"),
            kTooMany);
  bench.add(node("c1").zone("c"));
  bench.add(node("a1").zone("a").label("disk", "ssd")).add(node("b1").zone("b").label("disk", "ssd"));
  EXPECT_EQ(bench.ask(kPlugin, spreading({.labels = kWeb}).node_selector("disk", "ssd"), "a1"), kFits);
  EXPECT_EQ(
      bench.ask(kPlugin, spreading({.labels = kWeb, .affinity_policy = "Ignore"}).node_selector("disk", "ssd"), "a1"),
      kTooMany);
}

TEST(HardSpread, ANodeThatLacksTheTopologyKeyOfAnotherConstraintIsNotCounted) {
  Bench bench;
  bench.add(node("a1").zone("a")).add(node("b1").zone("b").without_label(kHost));
  bench.add(web("1").on("a1"));
  const auto context = web("p").spread({.labels = kWeb}).spread({.max_skew = 9, .topology_key = kHost, .labels = kWeb});
  EXPECT_EQ(bench.ask(kPlugin, context, "a1"), kFits);  // the only zone that counts
  EXPECT_EQ(bench.ask(kPlugin, context, "b1"), kNoLabel);
}

TEST(HardSpread, NominatedPodsOfHigherPriorityAreCounted) {
  Bench bench;
  two_zones(bench);
  bench.add(web("1").priority(0).on("a1")).add(web("2").priority(0).on("a2"));
  const auto nominated = web("nominated1").priority(10);
  EXPECT_THAT(bench.decide(spreading({.max_skew = 2, .labels = kWeb}).priority(5)).feasible, ElementsAre("b1"));
  bench.nominate(nominated, "b1");
  EXPECT_THAT(bench.decide(spreading({.labels = kWeb}).priority(5)).feasible, ElementsAre("b1"));
  bench.nominate(web("nominated2").priority(10), "b1").nominate(web("nominated3").priority(10), "b1");
  // Three pods are nominated to b. With them b has more pods.
  EXPECT_THAT(bench.decide(spreading({.labels = kWeb}).priority(5)).feasible, IsEmpty());
  EXPECT_THAT(bench.decide(spreading({.labels = kWeb}).priority(11)).feasible, ElementsAre("b1"));
}

TEST(SoftSpread, NodesWithoutAllTopologyKeysScoreZero) {
  Bench bench;
  two_zones(bench);
  bench.add(web("1").on("a1"));
  const auto context = spreading({.hard = false, .labels = kWeb});
  EXPECT_THAT(bench.scores(kPlugin, context),
              ElementsAre(Pair("a1", 0), Pair("a2", 0), Pair("b1", 100), Pair("lost", 0)));
}

TEST(SoftSpread, TheHostnameKeyCountsThePodsOfEachNode) {
  Bench bench;
  two_zones(bench);
  for (const char* name : {"1", "2"}) bench.add(web(name).on("a1"));
  bench.add(web("3").on("b1"));
  const auto context = spreading({.topology_key = kHost, .hard = false, .labels = kWeb});
  // ln(4 + 2) = 1.79 each.
  EXPECT_THAT(bench.raw(kPlugin, context), ElementsAre(Pair("a1", 4), Pair("a2", 0), Pair("b1", 2), Pair("lost", 0)));
  EXPECT_THAT(bench.scores(kPlugin, context),
              ElementsAre(Pair("a1", 0), Pair("a2", 100), Pair("b1", 50), Pair("lost", 100)));
}

TEST(SoftSpread, ThePodsOfAServiceAreSpreadByDefaultConstraints) {
  Bench bench;
  two_zones(bench);
  bench.add(web("1").on("a1"));
  EXPECT_THAT(bench.raw(kPlugin, web("p")), IsEmpty());
  cluster::WireLabels selector;
  selector["app"] = "web";
  bench.model().owners().upsert_service("default", "web", selector);
  // Host: ln 6 + 2. Zone: ln 5 + 4 (the node without a zone counts as one more). A missing key adds nothing.
  EXPECT_THAT(bench.raw(kPlugin, web("p")), ElementsAre(Pair("a1", 9), Pair("a2", 8), Pair("b1", 6), Pair("lost", 2)));
  EXPECT_THAT(bench.raw(kPlugin, pod("p").label("app", "other")), IsEmpty());
  // A pod with constraints of its own, even hard ones, gets no defaults.
  EXPECT_THAT(bench.raw(kPlugin, spreading({.max_skew = 5, .labels = kWeb})), IsEmpty());
}

Profile defaulting_to(const std::string& json) {
  auto constraint = std::make_shared<api::TopologySpreadConstraint>();
  EXPECT_TRUE(kube::from_json(json, *constraint));
  PodTopologySpreadArgs args;
  args.defaulting = SpreadDefaulting::List;
  args.default_constraints = {constraint};
  Profile profile = standard_profile();
  profile.args[kPlugin] = args;
  return profile;
}

TEST(DefaultSpread, AListInTheProfileReplacesTheSystemDefaults) {
  Bench bench(defaulting_to(
      R"({"maxSkew":1,"topologyKey":"topology.kubernetes.io/zone","whenUnsatisfiable":"DoNotSchedule"})"));
  two_zones(bench);
  bench.add(web("1").on("a1"));
  cluster::WireLabels selector;
  selector["app"] = "web";
  bench.model().owners().upsert_service("default", "web", selector);
  EXPECT_THAT(bench.decide(web("p")).feasible, ElementsAre("b1"));
  EXPECT_EQ(bench.ask(kPlugin, web("p"), "lost"), kNoLabel);
  EXPECT_THAT(bench.decide(pod("p")).feasible, ElementsAre("a1", "a2", "b1", "lost"));
}

TEST(DefaultSpread, ATopologyKeyThatNoNodeHasRejectsANode) {
  Bench bench(defaulting_to(R"({"maxSkew":1,"topologyKey":"example.com/rack","whenUnsatisfiable":"DoNotSchedule"})"));
  two_zones(bench);
  cluster::WireLabels selector;
  selector["app"] = "web";
  bench.model().owners().upsert_service("default", "web", selector);
  EXPECT_EQ(bench.ask(kPlugin, web("p"), "a1"), kNoLabel);
}

TEST(SpreadHints, ChangesThatCanReduceTheSkewWakeAPod) {
  Bench bench;
  two_zones(bench);
  auto& model = bench.model();
  const auto waiting = spreading({.labels = kWeb});
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.upsert_pod(web("1").on("a1"))), QueueingHint::Queue);
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.upsert_pod(pod("2").on("a1"))), QueueingHint::Skip);
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.upsert_pod(web("3").in("other").on("a1"))), QueueingHint::Skip);
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.upsert_pod(web("2").on("a1"))), QueueingHint::Queue);
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.upsert_pod(pod("2").label("app", "x").on("a1"))), QueueingHint::Queue);
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.remove_pod("uid-2")), QueueingHint::Skip);
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.remove_pod("uid-1")), QueueingHint::Queue);
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.upsert_node(node("c1"))), QueueingHint::Skip);
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.upsert_node(node("c1").zone("c"))), QueueingHint::Queue);
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.upsert_node(node("c1").zone("c").cpu("8"))), QueueingHint::Skip);
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.remove_node("c1")), QueueingHint::Queue);
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.remove_node("lost")), QueueingHint::Skip);
}

}  // namespace
}  // namespace rescheduler::placement::testing
