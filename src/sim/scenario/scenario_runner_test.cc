#include "sim/scenario/scenario_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "sim/names.h"
#include "sim/scenario/scenario_file.h"
#include "sim/scenario/trivial_placement.h"

namespace rescheduler::sim {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

// A server without kubelets: nodes never become ready, so workloads start after kNodeTimeout.
constexpr auto kBegin = ScenarioRunner::kNodeTimeout + 100ms;

// The namespaces of every cluster.
void add_namespaces(Server& server) {
  for (const char* name : {"default", "kube-system"}) {
    api::Namespace ns;
    ns.mutable_metadata()->set_name(name);
    EXPECT_TRUE(server.create(ns));
  }
}

class ScenarioRunnerTest : public testing::Test {
 protected:
  ScenarioRunnerTest() { add_namespaces(server); }

  ScenarioRunner& play(std::string_view text) {
    auto scenario = read_scenario(text, "s.yaml");
    EXPECT_TRUE(scenario) << scenario.error().message;
    runner = std::make_unique<ScenarioRunner>(server, scenario.value_or(Scenario{}));
    runner->start();
    agenda.run_for(kBegin);
    return *runner;
  }
  std::string node_of(const std::string& ns, const std::string& name) {
    const auto pod = server.find<api::Pod>(ns, name);
    return pod == nullptr ? "no such pod" : pod->spec().node_name();
  }
  std::vector<std::string> messages() {
    std::vector<std::string> texts;
    for (const ScenarioActivity& activity : runner->activities()) texts.push_back(activity.text);
    return texts;
  }

  Agenda agenda;
  Server server{agenda, Rng(1)};
  std::unique_ptr<ScenarioRunner> runner;
};

constexpr std::string_view kPods = R"(
name: pods
nodeGroups: [{name: a, count: 2, cpu: 2}, {name: b, count: 2, cpu: 2}]
workloads:
  - {name: even, namespace: shop, kind: Pod, replicas: 3, requests: {cpu: 500m}, placement: {group: b}}
  - {name: packed, namespace: shop, kind: Pod, replicas: 3, requests: {cpu: 900m}, placement: {group: a, fill: pack}}
  - {name: free, namespace: shop, kind: Pod, requests: {cpu: 100m}, startsAt: 10s}
)";

TEST_F(ScenarioRunnerTest, TheFirstPodsGetTheNodesOfTheirInitialPlacement) {
  play(kPods);
  EXPECT_EQ(node_of("shop", "even-1"), "b-1");
  EXPECT_EQ(node_of("shop", "even-2"), "b-2");
  EXPECT_EQ(node_of("shop", "even-3"), "b-1");
  EXPECT_EQ(node_of("shop", "packed-1"), "a-1");
  EXPECT_EQ(node_of("shop", "packed-2"), "a-1");
  EXPECT_EQ(node_of("shop", "packed-3"), "a-2");
}

TEST_F(ScenarioRunnerTest, LaterPodsOfAPlacedWorkloadGetNoNode) {
  play(kPods);
  for (const char* name : {"even-4", "even-5"}) {
    auto pod = std::make_unique<api::Pod>(*server.find<api::Pod>("shop", "even-1"));
    pod->mutable_metadata()->Clear();
    pod->mutable_metadata()->set_name(name);
    (*pod->mutable_metadata()->mutable_labels())["app"] = "even";
    pod->mutable_spec()->clear_node_name();
    bool created = false;
    server.submit_create(server.kinds().of<api::Pod>(), "shop", std::move(pod), {},
                         [&created](const ApiResult<VersionPtr>& answer) { created = answer.has_value(); });
    EXPECT_TRUE(created);
    EXPECT_EQ(node_of("shop", name), "");
  }
}

TEST_F(ScenarioRunnerTest, AFastPlacementDoesNotOverrideTheInitialPlacement) {
  auto scenario = read_scenario(kPods, "s.yaml");
  const TrivialPlacement placement(server);
  ScenarioRunner late(server, *scenario);
  ManualClock real;
  agenda.follow(real, 1);
  late.start();
  // The creation of each pod takes longer than TrivialPlacement::kLag.
  const auto slow = server.store().subscribe(&server.kinds().of<api::Pod>(),
                                             [&real](const Change&) { real.advance(2 * TrivialPlacement::kLag); });
  for (int i = 0; i < 20; ++i) {
    real.advance(1s);
    agenda.run_due();
  }
  for (const char* name : {"even-1", "even-2", "even-3"}) EXPECT_EQ(node_of("shop", name).substr(0, 2), "b-") << name;
  for (const char* name : {"packed-1", "packed-2", "packed-3"}) {
    EXPECT_EQ(node_of("shop", name).substr(0, 2), "a-") << name;
  }
}

TEST_F(ScenarioRunnerTest, AWorkloadWithALaterStartIsCreatedLaterAndLeftToTheScheduler) {
  play(kPods);
  EXPECT_EQ(node_of("shop", "free"), "no such pod");
  EXPECT_FALSE(runner->over());
  agenda.run_for(10s);
  EXPECT_EQ(node_of("shop", "free"), "");
  EXPECT_TRUE(runner->over());
  const TrivialPlacement placement(server);
  agenda.run_for(1s);
  EXPECT_EQ(node_of("shop", "free"), "a-1");
}

