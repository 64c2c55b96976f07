// Pods with volumes. A pod follows its bound volumes. The scheduler records a volume that is to be bound or provisioned
// before it binds the pod.
#include <gtest/gtest.h>

#include "kube/proto/core_storage.pb.h"
#include "kube/proto/storage.pb.h"
#include "support/objects.h"
#include "support/scheduler.h"

namespace rescheduler::test {
namespace {

class Volumes : public SchedulingTest {
 protected:
  void TearDown() override {
    if (IsSkipped()) return;
    for (const std::string& name : volumes_) (void)await(client().remove<api::PersistentVolume>("", name));
    for (const std::string& name : classes_) (void)await(client().remove<api::StorageClass>("", name));
    for (const std::string& name : csi_nodes_) (void)await(client().remove<api::CSINode>("", name));
    SchedulingTest::TearDown();
  }

  // A storage class with WaitForFirstConsumer.
  std::string add_class() {
    classes_.push_back(ns() + "-waits");
    create(parsed<api::StorageClass>(fmt::format(
        R"({{"metadata": {{"name": "{}"}}, "provisioner": "kubernetes.io/no-provisioner",
             "volumeBindingMode": "WaitForFirstConsumer"}})",
        classes_.back())));
    return classes_.back();
  }
  std::string add_volume(const std::string& suffix,
                         const std::string& node,
                         const std::string& of_class,
                         const std::string& source = R"("local": {"path": "/data"})",
                         const std::string& mode = "ReadWriteOnce") {
    volumes_.push_back(ns() + "-" + suffix);
    create(parsed<api::PersistentVolume>(fmt::format(
        R"({{"metadata": {{"name": "{}"}}, "spec": {{"capacity": {{"storage": "10Gi"}}, "accessModes": ["{}"],
             "persistentVolumeReclaimPolicy": "Retain", "storageClassName": "{}", {},
             "nodeAffinity": {{"required": {{"nodeSelectorTerms": [{{"matchExpressions":
               [{{"key": "kubernetes.io/hostname", "operator": "In", "values": ["{}"]}}]}}]}}}}}}}})",
        volumes_.back(), mode, of_class, source, node)));
    return volumes_.back();
  }
  void add_claim(const std::string& name,
                 const std::string& of_class,
                 const std::string& volume = {},
                 const std::string& mode = "ReadWriteOnce") {
    auto claim = parsed<api::PersistentVolumeClaim>(fmt::format(
        R"({{"metadata": {{"namespace": "{}", "name": "{}"}}, "spec": {{"accessModes": ["{}"],
             "storageClassName": "{}", "resources": {{"requests": {{"storage": "1Gi"}}}}}}}})",
        ns(), name, mode, of_class));
    if (!volume.empty()) claim.mutable_spec()->set_volume_name(volume);
    create(claim);
  }
  static std::string using_claim(const std::string& claim) {
    return R"({"spec": {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": ")" + claim + R"("}}]}})";
  }
  bool bound(const std::string& claim, const std::string& to) {
    return eventually([&] {
      auto seen = await(client().get<api::PersistentVolumeClaim>(ns(), claim));
      return seen && seen->status().phase() == "Bound" && seen->spec().volume_name() == to;
    });
  }
  void limit(const std::string& node, const std::string& driver, int volumes) {
    csi_nodes_.push_back(node);
    create(parsed<api::CSINode>(fmt::format(
        R"({{"metadata": {{"name": "{}"}}, "spec": {{"drivers": [{{"name": "{}", "nodeID": "{}",
             "allocatable": {{"count": {}}}}}]}}}})",
        node, driver, node, volumes)));
  }

 private:
  std::vector<std::string> volumes_, classes_, csi_nodes_;
};
RESCHEDULER_ON_EVERY_CLUSTER(Volumes);

TEST_P(Volumes, APodGoesToTheNodeOfItsBoundVolume) {
  add_node("a");
  const std::string there = add_node("b");
  add_node("c");
  start_scheduler();
  const std::string volume = add_volume("v", there, "");
  add_claim("data", "", volume);
  ASSERT_TRUE(bound("data", volume));
  add_pod("p", using_claim("data"));
  EXPECT_EQ(lands_on("p"), there);
}

