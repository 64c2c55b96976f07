#include "sim/scenario/scenario_objects.h"

#include <gmock/gmock.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include "kube/codec/json.h"
#include "kube/codec/metadata.h"
#include "kube/codec/resource.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/meta.pb.h"
#include "sim/names.h"
#include "sim/scenario/scenario_file.h"

namespace rescheduler::sim {
namespace {

using testing::ElementsAre;

std::string title(const google::protobuf::Message& object) {
  const api::ObjectMeta& metadata = kube::metadata_of(object);
  const std::string where =
      metadata.namespace_().empty() ? metadata.name() : metadata.namespace_() + "/" + metadata.name();
  return std::string(kube::find_resource(*object.GetDescriptor())->kind) + " " + where;
}

std::vector<std::string> titles(const Workload& workload) {
  std::vector<std::string> all;
  for_each_workload_object(workload, [&all](auto object) { all.push_back(title(*object)); });
  return all;
}

TEST(ScenarioObjects, ClusterObjectsComeInTheOrderNamespacesPriorityClassesNodes) {
  Scenario scenario = plain_scenario(2);
  scenario.namespaces = {"b", "default"};
  scenario.priority_classes.push_back({.name = "high", .value = 5});
  scenario.workloads.push_back({.ns = "a", .name = "w"});
  std::vector<std::string> all;
  for_each_cluster_object(scenario, [&all](auto object) { all.push_back(title(*object)); });
  EXPECT_THAT(all, ElementsAre("Namespace a", "Namespace b", "PriorityClass high", "Node node-1", "Node node-2"));
}

TEST(ScenarioObjects, EveryWorkloadKindCreatesItsObject) {
  const auto kind = [](WorkloadKind which) { return titles({.name = "w", .kind = which, .replicas = 2}); };
  EXPECT_THAT(kind(WorkloadKind::Deployment), ElementsAre("Deployment default/w"));
  EXPECT_THAT(kind(WorkloadKind::StatefulSet), ElementsAre("StatefulSet default/w"));
  EXPECT_THAT(kind(WorkloadKind::DaemonSet), ElementsAre("DaemonSet default/w"));
  EXPECT_THAT(kind(WorkloadKind::Job), ElementsAre("Job default/w"));
  EXPECT_THAT(kind(WorkloadKind::CronJob), ElementsAre("CronJob default/w"));
  EXPECT_THAT(kind(WorkloadKind::Pod), ElementsAre("Pod default/w-1", "Pod default/w-2"));
}

TEST(ScenarioObjects, APodDisruptionBudgetIsCreatedBeforeItsWorkload) {
  Workload workload{.name = "w"};
  workload.budget = BudgetSpec{.min_available = "50%"};
  EXPECT_THAT(titles(workload), ElementsAre("PodDisruptionBudget default/w", "Deployment default/w"));
}

TEST(ScenarioObjects, ThePodTemplateHasTheFieldsOfTheWorkload) {
  Workload workload{.name = "w"};
  workload.requests = {{"cpu", "500m"}};
  workload.cpu_load = "constant 300m";
  workload.ready_delay = std::chrono::milliseconds(1500);
  workload.grace = std::chrono::milliseconds(1500);
  workload.labels = {{"tier", "front"}};
  workload.tolerations.push_back({.key = "k", .effect = "NoExecute", .seconds = std::chrono::seconds(20)});
  const api::PodTemplateSpec shape = pod_template(workload);
  EXPECT_EQ(shape.metadata().labels().at("app"), "w");
  EXPECT_EQ(shape.metadata().labels().at("tier"), "front");
  EXPECT_EQ(shape.metadata().annotations().at(std::string(kCpuProfile)), "constant 300m");
  EXPECT_EQ(shape.metadata().annotations().at(std::string(kReadyDelay)), "1.5s");
  EXPECT_FALSE(shape.metadata().annotations().contains(std::string(kMemoryProfile)));
  EXPECT_EQ(shape.spec().containers(0).resources().requests().at("cpu").string(), "500m");
  EXPECT_EQ(shape.spec().termination_grace_period_seconds(), 2);
  EXPECT_EQ(shape.spec().tolerations(0).operator_(), "Exists");
  EXPECT_EQ(shape.spec().tolerations(0).toleration_seconds(), 20);
}

TEST(ScenarioObjects, TheNodesOfAGroupAreAssignedToItsZonesInTurn) {
  NodeGroup group{.name = "g", .prefix = "n", .count = 3};
  group.zones = {"x", "y"};
  group.resources = {{"nvidia.com/gpu", "4"}};
  const std::string zone = "topology.kubernetes.io/zone";
  EXPECT_EQ(node_object(group, 0).metadata().labels().at(zone), "x");
  EXPECT_EQ(node_object(group, 1).metadata().labels().at(zone), "y");
  const api::Node third = node_object(group, 2);
  EXPECT_EQ(third.metadata().labels().at(zone), "x");
  EXPECT_EQ(third.metadata().name(), "n-3");
  EXPECT_EQ(third.status().allocatable().at("nvidia.com/gpu").string(), "4");
  EXPECT_EQ(third.status().capacity().at("pods").string(), "110");
}

}  // namespace
}  // namespace rescheduler::sim
