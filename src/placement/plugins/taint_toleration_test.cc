#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placement/testing.h"

namespace rescheduler::placement::testing {
namespace {

using cluster::testing::node;
using cluster::testing::NodeBuilder;
using cluster::testing::pod;
using cluster::testing::PodBuilder;
using ::testing::ElementsAre;
using ::testing::Pair;

constexpr const char* kPlugin = "TaintToleration";

TEST(TaintToleration, NoScheduleAndNoExecuteTaintsMustBeTolerated) {
  struct Row {
    const char* what;
    NodeBuilder where;
    PodBuilder context;
    bool fits;
  };
  const NodeBuilder tainted = node("n").taint("team", "a", "NoSchedule");
  const Row rows[] = {
      {"no taint", node("n"), pod("p"), true},
      {"not tolerated", tainted, pod("p"), false},
      {"equal", tainted, pod("p").toleration("team", "Equal", "a"), true},
      {"no operator means equal", tainted, pod("p").toleration("team", "", "a"), true},
      {"another value", tainted, pod("p").toleration("team", "Equal", "b"), false},
      {"exists", tainted, pod("p").toleration("team"), true},
      {"another key", tainted, pod("p").toleration("group"), false},
      {"every key", tainted, pod("p").toleration(""), true},
      {"every key, but this value", tainted, pod("p").toleration("", "Equal", "a"), true},
      {"every key, another value", tainted, pod("p").toleration("", "Equal", "b"), false},
      {"this effect", tainted, pod("p").toleration("team", "Exists", "", "NoSchedule"), true},
      {"another effect", tainted, pod("p").toleration("team", "Exists", "", "NoExecute"), false},
      {"an unknown operator", tainted, pod("p").toleration("team", "Lt", "b"), false},
      {"NoExecute forbids too", node("n").taint("team", "a", "NoExecute"), pod("p"), false},
      {"PreferNoSchedule does not", node("n").taint("team", "a", "PreferNoSchedule"), pod("p"), true},
      {"one of two", NodeBuilder(tainted).taint("disk", "", "NoExecute"), pod("p").toleration("team"), false},
      {"both", NodeBuilder(tainted).taint("disk", "", "NoExecute"), pod("p").toleration("team").toleration("disk"),
       true},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    Bench bench;
    bench.add(row.where);
    const Verdict verdict = bench.ask(kPlugin, row.context, "n");
    EXPECT_EQ(verdict.code, row.fits ? Code::Success : Code::UnschedulableAndUnresolvable);
    EXPECT_EQ(verdict.reasons, row.fits ? Reasons{} : Reasons{"node(s) had untolerated taint(s)"});
  }
}

TEST(TaintToleration, UntoleratedPreferNoScheduleTaintsLowerTheScore) {
  Bench bench;
  bench.add(node("none"));
  bench.add(node("one").taint("a", "", "PreferNoSchedule"));
  bench.add(node("three")
                .taint("a", "", "PreferNoSchedule")
                .taint("b", "", "PreferNoSchedule")
                .taint("c", "", "PreferNoSchedule"));
  EXPECT_THAT(bench.raw(kPlugin, pod("p")), ElementsAre(Pair("none", 0), Pair("one", 1), Pair("three", 3)));
  EXPECT_THAT(bench.scores(kPlugin, pod("p")), ElementsAre(Pair("none", 100), Pair("one", 67), Pair("three", 0)));
  // A toleration of another effect does not tolerate these.
  const auto hardened = pod("p").toleration("a", "Exists", "", "NoSchedule").toleration("b");
  EXPECT_THAT(bench.raw(kPlugin, hardened), ElementsAre(Pair("none", 0), Pair("one", 1), Pair("three", 2)));
}

TEST(TaintToleration, WakesAPodWhenTheLastUntoleratedTaintIsRemoved) {
  Bench bench;
  auto& model = bench.model();
  EXPECT_EQ(bench.hint(kPlugin, pod("p"), model.upsert_node(node("n").taint("a", "", "NoSchedule"))),
            QueueingHint::Skip);
  EXPECT_EQ(bench.hint(kPlugin, pod("p"), model.upsert_node(node("n").taint("b", "", "NoSchedule"))),
            QueueingHint::Skip);
  EXPECT_EQ(bench.hint(kPlugin, pod("p"), model.upsert_node(node("n"))), QueueingHint::Queue);
  // The pod could run there before, so the event does not help.
  EXPECT_EQ(bench.hint(kPlugin, pod("p"), model.upsert_node(node("n").taint("a", "", "PreferNoSchedule"))),
            QueueingHint::Skip);
  EXPECT_EQ(bench.hint(kPlugin, pod("p"), model.upsert_node(node("m"))), QueueingHint::Queue);
}

}  // namespace
}  // namespace rescheduler::placement::testing
