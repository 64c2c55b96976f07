// manifests/test-pods.yaml: example pods that show the decisions of a scheduler.
#include <gtest/gtest.h>

#include "kube/codec/json.h"
#include "kube/config/file.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/value/quantity.h"
#include "sim/scenario/manifest.h"
#include "sim/scenario/scenario_file.h"

namespace rescheduler::sim {
namespace {

std::vector<api::Pod> test_pods() {
  const auto text = kube::read_whole_file("manifests/test-pods.yaml", 1 << 20);
  EXPECT_TRUE(text) << text.error().message;
  const auto manifests = read_manifests(text.value_or(""), "test-pods.yaml");
  EXPECT_TRUE(manifests) << manifests.error().message;
  std::vector<api::Pod> pods;
  for (const Manifest& manifest : *manifests) {
    EXPECT_EQ(manifest.kind, "Pod");
    const auto read = kube::from_json(manifest.json, pods.emplace_back(), kube::UnknownFields::Refuse);
    EXPECT_TRUE(read) << read.error().message;
  }
  return pods;
}

kube::Quantity requested(const api::Pod& pod, const char* resource) {
  EXPECT_EQ(pod.spec().containers_size(), 1);
  const auto amount = kube::Quantity::parse(pod.spec().containers(0).resources().requests().at(resource).string());
  EXPECT_TRUE(amount);
  return amount.value_or(kube::Quantity{});
}

TEST(TestPods, AreTwelvePodsWithTheExpectedTotalRequests) {
  const auto pods = test_pods();
  ASSERT_EQ(pods.size(), 12U);
  kube::Quantity cpu;
  kube::Quantity memory;
  for (const api::Pod& pod : pods) {
    EXPECT_EQ(pod.metadata().namespace_(), "k8s");
    EXPECT_EQ(pod.spec().scheduler_name(), "rescheduler-scheduler");
    EXPECT_EQ(pod.spec().containers(0).image(), "registry.k8s.io/pause:3.10");
    cpu += requested(pod, "cpu");
    memory += requested(pod, "memory");
  }
  EXPECT_EQ(cpu, *kube::Quantity::parse("13750m"));
  EXPECT_EQ(memory, *kube::Quantity::parse("17268Mi"));
}

TEST(TestPods, HaveTheSameRequestsAsTheSeedScenario) {
  const auto scenario = load_scenario("seed-12-pods");
  ASSERT_TRUE(scenario);
  for (const api::Pod& pod : test_pods()) {
    const Workload* played = scenario->find_workload("k8s/" + pod.metadata().name());
    ASSERT_NE(played, nullptr) << pod.metadata().name();
    for (const char* resource : {"cpu", "memory"}) {
      EXPECT_EQ(requested(pod, resource), *kube::Quantity::parse(played->requests.at(resource)));
    }
  }
}

}  // namespace
}  // namespace rescheduler::sim
