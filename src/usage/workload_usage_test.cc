#include "usage/workload_usage.h"

#include <gtest/gtest.h>

#include "cluster/estimate.h"
#include "cluster/objects/pods.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::usage {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kStart{std::chrono::hours{1000}};

api::Pod owned(const std::string& kind, const std::string& name, const std::string& hash = "") {
  api::Pod pod;
  pod.mutable_metadata()->set_namespace_("shop");
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

TEST(WorkloadKey, IsTheSameForAllRevisionsOfADeploymentAndAllRunsOfACronJob) {
  EXPECT_EQ(cluster::workload_key(owned("ReplicaSet", "web-5488d44c9f", "5488d44c9f")), "shop/Deployment/web");
  EXPECT_EQ(cluster::workload_key(owned("ReplicaSet", "web-1", "5488d44c9f")), "shop/ReplicaSet/web-1");
  EXPECT_EQ(cluster::workload_key(owned("ReplicaSet", "web")), "shop/ReplicaSet/web");
  EXPECT_EQ(cluster::workload_key(owned("ReplicaSet", "-abc", "abc")), "shop/ReplicaSet/-abc")
      << "without the hash the name would be empty";
  EXPECT_EQ(cluster::workload_key(owned("Job", "nightly-29384120")), "shop/CronJob/nightly");
  EXPECT_EQ(cluster::workload_key(owned("Job", "import-2024")), "shop/Job/import-2024");
  EXPECT_EQ(cluster::workload_key(owned("Job", "29384120")), "shop/Job/29384120");
  EXPECT_EQ(cluster::workload_key(owned("StatefulSet", "db")), "shop/StatefulSet/db");
  EXPECT_EQ(cluster::workload_key(api::Pod()), "");
}

TEST(ExpectedLoads, AreTheUsageOfTheWorkloadAndAtLeastTheRequests) {
  cluster::PodRequests requests;
  requests.plain.cpu = 500;
  requests.plain.memory = 1000;
  cluster::ResourceList node;
  node.cpu = 4000;
  node.memory = 10'000;
  const auto by_requests = expected_loads(requests, nullptr, node);
  EXPECT_DOUBLE_EQ(by_requests[cluster::kCpuLoad], 0.125);
  const WorkloadUsage busy{1200, 200};
  const auto loads = expected_loads(requests, &busy, node);
  EXPECT_DOUBLE_EQ(loads[cluster::kCpuLoad], 0.3);
  EXPECT_DOUBLE_EQ(loads[cluster::kMemoryLoad], 0.1);
  EXPECT_DOUBLE_EQ(expected_loads(requests, &busy, {})[cluster::kCpuLoad], 1)
      << "a node without allocatable resources counts as full";
}

TEST(WorkloadUsageTracker, AveragesTheObservedUsageAndKeepsItForADay) {
  WorkloadUsageTracker tracker;
  tracker.observe("shop/Deployment/web", {1000, 100}, kStart);
  tracker.observe("", {1000, 100}, kStart);
  tracker.observe("shop/Job/odd", {cluster::kUnknownLoad, 1}, kStart);
  ASSERT_EQ(tracker.take(kStart)->size(), 1U);
  tracker.observe("shop/Deployment/web", {2000, 300}, kStart + 1min);
  const auto later = tracker.take(kStart + 1min);
  EXPECT_DOUBLE_EQ(later->at("shop/Deployment/web").milli_cpu, 1500);
  EXPECT_DOUBLE_EQ(later->at("shop/Deployment/web").memory, 200);
  const api::Pod pod = owned("ReplicaSet", "web-1a", "1a");
  ASSERT_NE(workload_usage_of(later, pod), nullptr);
  EXPECT_EQ(workload_usage_of(later, owned("Job", "web")), nullptr);
  EXPECT_EQ(workload_usage_of(nullptr, pod), nullptr);
  EXPECT_EQ(tracker.take(kStart + 24h)->size(), 1U);
  EXPECT_EQ(tracker.take(kStart + 48h)->size(), 0U);
}

}  // namespace
}  // namespace rescheduler::usage