TEST_F(ScenarioRunnerTest, EventsRunAtTheirTimeAndAreReported) {
  play(R"(
name: events
nodeGroups: [{name: n, count: 2}]
workloads:
  - {name: web, namespace: shop, replicas: 3}
  - {name: one, namespace: shop, kind: Pod, load: {cpu: 10m}}
events:
  - {at: 1s, scale: {workload: shop/web, replicas: 5}}
  - {at: 2s, fault: {node: n-1, kind: dead}, say: power cut}
  - {at: 3s, heal: {node: n-1}}
  - {at: 4s, cordon: {node: n-2}}
  - {at: 5s, label: {name: n-2, set: {maintenance: "soon"}, remove: [kubernetes.io/os]}}
  - {at: 6s, rollout: {workload: shop/web}}
  - {at: 7s, load: {workload: shop/one, cpu: 500m}}
  - {at: 8s, apply: [{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop}, data: {k: v}}]}
  - {at: 9s, delete: {pod: shop/one}}
  - {at: 10s, delete: {pod: shop/missing}}
)");
  const auto node = [this](const char* name) { return server.find<api::Node>("", name); };
  agenda.run_for(1s);
  EXPECT_EQ((server.find<api::Deployment>("shop", "web")->spec().replicas()), 5);
  EXPECT_FALSE(node("n-1")->metadata().annotations().contains(std::string(kNodeFault)));
  agenda.run_for(1s);
  EXPECT_EQ(node("n-1")->metadata().annotations().at(std::string(kNodeFault)), "dead");
  EXPECT_THAT(messages(), Contains("power cut (node n-1: dead)"));
  agenda.run_for(3s);
  EXPECT_FALSE(node("n-1")->metadata().annotations().contains(std::string(kNodeFault)));
  EXPECT_TRUE(node("n-2")->spec().unschedulable());
  EXPECT_EQ(node("n-2")->metadata().labels().at("maintenance"), "soon");
  EXPECT_FALSE(node("n-2")->metadata().labels().contains("kubernetes.io/os"));
  agenda.run_for(2s);
  const auto web = server.find<api::Deployment>("shop", "web");
  EXPECT_TRUE(web->spec().template_().metadata().annotations().contains("kubectl.kubernetes.io/restartedAt"));
  EXPECT_EQ((server.find<api::Pod>("shop", "one")->metadata().annotations().at(std::string(kCpuProfile))), "500m");
  agenda.run_for(2s);
  ASSERT_NE((server.find<api::ConfigMap>("shop", "c")), nullptr);
  const auto one = server.find<api::Pod>("shop", "one");
  EXPECT_TRUE(one == nullptr || one->metadata().has_deletion_timestamp());
  EXPECT_FALSE(runner->over());
  agenda.run_for(1s);
  EXPECT_TRUE(runner->over());
  EXPECT_TRUE(runner->activities().back().warning);
  EXPECT_THAT(runner->activities().back().text, HasSubstr("delete pod shop/missing: refused"));
}

TEST_F(ScenarioRunnerTest, PodsCreatedAfterALoadChangeHaveTheNewLoad) {
  play(R"(
name: load
nodeGroups: [{name: n}]
workloads: [{name: w, kind: Pod, load: {cpu: 10m, memory: 1Mi}, startsAt: 20s}]
events: [{at: 1s, load: {workload: w, cpu: 700m}}]
)");
  agenda.run_for(25s);
  const auto pod = server.find<api::Pod>("default", "w");
  ASSERT_NE(pod, nullptr);
  EXPECT_EQ(pod->metadata().annotations().at(std::string(kCpuProfile)), "700m");
  EXPECT_EQ(pod->metadata().annotations().at(std::string(kMemoryProfile)), "1Mi");
}

TEST_F(ScenarioRunnerTest, AWildcardChangesTheLoadOfAWholeNamespace) {
  play(R"(
name: load
nodeGroups: [{name: n}]
workloads:
  - {name: a, kind: Pod, namespace: x, load: {cpu: 10m}}
  - {name: b, kind: Pod, namespace: x, load: {cpu: 10m}, startsAt: 5s}
  - {name: c, kind: Pod, namespace: y, load: {cpu: 10m}}
events: [{at: 1s, load: {workload: x/*, cpu: 50%}}]
)");
  agenda.run_for(10s);
  const auto cpu = [this](const char* ns, const char* name) {
    return server.find<api::Pod>(ns, name)->metadata().annotations().at(std::string(kCpuProfile));
  };
  EXPECT_EQ(cpu("x", "a"), "50%");
  EXPECT_EQ(cpu("x", "b"), "50%");
  EXPECT_EQ(cpu("y", "c"), "10m");
}

TEST_F(ScenarioRunnerTest, WorkloadsStartAsSoonAsAllNodesAreReady) {
  auto scenario = read_scenario(kPods, "s.yaml");
  ScenarioRunner quick(server, *scenario);
  quick.start();
  agenda.run_for(1s);
  EXPECT_FALSE(quick.begun());
  for (const char* name : {"a-1", "a-2", "b-1", "b-2"}) {
    ASSERT_TRUE(server.modify_status<api::Node>("", name, [](api::Node& node) {
      auto& condition = *node.mutable_status()->add_conditions();
      condition.set_type("Ready");
      condition.set_status("True");
    }));
  }
  agenda.run_for(200ms);
  EXPECT_TRUE(quick.begun());
}

TEST_F(ScenarioRunnerTest, TheShippedScenariosRunWithoutWarnings) {
  for (const char* name : {"imbalance", "pressure", "maintenance", "failure", "seed-12-pods"}) {
    Agenda own_agenda;
    Server own_server(own_agenda, Rng(1));
    add_namespaces(own_server);
    ScenarioRunner played(own_server, *load_scenario(name));
    played.start();
    own_agenda.run_for(5min);
    EXPECT_TRUE(played.over()) << name;
    for (const ScenarioActivity& activity : played.activities())
      EXPECT_FALSE(activity.warning) << name << ": " << activity.text;
  }
}

}  // namespace
}  // namespace rescheduler::sim
