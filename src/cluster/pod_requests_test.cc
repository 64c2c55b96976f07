#include "cluster/pod_requests.h"

#include <gtest/gtest.h>

#include "cluster/testing.h"

namespace rescheduler::cluster::testing {
namespace {

constexpr std::int64_t kMebibyte = 1 << 20;

std::int64_t cpu_of(const api::Pod& asked, RequestsOf which = RequestsOf::Incoming) {
  SymbolTable symbols;
  return requests_of(asked, which, symbols).plain.cpu;
}

PodRequests all_of(const api::Pod& asked, SymbolTable& symbols) {
  return requests_of(asked, RequestsOf::Incoming, symbols);
}

TEST(PodRequests, ContainersAndSidecarsAddUp) {
  EXPECT_EQ(cpu_of(pod("p")), 0);
  EXPECT_EQ(cpu_of(pod("p").request("cpu", "1500m").container({{"cpu", "1"}})), 2500);
  EXPECT_EQ(cpu_of(pod("p").request("cpu", "1").sidecar({{"cpu", "500m"}}).sidecar({{"cpu", "100m"}})), 1600);
}

TEST(PodRequests, InitContainersCountWhileTheyRun) {
  EXPECT_EQ(cpu_of(pod("p").request("cpu", "1").init({{"cpu", "3"}}).init({{"cpu", "2"}})), 3000);
  EXPECT_EQ(cpu_of(pod("p").request("cpu", "4").init({{"cpu", "3"}})), 4000);
  // An init container runs beside the sidecars that started before it, not beside later ones.
  EXPECT_EQ(cpu_of(pod("p").sidecar({{"cpu", "1"}}).init({{"cpu", "3"}})), 4000);
  EXPECT_EQ(cpu_of(pod("p").init({{"cpu", "3"}}).sidecar({{"cpu", "1"}})), 3000);
}

TEST(PodRequests, RequestsAreTheMaximumOverTheStartupStepsPlusOverhead) {
  const auto asked = pod("p").request("cpu", "1.5").init({{"cpu", "2"}}).sidecar({{"cpu", "1"}}).init({{"cpu", "3"}});
  EXPECT_EQ(cpu_of(asked), 4000);
  EXPECT_EQ(cpu_of(PodBuilder(asked).overhead({{"cpu", "250m"}})), 4250);
}

TEST(PodRequests, TheMaximumOverTheStartupStepsIsTakenForEachResource) {
  SymbolTable symbols;
  const auto asked = pod("p").requests("1", "100Mi").init({{"cpu", "2"}}).init({{"memory", "500Mi"}});
  const PodRequests requests = all_of(asked, symbols);
  EXPECT_EQ(requests.plain.cpu, 2000);
  EXPECT_EQ(requests.plain.memory, 500 * kMebibyte);
}

TEST(PodRequests, PodLevelRequestsReplaceTheSumOfTheContainersAndOverheadIsAdded) {
  SymbolTable symbols;
  const auto asked = pod("p")
                         .requests("3", "100Mi")
                         .request("example.com/gpu", "1")
                         .pod_level({{"cpu", "1"}, {"hugepages-2Mi", "4Mi"}})
                         .overhead({{"cpu", "100m"}, {"memory", "1Mi"}});
  const PodRequests requests = all_of(asked, symbols);
  EXPECT_EQ(requests.plain.cpu, 1100);  // replaced, although smaller
  EXPECT_EQ(requests.plain.memory, 101 * kMebibyte);
  EXPECT_EQ(requests.plain.other(symbols.intern("hugepages-2Mi")), 4 * kMebibyte);
  EXPECT_EQ(requests.plain.other(symbols.intern("example.com/gpu")), 1);
}

TEST(PodRequests, PodLevelRequestsOtherThanCpuMemoryAndHugePagesAreIgnored) {
  SymbolTable symbols;
  const PodRequests requests =
      all_of(pod("p").pod_level({{"example.com/gpu", "1"}, {"ephemeral-storage", "1Gi"}}), symbols);
  EXPECT_EQ(requests.plain, ResourceList{});
}

TEST(PodRequests, SumsAreExactAndRoundedUpOnce) {
  SymbolTable symbols;
  // Three times 300u is 900u, rounded up once to 1m, not to 3m.
  const auto asked = pod("p").request("cpu", "300u").container({{"cpu", "300u"}}).container({{"cpu", "300u"}});
  EXPECT_EQ(cpu_of(asked), 1);
  EXPECT_EQ(cpu_of(pod("p").request("cpu", "1n")), 1);
  EXPECT_EQ(all_of(pod("p").request("memory", "1500m"), symbols).plain.memory, 2);
}

TEST(PodRequests, AContainerWithoutRequestsCountsWithDefaultRequestsInScores) {
  SymbolTable symbols;
  const PodRequests quiet = all_of(pod("p").container({}), symbols);
  EXPECT_EQ(quiet.nonzero_cpu, 200);
  EXPECT_EQ(quiet.nonzero_memory, 400 * kMebibyte);
  const PodRequests zero = all_of(pod("p").requests("0", "0"), symbols);
  EXPECT_EQ(zero.nonzero_cpu, 0);
  EXPECT_EQ(zero.nonzero_memory, 0);
  const PodRequests init = all_of(pod("p").requests("50m", "1Mi").init({}), symbols);
  EXPECT_EQ(init.nonzero_cpu, 100);
  EXPECT_EQ(init.nonzero_memory, 200 * kMebibyte);
}

TEST(PodRequests, PodLevelRequestsReplaceDefaultsExceptInTheScoreOfTheIncomingPod) {
  SymbolTable symbols;
  const PodRequests requests = all_of(pod("p").container({}).pod_level({{"cpu", "1"}}), symbols);
  EXPECT_EQ(requests.nonzero_cpu, 1000);
  EXPECT_EQ(requests.nonzero_memory, 400 * kMebibyte);
  EXPECT_EQ(requests.scored_cpu, 200);
  EXPECT_EQ(requests.scored_memory, 400 * kMebibyte);
}

// --- In-place resize ---

PodBuilder resized(const char* spec, const char* allocated, const char* actual) {
  return pod("p")
      .request("cpu", spec)
      .merge(std::string(R"({"status":{"containerStatuses":[{"name":"main","allocatedResources":{"cpu":")") + allocated
             + R"("},"resources":{"requests":{"cpu":")" + actual + R"("}}}]}})");
}

