#include "cluster/objects/pods.h"

#include <gtest/gtest.h>

#include "kube/proto/core_pod.pb.h"

namespace rescheduler::cluster {
namespace {

api::Pod owned(const std::string& kind, const std::string& name, const std::string& hash = "") {
  api::Pod pod;
  auto& other = *pod.mutable_metadata()->add_owner_references();
  other.set_kind("Thing");
  other.set_name("other");
  auto& owner = *pod.mutable_metadata()->add_owner_references();
  owner.set_kind(kind);
  owner.set_name(name);
  owner.set_controller(true);
  if (!hash.empty()) (*pod.mutable_metadata()->mutable_labels())["pod-template-hash"] = hash;
  return pod;
}

std::string workload(const api::Pod& pod) {
  const WorkloadName name = workload_of(pod);
  return std::string(name.kind).append("/").append(name.name);
}

TEST(ControllerOf, IsTheOwnerReferenceWithControllerTrue) {
  EXPECT_EQ(controller_of(owned("ReplicaSet", "web").metadata())->name(), "web");
  api::Pod pod = owned("ReplicaSet", "web");
  pod.mutable_metadata()->mutable_owner_references(1)->set_controller(false);
  EXPECT_EQ(controller_of(pod.metadata()), nullptr);
}

TEST(WorkloadOfAPod, IsTheDeploymentOrCronJobBehindItsController) {
  EXPECT_EQ(workload(owned("ReplicaSet", "web-5488d44c9f", "5488d44c9f")), "Deployment/web");
  EXPECT_EQ(workload(owned("Job", "nightly-29384120")), "CronJob/nightly");
  EXPECT_EQ(workload(owned("StatefulSet", "db")), "StatefulSet/db");
  EXPECT_EQ(workload(api::Pod()), "/");
}

TEST(WorkloadOfAPod, IsTheControllerItselfIfItsNameWasNotGenerated) {
  EXPECT_EQ(workload(owned("ReplicaSet", "web-1", "5488d44c9f")), "ReplicaSet/web-1");
  EXPECT_EQ(workload(owned("ReplicaSet", "web")), "ReplicaSet/web");
  EXPECT_EQ(workload(owned("ReplicaSet", "-abc", "abc")), "ReplicaSet/-abc")
      << "the name without the hash would be empty";
  EXPECT_EQ(workload(owned("Job", "import-2024")), "Job/import-2024");
  EXPECT_EQ(workload(owned("Job", "29384120")), "Job/29384120");
}

TEST(PodProperties, APodIsReadyIfItsConditionReadyIsTrue) {
  api::Pod pod;
  EXPECT_FALSE(is_ready(pod));
  auto& condition = *pod.mutable_status()->add_conditions();
  condition.set_type("ContainersReady");
  condition.set_status("True");
  EXPECT_FALSE(is_ready(pod));
  condition.set_type("Ready");
  EXPECT_TRUE(is_ready(pod));
  condition.set_status("Unknown");
  EXPECT_FALSE(is_ready(pod));
}

TEST(PodProperties, APodIsFinishedIfItsPhaseIsSucceededOrFailed) {
  api::Pod pod;
  for (const char* phase : {"", "Pending", "Running", "Unknown"}) {
    pod.mutable_status()->set_phase(phase);
    EXPECT_FALSE(is_finished(pod)) << phase;
  }
  for (const char* phase : {"Succeeded", "Failed"}) {
    pod.mutable_status()->set_phase(phase);
    EXPECT_TRUE(is_finished(pod)) << phase;
  }
}

TEST(PodProperties, APodWithADeletionTimestampIsTerminating) {
  api::Pod pod;
  EXPECT_FALSE(is_terminating(pod.metadata()));
  pod.mutable_metadata()->mutable_deletion_timestamp()->set_seconds(1);
  EXPECT_TRUE(is_terminating(pod.metadata()));
}

// Each of the three forms is written by some kubelets.
TEST(DeletionCost, IsA32BitIntegerAsTheApiServerWritesIt) {
  EXPECT_EQ(parse_deletion_cost("0"), 0);
  EXPECT_EQ(parse_deletion_cost("-5"), -5);
  EXPECT_EQ(parse_deletion_cost("-05"), -5) << "the API server accepts it too";
  EXPECT_EQ(parse_deletion_cost("2147483647"), 2147483647);
  for (const char* text : {"", "+1", "007", "00", "12abc", " 1", "1 ", "1.5", "2147483648", "-"}) {
    EXPECT_FALSE(parse_deletion_cost(text)) << text;
    api::ObjectMeta meta;
    (*meta.mutable_annotations())[std::string(kDeletionCostKey)] = text;
    EXPECT_EQ(deletion_cost_of(meta), 0) << text;
  }
  EXPECT_EQ(deletion_cost_of(api::ObjectMeta{}), 0);
}

TEST(PodProperties, AMirrorPodIsRecognisedByItsAnnotationsOrItsOwner) {
  const auto annotated = [](const char* key, const char* value) {
    api::Pod pod;
    (*pod.mutable_metadata()->mutable_annotations())[key] = value;
    return pod;
  };
  EXPECT_TRUE(is_mirror(annotated("kubernetes.io/config.mirror", "")));
  EXPECT_TRUE(is_mirror(annotated("kubernetes.io/config.source", "file")));
  EXPECT_FALSE(is_mirror(annotated("kubernetes.io/config.source", "api")));
  EXPECT_FALSE(is_mirror(annotated("kubernetes.io/config.seen", "today")));
  EXPECT_TRUE(is_mirror(owned("Node", "n1")));
  EXPECT_FALSE(is_mirror(owned("DaemonSet", "agent")));
}

}  // namespace
}  // namespace rescheduler::cluster
