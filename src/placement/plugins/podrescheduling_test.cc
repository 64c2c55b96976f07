#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kube/proto/core_pod.pb.h"
#include "placement/testing.h"
#include "placement/visited_nodes.h"

namespace rescheduler::placement::testing {
namespace {

using cluster::testing::node;
using cluster::testing::pod;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kRefusal = "node(s) were where the pod failed before";

Profile with_plugin(bool hard = false) {
  Profile profile = standard_profile();
  for (const Point point : {Point::PreFilter, Point::Filter}) {
    profile.plugins[static_cast<std::size_t>(point)].push_back({"Podrescheduling"});
  }
  profile.args["Podrescheduling"] = PodreschedulingArgs{hard};
  return profile;
}

api::Pod visited(const std::string& annotation, const api::Pod& like = pod("p")) {
  api::Pod made = like;
  (*made.mutable_metadata()->mutable_annotations())[std::string(kScheduledHosts)] = annotation;
  return made;
}

Bench three_nodes(bool hard = false) {
  Bench bench(with_plugin(hard));
  bench.add(node("a")).add(node("b")).add(node("c"));
  return bench;
}

TEST(Podrescheduling, RejectsTheNodesWhereThePodFailed) {
  Bench bench = three_nodes();
  const SchedulingResult answer = bench.decide(visited(R"(["a","c"])"));
  EXPECT_THAT(answer.feasible, ElementsAre("b"));
  EXPECT_THAT(answer.verdicts.at("a").reasons, ElementsAre(kRefusal));
  EXPECT_EQ(answer.verdicts.at("a").plugin, "Podrescheduling");
}

TEST(Podrescheduling, RejectsNoNodeForAPodThatNeverFailedOnAnExistingNode) {
  Bench bench = three_nodes();
  EXPECT_THAT(bench.decide(pod("p")).feasible, ElementsAre("a", "b", "c"));
  EXPECT_THAT(bench.decide(visited("null")).feasible, ElementsAre("a", "b", "c"));
  EXPECT_THAT(bench.decide(visited("[]")).feasible, ElementsAre("a", "b", "c"));
  EXPECT_THAT(bench.decide(visited(R"(["long-gone"])")).feasible, ElementsAre("a", "b", "c"));
}

TEST(Podrescheduling, IgnoresAnInvalidAnnotation) {
  for (const char* nonsense : {"", "[", "a", "{}", "[1]", R"(["a",null])", R"("a")"}) {
    Bench bench = three_nodes();
    EXPECT_THAT(bench.decide(visited(nonsense)).feasible, ElementsAre("a", "b", "c")) << nonsense;
  }
}

TEST(Podrescheduling, AllowsTheNodeOfTheOldestFailureIfNoOtherNodeIsFeasible) {
  Bench bench = three_nodes();
  EXPECT_EQ(bench.decide(visited(R"(["b","c","a"])")).node, "b");
  EXPECT_EQ(bench.decide(visited(R"(["b","c","a","b"])")).node, "c") << "the last failure on a node counts";
}

TEST(Podrescheduling, AllowsTheNextNodeIfTheNodeOfTheOldestFailureIsNotFeasible) {
  Bench bench(with_plugin());
  bench.add(node("a").cordoned()).add(node("b")).add(node("c").cordoned());
  EXPECT_EQ(bench.decide(visited(R"(["a","b"])")).node, "b");
}

TEST(Podrescheduling, DoesNotAllowAVisitedNodeThatTheNodeSelectorExcludes) {
  Bench bench = three_nodes();
  api::Pod context = visited(R"(["a","b","c"])");
  (*context.mutable_spec()->mutable_node_selector())["kubernetes.io/hostname"] = "c";
  EXPECT_EQ(bench.decide(context).node, "c");
}

TEST(Podrescheduling, APodThatFailedOnAllNodesIsUnschedulableIfTheRuleIsHard) {
  Bench bench = three_nodes(true);
  const SchedulingResult answer = bench.decide(visited(R"(["a","b","c"])"));
  EXPECT_EQ(answer.outcome, Outcome::Unschedulable);
  EXPECT_THAT(answer.message, HasSubstr("3 node(s) were where the pod failed before"));
  EXPECT_THAT(answer.rejected_by, Contains("Podrescheduling"));
}

TEST(Podrescheduling, ThePodPreemptsOnAVisitedNodeIfNoVisitedNodeIsFeasible) {
  Bench bench(with_plugin());
  bench.add(node("a").cpu("1"));
  bench.add(pod("small").requests("1", "1Mi").on("a").priority(0));
  const SchedulingResult answer = bench.decide(visited(R"(["a"])", pod("p").requests("1", "1Mi").priority(10)));
  EXPECT_EQ(answer.outcome, Outcome::Preempts);
  EXPECT_EQ(answer.node, "a");
}

TEST(VisitedNodes, AnInvalidListIsAnErrorThatNamesTheProblem) {
  EXPECT_THAT(read_visited("[").error().message, HasSubstr("is not valid JSON"));
  EXPECT_THAT(read_visited("{}").error().message, HasSubstr("is not a list of names"));
  EXPECT_THAT(*read_visited("null"), IsEmpty());
}

RC_GTEST_PROP(VisitedNodes, AWrittenListIsReadBackUnchanged, (const std::vector<std::string>& names)) {
  std::vector<std::string> once;
  for (const std::string& name : names) {
    std::string printable;
    for (const char c : name) printable += static_cast<char>('a' + (static_cast<unsigned char>(c) % 26));
    std::erase(once, printable);
    once.push_back(printable);
  }
  const auto read = read_visited(write_visited(once));
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == once);
}

// A visited node is chosen only if all feasible nodes are visited.
RC_GTEST_PROP(PodreschedulingProperty, PrefersNodesWhereThePodNeverFailed, ()) {
  Bench bench(with_plugin());
  const int nodes = *rc::gen::inRange(1, 7);
  std::vector<std::string> failed_on;
  bool any_other = false;
  for (int i = 0; i < nodes; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    const bool feasible = *rc::gen::arbitrary<bool>();
    const bool failed_before = *rc::gen::arbitrary<bool>();
    bench.add(node(name).cordoned(!feasible));
    if (failed_before) failed_on.push_back(name);
    any_other = any_other || (feasible && !failed_before);
  }
  const SchedulingResult answer = bench.decide(visited(write_visited(failed_on)));
  const bool revisits = std::ranges::find(failed_on, answer.node) != failed_on.end();
  RC_ASSERT(!any_other || (answer.outcome == Outcome::Scheduled && !revisits));
}

}  // namespace
}  // namespace rescheduler::placement::testing
