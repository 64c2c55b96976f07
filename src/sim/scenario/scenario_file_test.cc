#include "sim/scenario/scenario_file.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rescheduler::sim {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

Scenario good(std::string_view text) {
  auto scenario = read_scenario(text, "s.yaml");
  EXPECT_TRUE(scenario) << scenario.error().message;
  return scenario.value_or(Scenario{});
}

std::string fault_of(std::string_view text) {
  const auto scenario = read_scenario(text, "s.yaml");
  return scenario ? "none" : scenario.error().message;
}

constexpr std::string_view kSmall = R"(
name: small
nodeGroups:
  - {name: a, count: 2}
workloads:
  - {name: web, namespace: shop, replicas: 3}
)";

TEST(ScenarioFile, EveryShippedScenarioIsReadAndHasTheNameOfItsFile) {
  ASSERT_EQ(shipped_scenarios().size(), 6U);
  for (const ShippedScenario& shipped : shipped_scenarios()) {
    const Scenario scenario = good(shipped.text);
    EXPECT_EQ(scenario.name, shipped.name);
    EXPECT_FALSE(scenario.description.empty()) << shipped.name;
  }
}

TEST(ScenarioFile, TheSeedScenarioHasTwelvePodsWithTheExpectedTotalRequests) {
  const auto scenario = load_scenario("seed-12-pods");
  ASSERT_TRUE(scenario) << scenario.error().message;
  int pods = 0;
  int cpu = 0;
  int memory = 0;
  for (const Workload& workload : scenario->workloads) {
    if (workload.ns != "k8s") continue;
    ++pods;
    EXPECT_EQ(workload.kind, WorkloadKind::Pod);
    EXPECT_EQ(workload.replicas, 1);
    EXPECT_FALSE(workload.placement) << "the scheduler selects the node";
    cpu += std::stoi(workload.requests.at("cpu"));
    memory += std::stoi(workload.requests.at("memory"));
  }
  EXPECT_EQ(pods, 12);
  EXPECT_EQ(cpu, 13'750);
  EXPECT_EQ(memory, 17'268);
}

TEST(ScenarioFile, TheSeedScenarioHasFourEqualNodesAndPlacedLoadPodsWithSmallRequests) {
  const auto scenario = load_scenario("seed-12-pods");
  ASSERT_TRUE(scenario) << scenario.error().message;
  ASSERT_EQ(scenario->nodes(), 4);
  std::set<std::string> busy;
  for (const NodeGroup& group : scenario->node_groups) {
    EXPECT_EQ(group.cpu + " " + group.memory, "8 16Gi");
    EXPECT_EQ(group.size(), 1);
  }
  for (const Workload& workload : scenario->workloads) {
    if (workload.ns == "k8s") continue;
    ASSERT_TRUE(workload.placement) << "the scenario selects the node, not the scheduler";
    EXPECT_TRUE(busy.insert(workload.placement->group).second);
    EXPECT_EQ(workload.requests.at("cpu"), "50m");
    EXPECT_LT(workload.starts_at, scenario->find_workload("k8s/pod-1")->starts_at)
        << "it starts before the twelve pods";
  }
  EXPECT_EQ(busy, (std::set<std::string>{"hot", "warm", "cool"}));
}

TEST(ScenarioFile, ReadsEveryFieldOfAWorkload) {
  const Scenario scenario = good(R"(
name: full
nodeGroups:
  - {name: big, prefix: m, count: 3, cpu: 16, memory: 64Gi, pods: 50, resources: {nvidia.com/gpu: 8},
     labels: {disk: ssd}, taints: [{key: gpu, value: "yes", effect: NoSchedule}], zones: [x, y]}
priorityClasses: [{name: high, value: 100, globalDefault: true}]
workloads:
  - name: web
    namespace: shop
    kind: StatefulSet
    replicas: 4
    requests: {cpu: 2, memory: 1Gi}
    limits: {memory: 2Gi}
    load: {cpu: 1500m, memory: 900Mi}
    priorityClass: high
    labels: {tier: front}
    annotations: {note: anything at all}
    nodeSelector: {disk: ssd}
    nodeAffinity: {zone: [x, y]}
    tolerations: [{key: gpu}, {key: k, value: v, effect: NoExecute, for: 20s}]
    pdb: {maxUnavailable: 1}
    placement: {group: big, fill: pack}
    schedulerName: other
    readyDelay: 1500ms
    grace: 5s
    startsAt: 1m
)");
  const NodeGroup& group = scenario.node_groups.at(0);
  EXPECT_EQ(group.node_name(2), "m-3");
  EXPECT_THAT(group.resources, ElementsAre(Pair("nvidia.com/gpu", "8")));
  const Workload& web = scenario.workloads.at(0);
  EXPECT_EQ(web.key(), "shop/web");
  EXPECT_EQ(web.kind, WorkloadKind::StatefulSet);
  EXPECT_THAT(web.requests, ElementsAre(Pair("cpu", "2"), Pair("memory", "1Gi")));
  EXPECT_EQ(web.cpu_load, "1500m");
  EXPECT_EQ(web.budget->max_unavailable, "1");
  EXPECT_EQ(web.placement->fill, InitialPlacement::Fill::Pack);
  EXPECT_EQ(web.tolerations.at(1).seconds, 20s);
  EXPECT_EQ(web.ready_delay, 1500ms);
  EXPECT_EQ(web.starts_at, 1min);
  EXPECT_THAT(web.node_affinity, ElementsAre(Pair("zone", ElementsAre("x", "y"))));
}

TEST(ScenarioFile, EventsAreSortedByTimeAndDescribeTheirAction) {
  const Scenario scenario = good(std::string(kSmall) + R"(
events:
  - {at: 2m30s, scale: {workload: shop/web, replicas: 9}}
  - {at: 1s, fault: {node: a-2, kind: dead}}
  - {at: 2s, heal: {node: a-2}}
  - {at: 3s, cordon: {node: a-1}}
  - {at: 4s, label: {name: a-1, set: {x: "1"}, remove: [y]}}
  - {at: 5s, delete: {workload: shop/web, count: 2}}
  - {at: 6s, delete: {pod: shop/one}}
  - {at: 7s, rollout: {workload: shop/web}}
  - {at: 8s, load: {workload: shop/web, cpu: "1"}}
  - {at: 9s, say: hello}
  - at: 10s
    apply:
      - {apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop}, data: {k: v}}
)");
  std::vector<std::string> descriptions;
  for (const TimedEvent& event : scenario.events) descriptions.push_back(describe(event));
  EXPECT_THAT(descriptions,
              ElementsAre("node a-2: dead", "heal node a-2", "cordon a-1", "label Node a-1: x=1, y-",
                          "delete 2 pods of shop/web", "delete pod shop/one", "rollout of shop/web",
                          "load of shop/web: cpu 1", "nothing", "apply ConfigMap/c", "scale shop/web to 9"));
  const auto& apply = std::get<event::Apply>(scenario.events.at(9).action);
  EXPECT_EQ(apply.manifests.at(0).json,
            R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"shop"},"data":{"k":"v"}})");
}

