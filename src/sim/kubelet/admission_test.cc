#include "sim/kubelet/admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/kubelet/kubelet_fixture.h"

namespace rescheduler::sim {
namespace {

class AdmissionTest : public testing::Test {
 protected:
  std::string rejection_text() {
    const auto why = rejection(pod, requests_of(pod), node);
    return why ? why->reason + ": " + why->message : "";
  }
  api::Pod pod = KubeletRig::pod("a");
  NodeRoom node = [] {
    NodeRoom room;
    room.name = "n1";
    room.allocatable = {4000, 1024, 2, {{"nvidia.com/gpu", 1}}};
    room.labels = {{"disk", "ssd"}};
    return room;
  }();
};

TEST_F(AdmissionTest, APodThatFitsIsAdmitted) {
  KubeletRig::request(pod, "cpu", "4");
  KubeletRig::request(pod, "memory", "1Ki");
  KubeletRig::request(pod, "nvidia.com/gpu", "1");
  EXPECT_EQ(rejection_text(), "");
}

TEST_F(AdmissionTest, TheRejectionNamesTheInsufficientResourceInItsUnit) {
  node.used = {3500, 24, 1, {{"nvidia.com/gpu", 1}}};
  KubeletRig::request(pod, "nvidia.com/gpu", "1");
  EXPECT_EQ(
      rejection_text(),
      "OutOfnvidia.com/gpu: Node didn't have enough resource: nvidia.com/gpu, requested: 1, used: 1, capacity: 1");
  KubeletRig::request(pod, "memory", "1001");
  EXPECT_EQ(rejection_text(),
            "OutOfmemory: Node didn't have enough resource: memory, requested: 1001, used: 24, capacity: 1024");
  KubeletRig::request(pod, "cpu", "501m");
  EXPECT_EQ(rejection_text(),
            "OutOfcpu: Node didn't have enough resource: cpu, requested: 501, used: 3500, capacity: 4000");
  node.used.pods = 2;
  EXPECT_EQ(rejection_text(), "OutOfpods: Node didn't have enough resource: pods, requested: 1, used: 2, capacity: 2");
}

TEST_F(AdmissionTest, ResourcesUnknownToTheNodeAreIgnored) {
  KubeletRig::request(pod, "example.com/licence", "5");
  EXPECT_EQ(rejection_text(), "");
}

TEST_F(AdmissionTest, APodWhoseNodeSelectorDoesNotMatchIsRejected) {
  (*pod.mutable_spec()->mutable_node_selector())["disk"] = "hdd";
  EXPECT_EQ(rejection_text(),
            "NodeAffinity: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector");
}

TEST_F(AdmissionTest, APodThatDoesNotTolerateANoExecuteTaintIsRejected) {
  node.taints = {{"down", "", "NoExecute"}};
  EXPECT_EQ(rejection_text(),
            "TaintToleration: Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate");
  auto& toleration = *pod.mutable_spec()->add_tolerations();
  toleration.set_key("down");
  toleration.set_operator_("Exists");
  EXPECT_EQ(rejection_text(), "");
}

}  // namespace
}  // namespace rescheduler::sim
