// Numbers computed by hand from kube-scheduler's formulas.
#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placement/testing.h"

namespace rescheduler::placement::testing {
namespace {

using cluster::testing::node;
using cluster::testing::pod;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr const char* kFit = "NodeResourcesFit";
constexpr const char* kBalanced = "NodeResourcesBalancedAllocation";
constexpr const char* kHost = "kubernetes.io/hostname";
constexpr std::int64_t kMebibyte = 1 << 20;

TEST(Golden, LeastAllocatedAndBalancedScoresFollowTheRequestsOnTheNode) {
  struct Row {
    const char* cpu;
    const char* memory;
    std::int64_t fit;
    std::int64_t balanced;
  };
  const Row rows[] = {
      {"0", "0", 97, 74}, {"3600m", "2000Mi", 49, 74}, {"2000m", "16Gi", 47, 74}, {"0", "16Gi", 72, 75}};
  for (const Row& row : rows) {
    SCOPED_TRACE(std::string(row.cpu) + " and " + row.memory);
    Bench bench;
    bench.add(node("n")).add(pod("there").requests(row.cpu, row.memory).on("n"));
    const auto context = pod("p").requests("100m", "500Mi");
    EXPECT_THAT(bench.raw(kFit, context), ElementsAre(Pair("n", row.fit)));
    EXPECT_THAT(bench.raw(kBalanced, context), ElementsAre(Pair("n", row.balanced)));
  }
}

TEST(Golden, TheBalancedScoreIsHigherWhereThePodBalancesCpuAndMemory) {
  Bench bench;
  bench.add(node("empty")).add(node("memory used"));
  bench.add(pod("there").requests("0", "16Gi").on("memory used"));
  EXPECT_THAT(bench.raw(kBalanced, pod("p").request("cpu", "2000m")),
              ElementsAre(Pair("empty", 62), Pair("memory used", 87)));
}

TEST(Golden, BalancedAllocationDoesNotScoreAPodWithoutRequests) {
  Bench bench;
  bench.add(node("n"));
  EXPECT_THAT(bench.raw(kBalanced, pod("p")), IsEmpty());
}

TEST(Golden, APlainPodOnAnEmptyNodeHasATotalScoreOf471) {
  Bench bench;
  bench.add(node("n1")).add(node("n2"));
  const SchedulingResult answer = bench.decide(pod("p").requests("100m", "500Mi"));
  EXPECT_THAT(answer.totals, ElementsAre(Pair("n1", 471), Pair("n2", 471)));
  EXPECT_THAT(answer.best, ElementsAre("n1", "n2"));
  for (const char* skipped : {"NodeAffinity", "PodTopologySpread", "InterPodAffinity"}) {
    EXPECT_FALSE(answer.raw.contains(skipped)) << skipped;
  }
}

TEST(Golden, AnImageCountsByTheShareOfNodesThatHaveTheImage) {
  Bench bench;
  bench.add(node("with").image("web:latest", 300 * kMebibyte)).add(node("without"));
  EXPECT_THAT(bench.raw("ImageLocality", pod("p").image("web")), ElementsAre(Pair("with", 12), Pair("without", 0)));
  EXPECT_THAT(bench.raw("ImageLocality", pod("p").image("web").image("other")),
              ElementsAre(Pair("with", 6), Pair("without", 0)));
}

TEST(Golden, AHugeImageOnAllNodesGivesTheMaximumScore) {
  Bench bench;
  for (const char* name : {"n1", "n2"}) bench.add(node(name).image("big:1", 4000 * kMebibyte));
  EXPECT_THAT(bench.raw("ImageLocality", pod("p").image("big:1")), ElementsAre(Pair("n1", 100), Pair("n2", 100)));
}

TEST(Golden, SoftSpreadScoresTheZoneWithTheFewestPodsHighest) {
  Bench bench;
  for (const char* zone : {"a", "b", "c"}) bench.add(node(zone).zone(zone));
  for (const char* name : {"1", "2", "3"}) bench.add(pod(name).label("app", "web").on("a"));
  bench.add(pod("4").label("app", "web").on("b"));
  const auto context = [](int skew) {
    return pod("p").label("app", "web").spread({.max_skew = skew, .hard = false, .labels = {{{"app", "web"}}}});
  };
  EXPECT_THAT(bench.raw("PodTopologySpread", context(1)), ElementsAre(Pair("a", 5), Pair("b", 2), Pair("c", 0)));
  EXPECT_THAT(bench.scores("PodTopologySpread", context(1)), ElementsAre(Pair("a", 0), Pair("b", 60), Pair("c", 100)));
  EXPECT_THAT(bench.raw("PodTopologySpread", context(5)), ElementsAre(Pair("a", 9), Pair("b", 6), Pair("c", 4)));
  EXPECT_THAT(bench.scores("PodTopologySpread", context(5)), ElementsAre(Pair("a", 44), Pair("b", 77), Pair("c", 100)));
}

TEST(Golden, HardSpreadAllowsOnlyTheZoneWithFewerPodsAndRespectsMinDomains) {
  Bench bench;
  for (const char* zone : {"a", "b"}) bench.add(node(zone).zone(zone));
  for (const char* name : {"1", "2", "3"}) bench.add(pod(name).label("app", "web").on("a"));
  bench.add(pod("4").label("app", "web").on("b"));
  const auto context = [](int domains) {
    return pod("p").label("app", "web").spread({.labels = {{{"app", "web"}}}, .min_domains = domains});
  };
  EXPECT_THAT(bench.decide(context(0)).feasible, ElementsAre("b"));
  EXPECT_THAT(bench.decide(context(2)).feasible, ElementsAre("b"));
  EXPECT_THAT(bench.decide(context(3)).feasible, IsEmpty());
}

TEST(Golden, InterPodAffinityScoresAreScaledFromTheMinimumToTheMaximum) {
  Bench bench;
  for (const char* name : {"bad", "good", "plain"}) bench.add(node(name));
  bench.add(pod("friend").label("app", "x").on("good")).add(pod("foe").label("app", "y").on("bad"));
  const auto context =
      pod("p").likes(10, kHost, {.labels = {{{"app", "x"}}}}).dislikes(5, kHost, {.labels = {{{"app", "y"}}}});
  EXPECT_THAT(bench.raw("InterPodAffinity", context), ElementsAre(Pair("bad", -5), Pair("good", 10), Pair("plain", 0)));
  EXPECT_THAT(bench.scores("InterPodAffinity", context),
              ElementsAre(Pair("bad", 0), Pair("good", 100), Pair("plain", 33)));
}

TEST(Golden, ScoresAreNormalizedByTheLargestScore) {
  std::array<std::int64_t, 3> scores = {0, 1, 3};
  normalize_by_max(scores, false);
  EXPECT_THAT(scores, ElementsAre(0, 33, 100));
  scores = {0, 1, 3};
  normalize_by_max(scores, true);
  EXPECT_THAT(scores, ElementsAre(100, 67, 0));
  scores = {0, 0, 0};
  normalize_by_max(scores, false);
  EXPECT_THAT(scores, ElementsAre(0, 0, 0));
  normalize_by_max(scores, true);
  EXPECT_THAT(scores, ElementsAre(100, 100, 100));
}

TEST(Golden, AHostPortOnAllAddressesConflictsWithTheSamePortOnAnyAddress) {
  struct Row {
    const char* used_ip;
    const char* ip;
    const char* protocol;
    bool fits;
  };
  const Row rows[] = {{"", "127.0.0.1", "TCP", false},          {"0.0.0.0", "127.0.0.1", "TCP", false},
                      {"127.0.0.1", "0.0.0.0", "TCP", false},   {"127.0.0.1", "", "", false},
                      {"127.0.0.1", "127.0.0.1", "TCP", false}, {"127.0.0.1", "10.0.0.1", "TCP", true},
                      {"127.0.0.1", "0.0.0.0", "UDP", true},    {"::", "0.0.0.0", "TCP", false},
                      {"::", "127.0.0.1", "TCP", true}};
  for (const Row& row : rows) {
    SCOPED_TRACE(std::string(row.used_ip) + " against " + row.ip + "/" + row.protocol);
    Bench bench;
    bench.add(node("n")).add(pod("there").host_port(80, "TCP", row.used_ip).on("n"));
    const Verdict verdict = bench.ask("NodePorts", pod("p").host_port(80, row.protocol, row.ip), "n");
    EXPECT_EQ(verdict.code, row.fits ? Code::Success : Code::Unschedulable);
    if (row.fits) continue;
    EXPECT_THAT(verdict.reasons, ElementsAre("node(s) didn't have free ports for the requested pod ports"));
  }
}

}  // namespace
}  // namespace rescheduler::placement::testing
