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
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr const char* kPlugin = "NodeAffinity";
constexpr Code kNever = Code::UnschedulableAndUnresolvable;

PodBuilder requiring(const std::string& terms) {
  return pod("p").node_affinity(R"({"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[)" + terms
                                + "]}}");
}

std::string expression(const std::string& key, const std::string& op, const std::string& values) {
  return R"({"matchExpressions":[{"key":")" + key + R"(","operator":")" + op + R"(","values":[)" + values + "]}]}";
}

std::string named(const std::string& names) {
  return R"({"matchFields":[{"key":"metadata.name","operator":"In","values":[)" + names + "]}]}";
}

TEST(NodeAffinity, ANodeMustMatchTheNodeSelectorAndOneRequiredTerm) {
  struct Row {
    const char* what;
    PodBuilder context;
    bool fits;
  };
  const Row rows[] = {
      {"selector", pod("p").node_selector("disk", "ssd"), true},
      {"selector with another value", pod("p").node_selector("disk", "hdd"), false},
      {"selector with an absent key", pod("p").node_selector("rack", ""), false},
      {"both pairs", pod("p").node_selector("disk", "ssd").node_selector("cores", "8"), true},
      {"one pair of two", pod("p").node_selector("disk", "ssd").node_selector("cores", "9"), false},
      {"in", requiring(expression("disk", "In", R"("hdd","ssd")")), true},
      {"not in", requiring(expression("disk", "NotIn", R"("ssd")")), false},
      {"not in, absent key", requiring(expression("rack", "NotIn", R"("r1")")), true},
      {"exists", requiring(expression("disk", "Exists", "")), true},
      {"does not exist", requiring(expression("disk", "DoesNotExist", "")), false},
      {"greater", requiring(expression("cores", "Gt", R"("7")")), true},
      {"not greater", requiring(expression("cores", "Gt", R"("8")")), false},
      {"less", requiring(expression("cores", "Lt", R"("9")")), true},
      {"less, the value is not a number", requiring(expression("disk", "Lt", R"("9")")), false},
      {"one of two terms", requiring(expression("disk", "In", R"("hdd")") + "," + expression("cores", "Exists", "")),
       true},
      {"an empty term matches nothing", requiring("{}"), false},
      {"no term matches nothing", requiring(""), false},
      {"an invalid term is ignored",
       requiring(expression("disk", "Sideways", "") + "," + expression("disk", "Exists", "")), true},
      {"selector and affinity", requiring(expression("disk", "Exists", "")).node_selector("disk", "hdd"), false},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    Bench bench;
    bench.add(node("n").label("disk", "ssd").label("cores", "8"));
    const Verdict verdict = bench.ask(kPlugin, row.context, "n");
    EXPECT_EQ(verdict.code, row.fits ? Code::Success : kNever);
    EXPECT_EQ(verdict.reasons, row.fits ? Reasons{} : Reasons{"node(s) didn't match Pod's node affinity/selector"});
  }
}

TEST(NodeAffinity, APodThatNamesNodesInMatchFieldsIsTriedOnlyOnTheseNodes) {
  Bench bench;
  for (const char* name : {"n1", "n2", "n3"}) bench.add(node(name));
  EXPECT_THAT(bench.decide(requiring(named(R"("n2")"))).feasible, ElementsAre("n2"));
  EXPECT_THAT(bench.decide(requiring(named(R"("n1")") + "," + named(R"("n3")"))).feasible, ElementsAre("n1", "n3"));
  // With one term without a name, all nodes are examined.
  EXPECT_THAT(bench.decide(requiring(named(R"("n1")") + "," + expression("disk", "DoesNotExist", ""))).feasible,
              ElementsAre("n1", "n2", "n3"));
}

TEST(NodeAffinity, NodesThatPreFilterExcludesShareOneReason) {
  Bench bench;
  bench.add(node("n1").cordoned()).add(node("n2")).add(node("n3"));
  EXPECT_EQ(bench.decide(requiring(named(R"("n1")"))).message,
            "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]. "
            "no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for "
            "scheduling.");
}

