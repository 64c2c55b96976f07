// What the model and the framework remember must never change an answer; nor may a pod that could be placed sleep on.
#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kube/proto/core_pod.pb.h"
#include "placement/random_world.h"

namespace rescheduler::placement::testing {
namespace {

// Pods that are asked about again and again: what is remembered for them gets old.
std::vector<PodBuilder> probes() {
  std::vector<PodBuilder> all;
  for (int i = 0; i < 3; ++i) all.push_back(random_pod("probe" + std::to_string(i)));
  if (one_in(3)) all[0].promised("n" + std::to_string(pick(5)));
  if (one_in(3)) all[1].priority(100);
  all.push_back(PodBuilder(all[2]).uid("uid-twin"));
  return all;
}

std::string joined(const std::vector<std::string>& story) {
  std::string text;
  for (const std::string& line : story) text += line + "; ";
  return text;
}

void expect_same_answers(World& world, const std::vector<PodBuilder>& asked, const std::vector<std::string>& story) {
  Bench fresh;
  world.build(fresh);
  world.repeat_promises(fresh);
  world.repeat_promises(world.lived());
  for (const PodBuilder& probe : asked) {
    Answer lived = world.lived().decide(probe);
    Answer first = fresh.decide(probe);
    // Pods that have not started yet are equals: which of them goes is nobody's business.
    if (world.assumed() > 1) lived.room = first.room = {};
    const std::string differs = difference(lived, first);
    if (!differs.empty()) RC_FAIL(differs + " after: " + joined(story));
    if (lived.outcome == Outcome::MakesRoom && world.assumed() < 2) {
      RC_ASSERT(lived.room.at(lived.node).rank == first.room.at(first.node).rank);
    }
  }
}

RC_GTEST_PROP(Decide, AModelThatLivedThroughEverythingAnswersAsOneThatSawOnlyTheEnd, ()) {
  World world;
  const auto asked = probes();
  std::vector<std::string> story;
  const int steps = 5 + pick(25);
  for (int i = 0; i < steps; ++i) {
    story.push_back(world.random_step().text);
    // Sometimes many steps lie between two questions, and sometimes the answer is used in a hurry, without reasons.
    if (one_in(3)) world.repeat_promises(world.lived());
    if (one_in(3)) world.lived().decide(asked[static_cast<std::size_t>(pick(4))], {.explain = false});
    if (one_in(4)) expect_same_answers(world, asked, story);
  }
  expect_same_answers(world, asked, story);
}

// --- A chosen node is one that can take the pod, by a check that knows nothing of plugins. ---

struct Sum {
  std::int64_t cpu = 0;
  std::int64_t memory = 0;
  std::int64_t gpus = 0;
  std::int64_t pods = 0;
};

void add(Sum& sum, const cluster::PodForm& form, cluster::Symbol gpu) {
  sum.cpu += form.needs->requests.plain.cpu;
  sum.memory += form.needs->requests.plain.memory;
  sum.gpus += form.needs->requests.plain.other(gpu);
  sum.pods += 1;
}

RC_GTEST_PROP(Decide, AFeasibleNodeHasRoomForAllThatIsAskedForAndForThePodsItHas, ()) {
  World world;
  const int steps = 5 + pick(20);
  for (int i = 0; i < steps; ++i) world.random_step();
  const PodBuilder asked = random_pod("asked");
  Bench& bench = world.lived();
  bench.forget_promises();
  const Answer answer = bench.decide(asked);
  if (answer.outcome == Outcome::Scheduled) RC_ASSERT(std::ranges::find(answer.best, answer.node) != answer.best.end());
  cluster::Cluster& model = bench.model();
  const auto form = model.form_of(asked);
  const cluster::Symbol gpu = model.words().symbols.of("example.com/gpu");
  for (const std::string& name : answer.feasible) {
    const cluster::NodeState& node = model.node(model.find_node(name).value());
    Sum sum;
    add(sum, *form, gpu);
    for (const cluster::PlacedPod& pod : model.pods()) {
      if (!pod.uid.empty() && pod.node == node.index) add(sum, *pod.form, gpu);
    }
    RC_ASSERT(sum.pods <= node.node->allowed_pods);
    RC_ASSERT(form->needs->requests.plain.cpu == 0 || sum.cpu <= node.node->allocatable.cpu);
    RC_ASSERT(form->needs->requests.plain.memory == 0 || sum.memory <= node.node->allocatable.memory);
    RC_ASSERT(form->needs->requests.plain.other(gpu) == 0 || sum.gpus <= node.node->allocatable.other(gpu));
  }
  RC_ASSERT(answer.feasible.size() + answer.verdicts.size() == model.node_count()
            || answer.outcome != Outcome::Scheduled);
}

// --- Hints: whatever lets a refused pod in must wake it. ---

// Steps that the API server lets happen to a pod that has a node.
World::Step honest_step(World& world) {
  const std::string node = "n" + std::to_string(pick(2));  // so few that they are often full
  const std::string pod = "p" + std::to_string(pick(10));
  switch (pick(10)) {
    case 0:
    case 1: return world.upsert_node(node, random_node(node));
    case 2: {
      // The pods of a node that goes are deleted too, one by one; only then does kube-scheduler look again.
      const bool empty = std::ranges::none_of(
          world.pods(), [&](const auto& entry) { return entry.second.get().spec().node_name() == node; });
      return empty ? world.remove_node(node) : World::Step{};
    }
    case 3:
    case 4: return world.remove_pod(pod);
    case 5: {
      const auto known = world.pods().find(pod);
      if (known == world.pods().end()) return {};
      return world.upsert_pod(pod, PodBuilder(known->second).label("app", pick({"x", "y"})));
    }
    case 6: {
      const auto known = world.pods().find(pod);
      if (known == world.pods().end()) return {};
      return world.upsert_pod(pod, PodBuilder(known->second).request("cpu", pick({"100m", "500m", "2"})));
    }
    default: return world.pods().contains(pod) ? World::Step{} : world.upsert_pod(pod, random_pod(pod).on(node));
  }
}

RC_GTEST_PROP(Hints, WhateverLetsARefusedPodInWakesIt, ()) {
  World world;
  const PodBuilder asked = random_pod("asked").priority(0);
  for (int i = 0; i < 12; ++i) honest_step(world);
  Answer before = world.lived().decide(asked);
  const int steps = 10 + pick(20);
  for (int i = 0; i < steps; ++i) {
    const World::Step step = honest_step(world);
    const Answer after = world.lived().decide(asked);
    const bool let_in = before.outcome == Outcome::Unschedulable && after.outcome == Outcome::Scheduled;
    if (let_in && !before.rejected_by.empty()) {
      const bool woken = std::ranges::any_of(before.rejected_by, [&](const std::string& plugin) {
        return world.lived().hint(plugin, asked, step.told) == Hint::Queue;
      });
      if (!woken) RC_FAIL(step.text + " lets it in, but does not wake it: " + before.message);
    }
    before = after;
  }
}

}  // namespace
}  // namespace rescheduler::placement::testing
