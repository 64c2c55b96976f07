// The caches of the model and of the framework never change a result. An event that makes a pod schedulable wakes the
// pod.
#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kube/proto/core_pod.pb.h"
#include "placement/cluster_fuzzer.h"

namespace rescheduler::placement::testing {
namespace {

// These pods are scheduled repeatedly, so that their cached results become outdated.
std::vector<PodBuilder> probes() {
  std::vector<PodBuilder> all;
  for (int i = 0; i < 3; ++i) all.push_back(random_pod("probe" + std::to_string(i)));
  if (one_in(3)) all[0].nominated("n" + std::to_string(pick(5)));
  if (one_in(3)) all[1].priority(100);
  all.push_back(PodBuilder(all[2]).uid("uid-twin"));
  return all;
}

std::string joined(const std::vector<std::string>& trace) {
  std::string text;
  for (const std::string& line : trace) text += line + "; ";
  return text;
}

void expect_equal_results(ClusterFuzzer& fuzzer,
                          const std::vector<PodBuilder>& context,
                          const std::vector<std::string>& trace) {
  Bench fresh;
  fuzzer.build(fresh);
  fuzzer.repeat_nominations(fresh);
  fuzzer.repeat_nominations(fuzzer.incremental());
  for (const PodBuilder& probe : context) {
    SchedulingResult incremental = fuzzer.incremental().decide(probe);
    SchedulingResult first = fresh.decide(probe);
    // Pods that have not started have equal importance: the choice between them may differ.
    if (fuzzer.assumed() > 1) incremental.candidates = first.candidates = {};
    const std::string differs = difference(incremental, first);
    if (!differs.empty()) RC_FAIL(differs + " after: " + joined(trace));
    if (incremental.outcome == Outcome::Preempts && fuzzer.assumed() < 2) {
      RC_ASSERT(incremental.candidates.at(incremental.node).rank == first.candidates.at(first.node).rank);
    }
  }
}

RC_GTEST_PROP(Decide, AModelUpdatedStepByStepGivesTheResultsOfANewModelOfTheSameState, ()) {
  ClusterFuzzer fuzzer;
  const auto context = probes();
  std::vector<std::string> trace;
  const int steps = 5 + pick(25);
  for (int i = 0; i < steps; ++i) {
    trace.push_back(fuzzer.random_step().text);
    // Sometimes many steps lie between two decisions. Sometimes a decision runs without explanations.
    if (one_in(3)) fuzzer.repeat_nominations(fuzzer.incremental());
    if (one_in(3)) fuzzer.incremental().decide(context[static_cast<std::size_t>(pick(4))], {.explain = false});
    if (one_in(4)) expect_equal_results(fuzzer, context, trace);
  }
  expect_equal_results(fuzzer, context, trace);
}

// --- A chosen node can take the pod, by a check that does not use plugins. ---

struct Sum {
  std::int64_t cpu = 0;
  std::int64_t memory = 0;
  std::int64_t gpus = 0;
  std::int64_t pods = 0;
};

void add(Sum& sum, const cluster::CompiledPodSpec& compiled_spec, cluster::Symbol gpu) {
  sum.cpu += compiled_spec.requirements->requests.plain.cpu;
  sum.memory += compiled_spec.requirements->requests.plain.memory;
  sum.gpus += compiled_spec.requirements->requests.plain.other(gpu);
  sum.pods += 1;
}

RC_GTEST_PROP(Decide, AFeasibleNodeHasEnoughResourcesForThePodAndTheExistingPods, ()) {
  ClusterFuzzer fuzzer;
  const int steps = 5 + pick(20);
  for (int i = 0; i < steps; ++i) fuzzer.random_step();
  const PodBuilder context = random_pod("asked");
  Bench& bench = fuzzer.incremental();
  bench.forget_nominations();
  const SchedulingResult answer = bench.decide(context);
  if (answer.outcome == Outcome::Scheduled) RC_ASSERT(std::ranges::find(answer.best, answer.node) != answer.best.end());
  cluster::Cluster& model = bench.model();
  const auto compiled_spec = model.compiled_spec_of(context);
  const cluster::Symbol gpu = model.interner().symbols.intern("example.com/gpu");
  for (const std::string& name : answer.feasible) {
    const cluster::NodeInfo& node = model.node(model.find_node(name).value());
    Sum sum;
    add(sum, *compiled_spec, gpu);
    for (const cluster::AssignedPod& pod : model.pods()) {
      if (!pod.uid.empty() && pod.node == node.index) add(sum, *pod.compiled_spec, gpu);
    }
    RC_ASSERT(sum.pods <= node.node->allowed_pods);
    RC_ASSERT(compiled_spec->requirements->requests.plain.cpu == 0 || sum.cpu <= node.node->allocatable.cpu);
    RC_ASSERT(compiled_spec->requirements->requests.plain.memory == 0 || sum.memory <= node.node->allocatable.memory);
    RC_ASSERT(compiled_spec->requirements->requests.plain.other(gpu) == 0
              || sum.gpus <= node.node->allocatable.other(gpu));
  }
  RC_ASSERT(answer.feasible.size() + answer.verdicts.size() == model.node_count()
            || answer.outcome != Outcome::Scheduled);
}

// --- Hints: every change that makes a rejected pod schedulable must wake the pod. ---

// Steps that the API server allows for an assigned pod.
ClusterFuzzer::Step allowed_step(ClusterFuzzer& fuzzer) {
  const std::string node = "n" + std::to_string(pick(2));  // few nodes, so that they are often full
  const std::string pod = "p" + std::to_string(pick(10));
  switch (pick(10)) {
    case 0:
    case 1: return fuzzer.upsert_node(node, random_node(node));
    case 2: {
      // The pods of a removed node are deleted too, one by one. Only then does kube-scheduler retry.
      const bool empty = std::ranges::none_of(
          fuzzer.pods(), [&](const auto& entry) { return entry.second.get().spec().node_name() == node; });
      return empty ? fuzzer.remove_node(node) : ClusterFuzzer::Step{};
    }
    case 3:
    case 4: return fuzzer.remove_pod(pod);
    case 5: {
      const auto known = fuzzer.pods().find(pod);
      if (known == fuzzer.pods().end()) return {};
      return fuzzer.upsert_pod(pod, PodBuilder(known->second).label("app", pick({"x", "y"})));
    }
    case 6: {
      const auto known = fuzzer.pods().find(pod);
      if (known == fuzzer.pods().end()) return {};
      return fuzzer.upsert_pod(pod, PodBuilder(known->second).request("cpu", pick({"100m", "500m", "2"})));
    }
    default:
      return fuzzer.pods().contains(pod) ? ClusterFuzzer::Step{} : fuzzer.upsert_pod(pod, random_pod(pod).on(node));
  }
}

RC_GTEST_PROP(QueueingHints, EveryChangeThatMakesARejectedPodSchedulableWakesThePod, ()) {
  ClusterFuzzer fuzzer;
  const PodBuilder context = random_pod("asked").priority(0);
  for (int i = 0; i < 12; ++i) allowed_step(fuzzer);
  SchedulingResult before = fuzzer.incremental().decide(context);
  const int steps = 10 + pick(20);
  for (int i = 0; i < steps; ++i) {
    const ClusterFuzzer::Step step = allowed_step(fuzzer);
    const SchedulingResult after = fuzzer.incremental().decide(context);
    const bool became_schedulable = before.outcome == Outcome::Unschedulable && after.outcome == Outcome::Scheduled;
    if (became_schedulable && !before.rejected_by.empty()) {
      const bool woken = std::ranges::any_of(before.rejected_by, [&](const std::string& plugin) {
        return fuzzer.incremental().hint(plugin, context, step.event) == QueueingHint::Queue;
      });
      if (!woken) RC_FAIL(step.text + " makes the pod schedulable, but no hint wakes it: " + before.message);
    }
    before = after;
  }
}

}  // namespace
}  // namespace rescheduler::placement::testing