struct Fault {
  const char* text;
  const char* message;
};

TEST(ScenarioFile, EveryErrorNamesItsPlaceInTheFile) {
  const Fault faults[] = {
      {"nodeGroups: [{name: a}]", "name: is required"},
      {"name: x", "a cluster needs at least one node"},
      {"name: x\nnodeGroups: [{name: a, count: -1}]", "line 2, column 31: nodeGroups[0].count: must be between 0"},
      {"name: x\nnodeGroups: [{name: a, cpu: many}]", "line 2, column 29: nodeGroups[0].cpu"},
      {"name: x\nnodeGroups: [{name: a, size: 3}]", "nodeGroups[0].size: unknown field"},
      {"name: x\nnodeGroups: [{name: a}, {name: a}]", "nodeGroups[1].name: another group has the same name"},
      {"name: x\nnodeGroups: [{name: a, taints: [{key: k, effect: Never}]}]", "taints[0].effect: must be NoSchedule"},
      {"name: x\nnodeGroups: [{name: a}]\nworkloads: [{name: w, kind: Thing}]",
       "workloads[0].kind: must be Deployment"},
      {"name: x\nnodeGroups: [{name: a}]\nworkloads: [{name: w, pdb: {}}]", "workloads[0].pdb: exactly one of"},
      {"name: x\nnodeGroups: [{name: a}]\nworkloads: [{name: w, placement: {group: b}}]", "there is no such group"},
      {"name: x\nnodeGroups: [{name: a}]\nworkloads: [{name: w, priorityClass: p}]", "not among the priorityClasses"},
      {"name: x\nnodeGroups: [{name: a}]\nworkloads: [{name: w}, {name: w}]", "has the same name"},
      {"name: x\nnodeGroups: [{name: a}]\nworkloads: [{name: w, kind: DaemonSet, replicas: 2}]",
       "is not a field of a DaemonSet"},
      {"name: x\nnodeGroups: [{name: a}]\nworkloads: [{name: w, kind: CronJob}]", "is required for a CronJob"},
      {"name: x\nnodeGroups: [{name: a}]\nworkloads: [{name: w, grace: soon}]", "workloads[0].grace"},
      {"name: x\nnodeGroups: [{name: a}]\nworkloads: [{name: w, load: {cpu: wild mean=3}}]", "workloads[0].load.cpu"},
      {"name: x\nnodeGroups: [{name: a}]\nworkloads: [{name: w, tolerations: [{key: k, for: 3s}]}]",
       "is only valid with the effect NoExecute"},
      {"name: x\nnodeGroups: [{name: a}]\nworkloads: [{name: W}]", "workloads[0].name"},
      {"name: x\nnodeGroups: [{name: a}]\nevents: [{scale: {workload: w, replicas: 1}}]", "events[0].at: is required"},
      {"name: x\nnodeGroups: [{name: a}]\nevents: [{at: 1s, scale: {workload: w, replicas: 1}}]", "no such workload"},
      {"name: x\nnodeGroups: [{name: a}]\nevents: [{at: 1s, cordon: {node: b-1}}]", "no such node"},
      {"name: x\nnodeGroups: [{name: a}]\nevents: [{at: 1s, fault: {node: a-1, kind: tired}}]",
       "must be frozen, dead or slow"},
      {"name: x\nnodeGroups: [{name: a}]\nevents: [{at: 1s, heal: {node: a-1}, cordon: {node: a-1}}]",
       "an event must have exactly one action"},
      {"name: x\nnodeGroups: [{name: a}]\nevents: [{at: 1s}]", "expected scale, load"},
      {"name: x\nnodeGroups: [{name: a}]\nmanifests: [{kind: Pod}]", "manifests[0].apiVersion: is required"},
      {"name: x\nnodeGroups: [{name: a}]\nmanifests: [{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: 3}]",
       "manifests[0]"},
      {"name: [x]", "name: expected a string, found a list"},
      {"[1]", "expected a map, found a list"},
      {"name: {", "line"},
  };
  for (const Fault& fault : faults) {
    EXPECT_THAT(fault_of(fault.text), AllOf(HasSubstr("s.yaml: "), HasSubstr(fault.message))) << fault.text;
  }
}