TEST_P(Volumes, AClaimThatWaitsForItsFirstConsumerIsBoundToAVolumeOfTheChosenNode) {
  add_node("a");
  const std::string there = add_node("b");
  auto& scheduler = start_scheduler();
  const std::string waits = add_class();
  const std::string volume = add_volume("v", there, waits);
  add_claim("data", waits);
  add_pod("p", using_claim("data"));
  EXPECT_EQ(lands_on("p"), there);
  EXPECT_TRUE(bound("data", volume));
  auto taken = await(client().get<api::PersistentVolume>("", volume));
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_EQ(taken->spec().claim_ref().name(), "data");
  EXPECT_EQ(taken->spec().claim_ref().namespace_(), ns());

  // The only volume is taken; the next pod waits until there is another volume.
  add_claim("more", waits);
  add_pod("q", using_claim("more"));
  expect_message(
      "q",
      "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind. no new claims to "
      "deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
      {"2 node(s) didn't find available persistent volumes to bind"});
  const std::string second = add_volume("w", there, waits);
  EXPECT_EQ(lands_on("q"), there);
  EXPECT_TRUE(bound("more", second));
  EXPECT_TRUE(eventually([&] { return scheduler.assumed() == 0; }));
}

TEST_P(Volumes, TwoPodsDoNotGetTheSameVolume) {
  const std::string a = add_node("a");
  const std::string b = add_node("b");
  const std::string waits = add_class();
  add_volume("v", a, waits);
  add_volume("w", b, waits);
  add_claim("one", waits);
  add_claim("two", waits);
  add_pod("p", using_claim("one"));
  add_pod("q", using_claim("two"));
  start_scheduler();
  EXPECT_NE(lands_on("p"), lands_on("q"));
}

TEST_P(Volumes, APodWaitsUntilItsClaimExists) {
  const std::string node = add_node("a");
  start_scheduler();
  add_pod("p", using_claim("data"));
  EXPECT_NE(wait_unschedulable("p").find("persistentvolumeclaim \"data\" not found"), std::string::npos);
  const std::string volume = add_volume("v", node, "");
  add_claim("data", "", volume);
  EXPECT_EQ(lands_on("p"), node);
}

TEST_P(Volumes, TheVolumeLimitOfACsiDriverIsHonoured) {
  const std::string node = add_node("a");
  const std::string driver = ns() + ".example.com";
  limit(node, driver, 1);
  start_scheduler();
  for (const char* name : {"one", "two"}) {
    const std::string volume =
        add_volume(name, node, "", fmt::format(R"("csi": {{"driver": "{}", "volumeHandle": "{}"}})", driver, name));
    add_claim(name, "", volume);
    ASSERT_TRUE(bound(name, volume));
  }
  add_pod("p", using_claim("one"));
  EXPECT_EQ(lands_on("p"), node);
  add_pod("q", using_claim("two"));
  expect_message("q",
                 "0/1 nodes are available: 1 node(s) exceed max volume count. no new claims to deallocate, preemption: "
                 "0/1 nodes are available: 1 No preemption victims found for incoming pod.",
                 {"1 node(s) exceed max volume count"});
  remove_pod("p");
  EXPECT_EQ(lands_on("q"), node);
}

TEST_P(Volumes, AReadWriteOncePodVolumeIsUsedByOnePodOnly) {
  const std::string node = add_node("a");
  start_scheduler();
  const std::string volume =
      add_volume("v", node, "", R"("csi": {"driver": "disk.example.com", "volumeHandle": "v"})", "ReadWriteOncePod");
  add_claim("data", "", volume, "ReadWriteOncePod");
  ASSERT_TRUE(bound("data", volume));
  add_pod("p", using_claim("data"));
  EXPECT_EQ(lands_on("p"), node);
  add_pod("q", using_claim("data"));
  const std::string in_use =
      "1 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another "
      "pod";
  expect_message("q",
              "0/1 nodes are available: " + in_use
                  + ". no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found "
                    "for incoming pod.",
              {in_use});
  remove_pod("p");
  EXPECT_EQ(lands_on("q"), node);
}

}  // namespace
}  // namespace rescheduler::test