TEST(NodeAffinity, ContradictoryNodeNamesEndTheSearch) {
  Bench bench;
  bench.add(node("n1")).add(node("n2"));
  const SchedulingResult answer = bench.decide(requiring(R"({"matchFields":[
      {"key":"metadata.name","operator":"In","values":["n1"]},
      {"key":"metadata.name","operator":"In","values":["n2"]}]})"));
  EXPECT_EQ(answer.outcome, Outcome::Unschedulable);
  EXPECT_THAT(answer.message, ::testing::StartsWith("0/2 nodes are available: pod affinity terms conflict."));
  EXPECT_THAT(answer.rejected_by, ElementsAre(kPlugin));
}

TEST(NodeAffinity, TheWeightsOfMatchingPreferencesAreAdded) {
  Bench bench;
  bench.add(node("both").label("disk", "ssd").label("cores", "8"));
  bench.add(node("disk").label("disk", "ssd"));
  bench.add(node("none"));
  const auto context = pod("p").node_affinity(R"({"preferredDuringSchedulingIgnoredDuringExecution":[
      {"weight":10,"preference":{"matchExpressions":[{"key":"disk","operator":"Exists"}]}},
      {"weight":30,"preference":{"matchExpressions":[{"key":"cores","operator":"Gt","values":["4"]}]}},
      {"weight":90,"preference":{}},
      {"weight":0,"preference":{"matchExpressions":[{"key":"disk","operator":"DoesNotExist"}]}}]})");
  EXPECT_THAT(bench.raw(kPlugin, context), ElementsAre(Pair("both", 40), Pair("disk", 10), Pair("none", 0)));
  EXPECT_THAT(bench.scores(kPlugin, context), ElementsAre(Pair("both", 100), Pair("disk", 25), Pair("none", 0)));
  EXPECT_THAT(bench.raw(kPlugin, pod("p")), IsEmpty());
}

TEST(NodeAffinity, TheAddedAffinityOfTheProfileAppliesToEveryPod) {
  auto affinity = std::make_shared<api::NodeAffinity>();
  ASSERT_TRUE(kube::from_json(R"({"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
      {"matchExpressions":[{"key":"pool","operator":"In","values":["mine"]}]}]},
      "preferredDuringSchedulingIgnoredDuringExecution":[
      {"weight":7,"preference":{"matchExpressions":[{"key":"disk","operator":"Exists"}]}}]})",
                              *affinity));
  NodeAffinityArgs args;
  args.added_affinity = affinity;
  Profile profile = standard_profile();
  profile.args[kPlugin] = args;
  Bench bench(profile);
  bench.add(node("other"))
      .add(node("mine").label("pool", "mine"))
      .add(node("mine too").label("pool", "mine").label("disk", "ssd"));
  EXPECT_EQ(bench.ask(kPlugin, pod("p"), "other"),
            (Verdict{kNever, {"node(s) didn't match scheduler-enforced node affinity"}, kPlugin}));
  EXPECT_THAT(bench.raw(kPlugin, pod("p")), ElementsAre(Pair("mine", 0), Pair("mine too", 7)));
}

TEST(NodeAffinity, WakesAPodWhenANodeStartsToMatch) {
  Bench bench;
  auto& model = bench.model();
  const auto waiting = pod("p").node_selector("disk", "ssd");
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.upsert_node(node("n"))), QueueingHint::Skip);
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.upsert_node(node("n").label("disk", "hdd"))), QueueingHint::Skip);
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.upsert_node(node("n").label("disk", "ssd"))), QueueingHint::Queue);
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.upsert_node(node("n").label("disk", "ssd").zone("a"))),
            QueueingHint::Skip);
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.upsert_node(node("m").label("disk", "ssd"))), QueueingHint::Queue);
}

}  // namespace
}  // namespace rescheduler::placement::testing