TEST(ResizedPod, APlacedPodCountsWithTheMaximumOfSpecAllocatedAndActualRequests) {
  EXPECT_EQ(cpu_of(resized("3", "1", "2"), RequestsOf::Placed), 3000);
  EXPECT_EQ(cpu_of(resized("1", "3", "2"), RequestsOf::Placed), 3000);
  EXPECT_EQ(cpu_of(resized("1", "2", "3"), RequestsOf::Placed), 3000);
  EXPECT_EQ(cpu_of(resized("1", "2", "3"), RequestsOf::Incoming), 1000);
}

TEST(ResizedPod, TheSpecIsIgnoredIfTheResizeIsInfeasible) {
  const char* infeasible =
      R"({"status":{"conditions":[{"type":"PodResizePending","status":"True","reason":"Infeasible"}]}})";
  EXPECT_EQ(cpu_of(resized("9", "1", "2").merge(infeasible), RequestsOf::Placed), 2000);
  const char* deferred =
      R"({"status":{"conditions":[{"type":"PodResizePending","status":"True","reason":"Deferred"}]}})";
  EXPECT_EQ(cpu_of(resized("9", "1", "2").merge(deferred), RequestsOf::Placed), 9000);
}

TEST(ResizedPod, APodWithoutAStatusOfItsContainerCountsByItsSpec) {
  EXPECT_EQ(cpu_of(pod("p").request("cpu", "2"), RequestsOf::Placed), 2000);
  const auto of_another =
      pod("p")
          .request("cpu", "2")
          .merge(R"({"status":{"containerStatuses":[{"name":"other","allocatedResources":{"cpu":"5"}}]}})");
  EXPECT_EQ(cpu_of(of_another, RequestsOf::Placed), 2000);
}

TEST(ResizedPod, PodLevelRequestsCountWithTheMaximumOfSpecAndPodStatus) {
  const auto asked =
      pod("p")
          .pod_level({{"cpu", "2"}})
          .merge(R"({"status":{"allocatedResources":{"cpu":"3"},"resources":{"requests":{"cpu":"1"}}}})");
  EXPECT_EQ(cpu_of(asked, RequestsOf::Placed), 3000);
  EXPECT_EQ(cpu_of(asked, RequestsOf::Incoming), 2000);
  const auto half = pod("p").pod_level({{"cpu", "2"}}).merge(R"({"status":{"allocatedResources":{"cpu":"3"}}})");
  EXPECT_EQ(cpu_of(half, RequestsOf::Placed), 2000);  // an incomplete status is ignored
}

TEST(CountedResources, AreExtendedResourcesHugePagesAttachableVolumesAndKubernetesIoNames) {
  for (const char* name : {"example.com/gpu", "hugepages-1Gi", "attachable-volumes-aws-ebs", "kubernetes.io/batch"}) {
    EXPECT_TRUE(is_counted_resource(name)) << name;
  }
  for (const char* name : {"gpu", "requests.example.com/gpu", "storage"}) {
    EXPECT_FALSE(is_counted_resource(name)) << name;
  }
}

}  // namespace
}  // namespace rescheduler::cluster::testing
