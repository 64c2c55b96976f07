// Preemption frees enough resources, preempts no more pods than necessary, and only pods of lower priority.
#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kube/proto/core_pod.pb.h"
#include "placement/cluster_fuzzer.h"

namespace rescheduler::placement::testing {
namespace {

// Would the pod fit on this node without these pods?
bool fits_without(const ClusterFuzzer& fuzzer,
                  const PodBuilder& context,
                  const std::string& node,
                  const std::vector<std::string>& gone) {
  Bench bench;
  fuzzer.build(bench);
  for (const std::string& name : gone) bench.model().remove_pod("uid-" + name);
  const SchedulingResult answer = bench.decide(context);
  return std::ranges::find(answer.feasible, node) != answer.feasible.end();
}

// Many small pods on few small nodes. No pod is terminating, and no constraint selects all pods: PodTopologySpread,
// like kube-scheduler, does not count such pods, but subtracts them when they are removed.
void fill(ClusterFuzzer& fuzzer) {
  for (int i = 0; i < 2; ++i) {
    const std::string name = "n" + std::to_string(i);
    fuzzer.upsert_node(name, cluster::testing::node(name).cpu("2").memory("4Gi").zone(pick({"a", "b"})));
  }
  for (int i = 0; i < 8; ++i) {
    const std::string name = "p" + std::to_string(i);
    PodBuilder pod = cluster::testing::pod(name).in("red").priority(10 * pick(4)).started(100 + i);
    give_requests(pod);
    if (one_in(2)) pod.label("app", pick({"x", "y"}));
    if (one_in(4)) pod.host_port(80);
    if (one_in(6)) pod.away("topology.kubernetes.io/zone", {.labels = {{{"app", "x"}}}});
    fuzzer.upsert_pod(name, pod.on("n" + std::to_string(pick(2))));
  }
}

RC_GTEST_PROP(PreemptionProperty, TheVictimsAreSufficientAndEachVictimIsNecessary, ()) {
  ClusterFuzzer fuzzer;
  fill(fuzzer);
  PodBuilder context = cluster::testing::pod("asked").in("red").priority(20).label("app", "x");
  context.requests(pick({"500m", "1", "2"}), pick({"100Mi", "2Gi"}));
  if (one_in(3)) context.host_port(80);
  if (one_in(3)) context.away("topology.kubernetes.io/zone", {.labels = {{{"app", pick({"x", "y"})}}}});
  if (one_in(4)) context.spread({.topology_key = "kubernetes.io/hostname", .labels = {{{"app", "x"}}}});
  const SchedulingResult answer = fuzzer.incremental().decide(context);
  RC_TAG(answer.outcome == Outcome::Preempts ? "preempts" : "does not preempt");
  for (const auto& [node, candidate] : answer.candidates) {
    RC_ASSERT(!candidate.victims.empty());
    for (const std::string& victim : candidate.victims) {
      const auto& spec = fuzzer.pods().at(victim).get().spec();
      RC_ASSERT(spec.priority() < 20);
      RC_ASSERT(spec.node_name() == node);
    }
    RC_ASSERT(fits_without(fuzzer, context, node, candidate.victims));
    // No victim could have stayed beside the remaining pods.
    for (const std::string& kept : candidate.victims) {
      auto fewer = candidate.victims;
      std::erase(fewer, kept);
      RC_ASSERT(!fits_without(fuzzer, context, node, fewer));
    }
    RC_ASSERT(answer.candidates.at(answer.node).rank <= candidate.rank);
  }
}

}  // namespace
}  // namespace rescheduler::placement::testing