TEST(ScenarioFile, AllErrorsOfAFileAreReportedTogether) {
  EXPECT_THAT(fault_of("name: x\nnodeGroups: [{name: a, cpu: many, count: no}]\nworkloads: [{kind: Thing}]\nodd: 1"),
              AllOf(HasSubstr("nodeGroups[0].cpu"), HasSubstr("nodeGroups[0].count"), HasSubstr("workloads[0].name"),
                    HasSubstr("workloads[0].kind"), HasSubstr("odd: unknown field")));
}

TEST(ScenarioFile, TheErrorForAnUnknownNameListsTheShippedScenarios) {
  const auto scenario = load_scenario("imbalanced");
  ASSERT_FALSE(scenario);
  EXPECT_THAT(scenario.error().message, AllOf(HasSubstr("imbalance, pressure"), HasSubstr(".yaml")));
}

TEST(ScenarioFile, ANameWithASlashOrAnExtensionIsAFile) {
  EXPECT_THAT(load_scenario("./imbalance").error().message, HasSubstr("./imbalance"));
  EXPECT_EQ(load_scenario("nowhere.yaml").error().code, Errc::NotFound);
}

TEST(Scenario, ResizingKeepsTheShareOfEveryGroupAndThePodsPerNode) {
  const auto scenario = resized(*load_scenario("imbalance"), 30);
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->nodes(), 30);
  EXPECT_EQ(scenario->find_group("crowded")->count, 10);
  EXPECT_EQ(scenario->find_workload("shop/web")->replicas, 60);
  EXPECT_EQ(scenario->find_workload("shop/cache")->replicas, 3);
  EXPECT_EQ(std::get<event::Scale>(scenario->events.at(2).action).replicas, 80);
}

TEST(Scenario, ResizingKeepsAtLeastOneNodePerGroupAndGivesTheRequestedTotal) {
  for (int nodes = 2; nodes < 40; ++nodes) {
    const auto scenario = resized(*load_scenario("imbalance"), nodes);
    ASSERT_TRUE(scenario) << scenario.error().message;
    EXPECT_EQ(scenario->nodes(), nodes);
    EXPECT_GE(scenario->find_group("crowded")->count, 1);
    EXPECT_GE(scenario->find_group("idle")->count, 1);
  }
}

TEST(Scenario, ResizingRejectsASizeThatIsTooSmallForTheEventsOrTheGroups) {
  EXPECT_THAT(resized(*load_scenario("failure"), 5).error().message, HasSubstr("no node worker-6"));
  EXPECT_THAT(resized(*load_scenario("imbalance"), 1).error().message, HasSubstr("needs at least as many"));
}

}  // namespace
}  // namespace rescheduler::sim
