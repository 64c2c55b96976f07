// Properties that must hold on thousands of small random clusters with many conflicting constraints. The checks do not
// know how plans are made. They use only the model, the filters and the objects.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kube/proto/core_pod.pb.h"
#include "placement/cluster_fuzzer.h"
#include "placement/decide.h"
#include "placement/node_match.h"
#include "placement/registry.h"
#include "rescheduling/planning/plan_testing.h"
#include "rescheduling/planning/pod_inventory.h"

namespace rescheduler::rescheduling::testing {
namespace {

using placement::testing::one_in;
using placement::testing::pick;

constexpr const char* kOptOutLabel = "scheduler.alpha.kubernetes.io/rescheduling";
const std::vector<Strategy> kAll = {Strategy::NodeMaintenance, Strategy::ConstraintRepair, Strategy::LoadBalancing,
                                    Strategy::ResourceOptimization};

// What the test itself decided about a pod.
struct Known {
  PodBuilder pod{"x"};
  bool is_protected = false;
};

struct RandomCluster {
  PlanBench bench;
  std::map<std::string, Known> pods;   // by uid
  std::map<std::string, int> allowed;  // by app: disruptions that its budget allows
  std::set<std::string> draining;
  std::vector<std::string> nodes;
};

// Pods of one owner have one template: the name of the owner determines their affinity and spread.
PodBuilder relate(PodBuilder pod, int kind) {
  const char* host = "kubernetes.io/hostname";
  const char* zone = "topology.kubernetes.io/zone";
  const cluster::testing::Texts x{{"app", "x"}};
  switch (kind) {
    case 0: return pod.away(host, {.labels = x});
    case 1: return pod.away(zone, {.labels = {{{"app", "y"}}}});
    case 2: return pod.near(zone, {.labels = x});
    case 3: return pod.spread({.max_skew = 1, .topology_key = host, .labels = x});
    case 4: return pod.spread({.max_skew = 2, .topology_key = zone, .labels = x});
    case 5: return pod.node_selector("disk", "ssd");
    case 6: return pod.toleration("team");
    case 7: return pod.host_port(8080);
    default: return pod;
  }
}

Known random_pod(int number, const std::string& node) {
  Known known;
  const std::string app = pick({"x", "y", "z"});
  const int kind = pick(12);
  PodBuilder pod = running(fmt::format("p{}", number), fmt::format("{}-{}", app, kind)).label("app", app);
  pod.requests(fmt::format("{}m", 50 + 50 * pick(12)), fmt::format("{}Mi", 64 + 64 * pick(20))).on(node);
  pod = relate(pod, kind);
  switch (pick(14)) {
    case 0:
      pod.label(kOptOutLabel, pick({"disabled", "nonsense"}));
      known.is_protected = true;
      break;
    case 1:
      pod.priority(2'000'000'000);
      known.is_protected = true;
      break;
    case 2:
      // Another owner with the same name: uids are unique.
      pod = changed(pod.in("kube-system"), [](api::Pod& object) {
        auto& owner = *object.mutable_metadata()->mutable_owner_references(0);
        owner.set_uid(owner.uid() + "-system");
      });
      known.is_protected = true;
      break;
    case 3:
      pod.terminating();
      known.is_protected = true;
      break;
    case 4:
      pod.merge(R"({"spec": {"volumes": [{"name": "v", "emptyDir": {}}]}})");
      known.is_protected = true;
      break;
    case 5:
      pod = changed(pod, [](api::Pod& object) { object.mutable_metadata()->clear_owner_references(); });
      known.is_protected = true;
      break;
    case 6:
      pod.merge(R"({"metadata": {"annotations": {"kubernetes.io/config.mirror": "x"}}})");
      known.is_protected = true;
      break;
    default: break;
  }
  known.pod = pod;
  return known;
}

void random_cluster(RandomCluster& into) {
  const int nodes = 2 + pick(4);
  for (int i = 0; i < nodes; ++i) {
    const std::string name = fmt::format("n{}", i);
    into.nodes.push_back(name);
    auto node = cluster::testing::node(name).cpu(pick({"2", "4"})).memory(pick({"4Gi", "8Gi"})).zone(pick({"a", "b"}));
    node.condition("Ready", one_in(12) ? "False" : "True");
    if (one_in(2)) node.label("disk", "ssd");
    if (one_in(8)) node.taint("team", "a", "NoSchedule");
    if (one_in(10)) node.cordoned();
    if (one_in(6)) into.draining.insert(name);
    if (into.draining.contains(name)) node.label("scheduler.alpha.kubernetes.io/maintenance", "true");
    into.bench.add(node);
    const double cpu = one_in(10) ? cluster::kUnknownLoad : 0.05 + 0.1 * pick(10);
    into.bench.uses(name, cpu, one_in(12) ? cluster::kUnknownLoad : 0.05 + 0.09 * pick(10));
  }
  const int count = pick(16);
  for (int i = 0; i < count; ++i) {
    const Known known = random_pod(i, into.nodes[static_cast<std::size_t>(pick(nodes))]);
    into.bench.add(known.pod);
    into.pods.insert_or_assign(known.pod.get().metadata().uid(), known);
  }
  for (const std::string app : {"x", "y"}) {
    if (!one_in(3)) continue;
    into.allowed[app] = pick(3);
    into.bench.add(budget("pdb-" + app, cluster::testing::Texts{{"app", app}}, into.allowed[app]));
  }
  into.bench.args.rescheduling.protections.least_replicas = static_cast<std::uint32_t>(1 + pick(2));
  into.bench.args.rescheduling.brakes.at_once.per_workload = static_cast<std::uint32_t>(1 + pick(2));
  into.bench.args.rescheduling.brakes.at_once.per_node = static_cast<std::uint32_t>(pick(3));
  into.bench.args.rescheduling.resource_optimization.stranded_trigger = 5;
  into.bench.args.rescheduling.resource_optimization.free_nodes = one_in(4);
  into.bench.request.draining = into.draining;
  if (one_in(5)) into.bench.by_requests();
}

// Whether the filters of the whole profile accept the pod on the node while all other pods stay.
bool fits(PlanBench& bench, const api::Pod& pod, const std::string& node) {
  api::Pod waiting = pod;
  waiting.mutable_spec()->clear_node_name();
  auto& cluster = bench.snapshot.cluster();
  const auto compiled_spec = cluster.compiled_spec_of(waiting);
  const auto context = placement::make_pod_context(cluster, waiting, *compiled_spec);
  bench.request.framework->prepare(cluster, context);
  const placement::NominatedPods no_nominated_pods;
  placement::Cycle cycle(*bench.request.framework, context, no_nominated_pods);
  return cycle.fits(*cluster.find_node(node));
}

bool overflows(const Snapshot& snapshot, const std::string& name) {
  const auto& node = snapshot.cluster().node(*snapshot.cluster().find_node(name));
  return node.node->allocatable.falls_short_of(node.requested)
         || static_cast<std::int64_t>(node.pod_count()) > node.node->allowed_pods;
}

void check_steps(RandomCluster& cluster, const Plan& plan) {
  std::map<std::uint32_t, std::map<std::string, int>> away;      // by step and app
  std::map<std::uint32_t, std::map<std::string, int>> lineages;  // by step and owner
  std::uint32_t last = 0;
  for (const PlannedMove& move : plan.moves) {
    RC_ASSERT(move.step >= last);
    last = move.step;
    const Known& known = cluster.pods.at(move.uid);
    RC_ASSERT(!known.is_protected);
    RC_ASSERT(!cluster.draining.contains(move.target));
    const std::string& app = known.pod.get().metadata().labels().at("app");
    const int now = ++away[move.step][app];
    if (cluster.allowed.contains(app)) RC_ASSERT(now <= cluster.allowed[app]);
    const auto most = cluster.bench.args.rescheduling.brakes.at_once.per_workload;
    RC_ASSERT(++lineages[move.step][move.lineage.name] <= static_cast<int>(most));
  }
}

// --- The properties ---

std::string plan_text(const Plan& plan) {
  std::string text;
  for (const PlannedMove& move : plan.moves) {
    text += fmt::format("{}. {} {} -> {} ({}: {})\n", move.step, move.pod, move.source, move.target,
                        to_string(move.strategy), move.reason);
  }
  for (const std::string& note : plan.notes) text += fmt::format("0. {}\n", note);
  for (const UnmovedPod& one : plan.refused)
    text += fmt::format("0. {} stays: {}, {}\n", one.pod, one.code, one.reason);
  return text;
}

RC_GTEST_PROP(PlanProperty, NoStepOfAPlanBreaksAConstraint, ()) {
  RandomCluster cluster;
  random_cluster(cluster);
  const std::string before = text_of(cluster.bench.snapshot);
  const Plan plan = cluster.bench.plan(kAll);
  RC_ASSERT(text_of(cluster.bench.snapshot) == before);
  check_steps(cluster, plan);
  // Moves of one step can run in any order: none depends on another.
  const int way = one_in(2) ? -1 : 1;
  std::vector<std::pair<std::uint32_t, int>> order;
  for (std::size_t i = 0; i < plan.moves.size(); ++i) order.emplace_back(plan.moves[i].step, way * static_cast<int>(i));
  std::ranges::sort(order);
  for (const auto& [step, place] : order) {
    const PlannedMove& move = plan.moves[static_cast<std::size_t>(way * place)];
    auto& snapshot = cluster.bench.snapshot;
    const auto index = snapshot.cluster().find_pod(move.uid);
    RC_ASSERT(index.has_value());
    RC_ASSERT(snapshot.cluster().node(snapshot.cluster().pod(*index).node).node->name == move.source);
    const api::Pod pod = cluster.pods.at(move.uid).pod;
    const PodInventory inventory(snapshot);
    const cluster::Amounts carried = inventory.usage_of(*index);
    // Without the old pod, because the scheduler places the replacement after the eviction.
    PlannedMove there = move;
    snapshot.remove(pod);
    if (!fits(cluster.bench, pod, move.target))
      RC_FAIL(fmt::format("{} does not fit on {}\n{}", move.pod, move.target, plan_text(plan) + text_of(snapshot)));
    snapshot.upsert(changed(pod, [&](api::Pod& object) { object.mutable_spec()->set_node_name(move.source); }).get());
    cluster.bench.pod_uses(move.uid, carried[0] / 1000, carried[1]);
    const bool was_over = overflows(snapshot, move.target);
    cluster.bench.carry_out(there);
    RC_ASSERT(was_over || !overflows(snapshot, move.target));
    cluster.pods.at(move.uid).pod =
        changed(pod, [&](api::Pod& object) { object.mutable_spec()->set_node_name(move.target); });
    const auto& target = snapshot.cluster().node(*snapshot.cluster().find_node(move.target));
    if (snapshot.cluster().load_summary().basis == cluster::LoadBasis::Usage) {
      for (const std::size_t r : {cluster::kCpuLoad, cluster::kMemoryLoad}) {
        if (target.load.knows(r)) RC_ASSERT(target.load.predicted(r) <= 0.8 + 1e-3);
      }
    }
  }
}

// A move with code "no-order" is tried again with the same result, so such a plan is not complete.
bool is_whole(const Plan& plan) {
  return std::ranges::none_of(plan.refused, [](const UnmovedPod& one) { return one.code == "no-order"; });
}

RC_GTEST_PROP(PlanProperty, AfterAPlanOfOneStrategyIsCarriedOutTheNextPlanIsEmpty, ()) {
  RandomCluster cluster;
  random_cluster(cluster);
  const std::vector<Strategy> one = {kAll[static_cast<std::size_t>(pick(4))]};
  const Plan plan = cluster.bench.plan(one);
  RC_PRE(is_whole(plan));
  cluster.bench.carry_out(plan);
  const Plan again = cluster.bench.plan(one);
  if (!again.moves.empty()) RC_FAIL(plan_text(plan) + "then\n" + plan_text(again));
}

RC_GTEST_PROP(PlanProperty, AfterAPlanOfAllStrategiesIsCarriedOutTheNextPlanIsEmpty, ()) {
  RandomCluster cluster;
  random_cluster(cluster);
  const Plan plan = cluster.bench.plan(kAll);
  RC_CLASSIFY(plan.moves.empty(), "nothing to do");
  RC_CLASSIFY(!is_whole(plan), "no order for some");
  RC_CLASSIFY(
      std::ranges::any_of(plan.notes, [](const std::string& note) { return note.find("is skipped") != note.npos; }),
      "one skipped");
  RC_PRE(is_whole(plan));
  cluster.bench.carry_out(plan);
  const Plan again = cluster.bench.plan(kAll);
  if (!again.moves.empty()) RC_FAIL(plan_text(plan) + "then\n" + plan_text(again) + text_of(cluster.bench.snapshot));
}

// Whether a cap was used up, or would be exceeded by both plans together.
bool cut_short(const config::MoveCaps& caps, const Plan& plan, const Plan& again) {
  std::set<std::string> pods;
  std::map<std::string, std::map<std::string, std::uint32_t>> counts;  // by kind of cap, then by key
  const auto count = [&](const Plan& one) {
    for (const PlannedMove& move : one.moves) {
      if (!pods.insert(move.uid).second) continue;
      ++counts["total"][""];
      ++counts["node"][move.source];
      ++counts["namespace"][move.ns];
      ++counts["workload"][move.lineage.ns + "/" + move.lineage.name];
    }
  };
  const auto most = [&](const std::string& kind) {
    std::uint32_t found = 0;
    for (const auto& [key, number] : counts[kind]) found = std::max(found, number);
    return found;
  };
  const std::map<std::string, std::uint32_t> limits = {{"total", caps.total},
                                                       {"node", caps.per_node},
                                                       {"namespace", caps.per_namespace},
                                                       {"workload", caps.per_workload}};
  count(plan);
  const bool used_up =
      std::ranges::any_of(limits, [&](const auto& one) { return one.second != 0 && most(one.first) >= one.second; });
  count(again);
  return used_up || std::ranges::any_of(limits, [&](const auto& one) {
           return one.second != 0 && most(one.first) > one.second;
         });
}

// A plan leaves work to the next plan only if a cap was used up, or would be exceeded by the next plan. The sequence of
// plans ends.
RC_GTEST_PROP(PlanProperty, APlanLeavesMovesToTheNextPlanOnlyBecauseOfTheCaps, ()) {
  RandomCluster cluster;
  random_cluster(cluster);
  auto& caps = cluster.bench.request.caps;
  caps = {.total = static_cast<std::uint32_t>(pick(5)),
          .per_node = static_cast<std::uint32_t>(pick(3)),
          .per_namespace = static_cast<std::uint32_t>(one_in(3) ? 3 : 0),
          .per_workload = static_cast<std::uint32_t>(pick(3))};
  const std::size_t most = 2 * cluster.pods.size() + 2;
  std::string text;
  std::optional<Plan> last;
  for (std::size_t i = 0; i < most; ++i) {
    const Plan plan = cluster.bench.plan(kAll);
    RC_PRE(is_whole(plan));
    if (plan.moves.empty()) return;
    text += "then\n" + plan_text(plan);
    if (last && !cut_short(caps, *last, plan)) RC_FAIL("both plans could have been one plan\n" + text);
    cluster.bench.carry_out(plan);
    last = plan;
  }
  RC_FAIL("the sequence of plans does not end\n" + text);
}

RC_GTEST_PROP(PlanProperty, ThePlanOfABalancedClusterIsEmpty, ()) {
  PlanBench bench;
  const int nodes = 2 + pick(5);
  const double load = 0.1 + 0.05 * pick(12);
  for (int i = 0; i < nodes; ++i) {
    const std::string name = fmt::format("n{}", i);
    bench.node(name, load + 0.01 * pick(6), load + 0.01 * pick(6));
    for (int p = 0; p < 4; ++p) {
      bench.add(running(fmt::format("{}-{}", name, p), fmt::format("app{}", p)).requests("200m", "1600Mi").on(name));
    }
  }
  RC_ASSERT(bench.plan(kAll).moves.empty());
}

RC_GTEST_PROP(PlanProperty, ThePlansOfTheSameClusterAreEqual, ()) {
  RandomCluster cluster;
  random_cluster(cluster);
  const auto first = moves_of(cluster.bench.plan(kAll));
  RC_ASSERT(moves_of(cluster.bench.plan(kAll)) == first);
}

}  // namespace
}  // namespace rescheduler::rescheduling::testing
