// Properties that hold for any load, arguments and pod.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "placement/plugins/rescheduler_testing.h"

namespace rescheduler::placement::testing {
namespace {

using cluster::kCpuLoad;
using cluster::kMemoryLoad;
using cluster::LoadBasis;
using cluster::NodeLoad;
using cluster::testing::node;
using cluster::testing::pod;

double any_number(double least, double most) {
  return least + (most - least) * *rc::gen::inRange(0, 10'001) / 10'000.0;
}

double any_load() {
  switch (*rc::gen::inRange(0, 8)) {
    case 0: return cluster::kUnknownLoad;
    case 1: return *rc::gen::elementOf(std::vector<double>{-1, 0, 1, 1e300, -1e300, 5e-324});
    case 2: return std::numeric_limits<double>::infinity();
    default: return any_number(-0.2, 1.5);
  }
}

// Any values that the configuration allows.
ReschedulerArgs any_args() {
  ReschedulerArgs args;
  args.cpu_score_weight = any_number(0, 1);
  args.memory_score_weight = any_number(0.001, 1);
  args.load_balance_bonus = any_number(0, 100);
  args.cpu_threshold = args.memory_threshold = 100;
  const int further = *rc::gen::inRange(0, 3);
  for (int i = 0; i < further; ++i) {
    args.load_resources.push_back(
        {.name = "r" + std::to_string(i), .query = "q", .weight = any_number(0, 1), .threshold = 100});
  }
  return args;
}

NodeLoad any_node_load() {
  NodeLoad load;
  for (double& used : load.used) used = any_load();
  for (double& reserved : load.reserved) reserved = *rc::gen::arbitrary<bool>() ? 0 : any_number(0, 2);
  load.round_robin_count = *rc::gen::arbitrary<std::uint32_t>();
  return load;
}

cluster::testing::PodBuilder any_pod() {
  auto context = pod("p");
  if (*rc::gen::arbitrary<bool>()) return context;
  return context.requests(std::to_string(*rc::gen::inRange(0, 5000)) + "m",
                          std::to_string(*rc::gen::inRange(0, 40'000)) + "Mi");
}

LoadBasis any_basis() {
  return *rc::gen::elementOf(std::vector<LoadBasis>{LoadBasis::Usage, LoadBasis::Requests, LoadBasis::RoundRobin});
}

// Fewer resources than the plugin scores, more, or the same number.
std::vector<std::string> any_further() {
  return *rc::gen::elementOf(
      std::vector<std::vector<std::string>>{{}, {"r0"}, {"r1", "r0"}, {"other", "r0", "r1", "x"}});
}

RC_GTEST_PROP(ReschedulerScore, IsBetweenZeroAndTheMaximumForAnyLoad, ()) {
  LoadBench bench(any_args());
  const int nodes = *rc::gen::inRange(1, 5);
  for (int i = 0; i < nodes; ++i) {
    auto made = node("n" + std::to_string(i));
    if (*rc::gen::inRange(0, 4) == 0) made.without_resource("cpu").memory("0");
    bench.add(made).add(pod("there" + std::to_string(i)).requests("3", "1Gi").on("n" + std::to_string(i)));
    bench.loaded("n" + std::to_string(i), any_node_load());
  }
  bench.update_summary(any_basis(), any_further());
  const SchedulingResult answer = bench.decide(any_pod());
  RC_ASSERT(answer.outcome != Outcome::Failed);
  const auto scores = answer.normalized.find("Rescheduler");
  if (scores == answer.normalized.end()) return;
  for (const auto& [name, score] : scores->second) RC_ASSERT((score >= 0 && score <= kMaxScore));
}

RC_GTEST_PROP(ReschedulerScore, NeverIncreasesWithTheLoadOfTheNode, ()) {
  LoadBench bench(any_args());
  const NodeLoad other = any_node_load();
  bench.loaded("other", other);
  NodeLoad load;
  for (double& used : load.used) used = any_number(0, 1);
  bench.loaded("n", load);
  bench.update_summary(LoadBasis::Usage, any_further());
  const auto context = any_pod();
  const auto before = bench.raw("Rescheduler", context);
  RC_PRE(before.contains("n"));
  const auto resource = *rc::gen::inRange<std::size_t>(0, cluster::kMostLoads);
  (*rc::gen::arbitrary<bool>() ? load.used : load.reserved)[resource] += any_number(0, 1);
  bench.loaded("n", load);  // the LoadSummary stays the same
  const auto after = bench.raw("Rescheduler", context);
  if (after.contains("n")) RC_ASSERT(after.at("n") <= before.at("n"));  // otherwise the node is rejected
}

RC_GTEST_PROP(ReschedulerScore, ANodeWithUnknownLoadNeverScoresHigherThanAnIdleNode, ()) {
  LoadBench bench(any_args());
  NodeLoad idle;
  idle.used = cluster::loads_of(0);
  bench.loaded("idle", idle);
  NodeLoad busy;
  for (double& used : busy.used) used = any_number(0.3, 1);
  bench.loaded("busy", busy);
  NodeLoad unknown;
  for (double& used : unknown.used) used = *rc::gen::inRange(0, 3) == 0 ? any_number(0, 1) : cluster::kUnknownLoad;
  unknown.used[*rc::gen::inRange<std::size_t>(0, 2)] = cluster::kUnknownLoad;
  bench.loaded("unknown", unknown);
  const auto requested = std::to_string(*rc::gen::inRange(0, 4000)) + "m";
  bench.add(pod("there").requests(requested, "1Mi").on("unknown"));
  bench.update_summary(LoadBasis::Usage, any_further());
  const auto scores = bench.raw("Rescheduler", any_pod());
  RC_PRE(scores.contains("unknown"));
  RC_ASSERT(scores.at("unknown") <= scores.at("idle"));
}

// With one idle node, one busy node and one unknown node, the unknown one ranks between the others.
RC_GTEST_PROP(ReschedulerScore, ANodeWithUnknownLoadRanksBetweenAnIdleNodeAndABusyNode, ()) {
  LoadBench bench;
  bench.uses("idle", 0, 0)
      .uses("busy", any_number(0.3, 0.8), any_number(0.3, 0.8))
      .loaded("unknown", {})
      .update_summary();
  const auto scores = bench.raw("Rescheduler", pod("p").requests("100m", "100Mi"));
  RC_ASSERT(scores.at("unknown") < scores.at("idle"));
  RC_ASSERT(scores.at("unknown") > scores.at("busy"));
}

}  // namespace
}  // namespace rescheduler::placement::testing
