#include "sim/kubelet/pod_needs.h"

#include <gtest/gtest.h>

#include "kube/codec/json.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::sim {
namespace {

api::Pod pod(std::string_view spec) {
  api::Pod made;
  const auto read = kube::from_json(R"({"metadata":{"name":"p"},"spec":)" + std::string(spec) + "}", made);
  EXPECT_TRUE(read) << read.error().message;
  return made;
}

NodeRoom node(std::string_view spec = "{}", std::string_view labels = "{}") {
  api::Node made;
  const auto read =
      kube::from_json(R"({"metadata":{"name":"n1","labels":)" + std::string(labels) + R"(},"spec":)" + std::string(spec)
                          + R"(,"status":{"allocatable":{"cpu":"2","memory":"4Gi","pods":"2","x.io/gpu":"1"}}})",
                      made);
  EXPECT_TRUE(read) << read.error().message;
  return room_of(made);
}

bool may_go(std::string_view spec, const NodeRoom& to) { return PodNeeds(pod(spec)).may_go_to(to); }

TEST(PodNeeds, PodRequestsAreTheLargerOfAllContainersAndTheLargestInitContainer) {
  const PodResources amounts = requests_of(pod(R"({
    "initContainers":[{"resources":{"requests":{"cpu":"100m"}},"restartPolicy":"Always"},
                      {"resources":{"requests":{"cpu":"900m","memory":"1Mi"}}}],
    "containers":[{"resources":{"requests":{"cpu":"250m","memory":"2Mi"}}},{"resources":{"requests":{"cpu":"250m"}}}],
    "overhead":{"cpu":"10m"}})"));
  EXPECT_EQ(amounts.cpu, 1010);  // init container plus sidecar plus overhead
  EXPECT_EQ(amounts.memory, 2 << 20);
  EXPECT_EQ(amounts.pods, 1);
}

TEST(PodNeeds, RequestsMustFitIntoTheUnusedAllocatableResources) {
  NodeRoom room = node();
  EXPECT_TRUE(room.has_room_for({.cpu = 2000, .pods = 1}));
  EXPECT_FALSE(room.has_room_for({.cpu = 2001, .pods = 1}));
  EXPECT_FALSE(room.has_room_for({.pods = 1, .others = {{"x.io/gpu", 2}}}));
  EXPECT_FALSE(room.has_room_for({.pods = 1, .others = {{"y.io/gpu", 1}}}));
  room.used = {.cpu = 2500, .pods = 1};
  EXPECT_TRUE(room.has_room_for({.pods = 1})) << "a pod without a CPU request fits an overcommitted node";
  room.used.pods = 2;
  EXPECT_FALSE(room.has_room_for({.pods = 1}));
}

TEST(PodNeeds, NodeSelectorsAndRequiredNodeAffinityRestrictTheNodes) {
  const NodeRoom ssd = node("{}", R"({"disk":"ssd"})");
  EXPECT_TRUE(may_go(R"({"nodeSelector":{"disk":"ssd"}})", ssd));
  EXPECT_FALSE(may_go(R"({"nodeSelector":{"disk":"hdd"}})", ssd));
  const auto required = [](std::string_view term) {
    return R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[)"
           + std::string(term) + "]}}}}";
  };
  EXPECT_TRUE(may_go(required(R"({"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}]})"), ssd));
  EXPECT_FALSE(may_go(required(R"({"matchFields":[{"key":"metadata.name","operator":"In","values":["n2"]}]})"), ssd));
  EXPECT_FALSE(may_go(required(R"({"matchExpressions":[{"key":"disk","operator":"DoesNotExist"}]})"), ssd));
  EXPECT_FALSE(may_go(required(R"({"matchExpressions":[{"key":"disk","operator":"Sideways"}]})"), ssd));
}

TEST(PodNeeds, PodsMayGoToTaintedOrCordonedNodesOnlyWithAToleration) {
  const NodeRoom tainted = node(R"({"taints":[{"key":"k","value":"v","effect":"NoSchedule"}]})");
  EXPECT_FALSE(may_go("{}", tainted));
  EXPECT_TRUE(may_go(R"({"tolerations":[{"key":"k","value":"v"}]})", tainted));
  EXPECT_FALSE(may_go(R"({"tolerations":[{"key":"k","value":"w"}]})", tainted));
  EXPECT_TRUE(may_go(R"({"tolerations":[{"operator":"Exists"}]})", tainted));
  EXPECT_FALSE(may_go(R"({"tolerations":[{"key":"k","operator":"Exists","effect":"NoExecute"}]})", tainted));
  EXPECT_TRUE(may_go("{}", node(R"({"taints":[{"key":"k","effect":"PreferNoSchedule"}]})")));
  const NodeRoom cordoned = node(R"({"unschedulable":true})");
  EXPECT_FALSE(may_go("{}", cordoned));
  EXPECT_TRUE(may_go(R"({"tolerations":[{"key":"node.kubernetes.io/unschedulable","operator":"Exists"}]})", cordoned));
}

}  // namespace
}  // namespace rescheduler::sim
