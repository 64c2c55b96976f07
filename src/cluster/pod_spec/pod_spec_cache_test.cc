#include "cluster/pod_spec/pod_spec_cache.h"

#include <gtest/gtest.h>

#include "cluster/cluster.h"
#include "cluster/testing.h"

namespace rescheduler::cluster::testing {
namespace {

constexpr const char* kHost = "kubernetes.io/hostname";
const Others kX{.labels = {{{"app", "x"}}}};

struct PodSpecCacheTest : ::testing::Test {
  CompiledPodSpecPtr compiled_spec(const PodBuilder& of) { return cluster.compiled_spec_of(of); }
  Cluster cluster;
};

TEST_F(PodSpecCacheTest, PodsOfOneTemplateShareOneCompiledSpec) {
  const auto template_ = [](const std::string& name) {
    return pod(name).requests("1", "1Gi").toleration("a").near(kHost, kX).image("web").host_port(80).priority(3);
  };
  const CompiledPodSpecPtr first = compiled_spec(template_("p1"));
  EXPECT_EQ(compiled_spec(template_("p2").label("pod-index", "2")), first);
  EXPECT_EQ(compiled_spec(template_("p3").merge(R"({"spec":{"terminationGracePeriodSeconds":5}})")), first);
}

// Each variant has one change. No two variants may have equal keys.
std::vector<std::pair<const char*, PodBuilder>> variants() {
  const auto preferring = [](int weight, const char* op) {
    return pod("p").node_affinity(
        R"({"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":)" + std::to_string(weight)
        + R"(,"preference":{"matchExpressions":[{"key":"a","operator":")" + op + R"("}]}}]})");
  };
  const auto requiring = [](const char* terms) {
    return pod("p").node_affinity(
        std::string(R"({"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":)") + terms + "}}");
  };
  return {
      {"plain", pod("p")},
      {"cpu", pod("p").request("cpu", "1")},
      {"memory", pod("p").request("memory", "1")},
      {"gpu", pod("p").request("example.com/gpu", "1")},
      {"gpu, zero", pod("p").request("example.com/gpu", "0")},
      {"explicit zero", pod("p").requests("0", "0")},
      {"priority", pod("p").priority(1)},
      {"never preempts", pod("p").never_preempts()},
      {"claims", pod("p").merge(R"({"spec":{"resourceClaims":[{"name":"c"}]}})")},
      {"toleration", pod("p").toleration("a")},
      {"toleration by value", pod("p").toleration("a", "Equal")},
      {"toleration with an effect", pod("p").toleration("a", "Exists", "", "NoSchedule")},
      {"selector", pod("p").node_selector("a", "b")},
      {"selector with key and value swapped", pod("p").node_selector("b", "a")},
      {"required", requiring(R"([{"matchExpressions":[{"key":"a","operator":"Exists"}]}])")},
      {"required, DoesNotExist", requiring(R"([{"matchExpressions":[{"key":"a","operator":"DoesNotExist"}]}])")},
      {"required, two terms", requiring(R"([{"matchExpressions":[{"key":"a","operator":"Exists"}]},
                                      {"matchExpressions":[{"key":"b","operator":"Exists"}]}])")},
      {"required, one term with two expressions", requiring(R"([{"matchExpressions":[{"key":"a","operator":"Exists"},
                                                           {"key":"b","operator":"Exists"}]}])")},
      {"required, no terms", requiring("[]")},
      {"preferred", preferring(1, "Exists")},
      {"preferred with a higher weight", preferring(2, "Exists")},
      {"port", pod("p").host_port(80)},
      {"UDP port", pod("p").host_port(80, "UDP")},
      {"port of one address", pod("p").host_port(80, "", "10.0.0.1")},
      {"image", pod("p").image("web")},
      {"two images", pod("p").image("web").image("web")},
      {"image volume", pod("p").merge(R"({"spec":{"volumes":[{"name":"v","image":{"reference":"web"}}]}})")},
      {"features", pod("p").merge(R"({"spec":{"hostNetwork":true,"hostUsers":false}})")},
      {"near", pod("p").near(kHost, kX)},
      {"away", pod("p").away(kHost, kX)},
      {"near by zone", pod("p").near("topology.kubernetes.io/zone", kX)},
      {"near without selector", pod("p").near(kHost, {})},
      {"near every pod", pod("p").near(kHost, {.labels = Texts{}})},
      {"near, in another namespace", pod("p").near(kHost, {.labels = kX.labels, .namespaces = {"red"}})},
      {"near, for a pod in another namespace", pod("p").in("blue").near(kHost, kX)},
      {"near, in all namespaces", pod("p").near(kHost, {.labels = kX.labels, .namespace_labels = Texts{}})},
      {"preferred affinity", pod("p").likes(1, kHost, kX)},
      {"preferred affinity with a higher weight", pod("p").likes(2, kHost, kX)},
      {"preferred anti-affinity", pod("p").dislikes(1, kHost, kX)},
      {"spread", pod("p").spread({.labels = kX.labels})},
      {"soft spread", pod("p").spread({.hard = false, .labels = kX.labels})},
      {"spread with a higher maxSkew", pod("p").spread({.max_skew = 2, .labels = kX.labels})},
      {"spread with minDomains", pod("p").spread({.labels = kX.labels, .min_domains = 2})},
      {"spread ignoring affinity", pod("p").spread({.labels = kX.labels, .affinity_policy = "Ignore"})},
      {"spread honouring taints", pod("p").spread({.labels = kX.labels, .taints_policy = "Honor"})},
      {"claim", pod("p").merge(R"({"spec":{"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}}]}})")},
      {"other claim",
       pod("p").merge(R"({"spec":{"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"d"}}]}})")},
      {"ephemeral claim", pod("p").merge(R"({"spec":{"volumes":[{"name":"c","ephemeral":{}}]}})")},
      {"on a node", pod("p").on("n")},
  };
}

TEST_F(PodSpecCacheTest, EveryFieldThatPlacementReadsMakesAnotherCompiledSpec) {
  std::vector<std::pair<const char*, CompiledPodSpecPtr>> known;
  for (const auto& [what, made] : variants()) {
    const CompiledPodSpecPtr one = compiled_spec(made);
    for (const auto& [other, other_spec] : known) EXPECT_NE(one, other_spec) << what << " and " << other;
    known.emplace_back(what, one);
  }
}

TEST_F(PodSpecCacheTest, PodsWithEqualRequirementsShareThemEvenIfOtherFieldsDiffer) {
  const CompiledPodSpecPtr one = compiled_spec(pod("p").requests("1", "1Gi"));
  const CompiledPodSpecPtr other = compiled_spec(pod("p").requests("1", "1Gi").priority(7).near(kHost, kX));
  EXPECT_NE(one, other);
  EXPECT_EQ(one->requirements, other->requirements);
  EXPECT_NE(one->requirements->id, compiled_spec(pod("p").requests("2", "1Gi"))->requirements->id);
}

TEST_F(PodSpecCacheTest, DifferentValuesOfMatchLabelKeysMakeAnotherCompiledSpec) {
  const auto revision = [](const std::string& rev) {
    return pod("p").label("rev", rev).spread({.labels = kX.labels, .match_label_keys = {"rev"}});
  };
  EXPECT_NE(compiled_spec(revision("1")), compiled_spec(revision("2")));
  EXPECT_EQ(compiled_spec(revision("1")), compiled_spec(revision("1")));
}

TEST_F(PodSpecCacheTest, AWaitingPodAndItsAssignedPodShareOneCompiledSpec) {
  const CompiledPodSpecPtr waiting = compiled_spec(pod("p").requests("1", "1Gi"));
  cluster.upsert_pod(pod("p").requests("1", "1Gi").on("n"));
  EXPECT_EQ(cluster.pod(cluster.find_pod("uid-p").value()).compiled_spec, waiting);
}

TEST_F(PodSpecCacheTest, UnusedCompiledSpecsAreDroppedFromTheCache) {
  Interner interner;
  Namespaces namespaces(interner.selectors);
  PodSpecCache cache(interner, namespaces);
  const CompiledPodSpecPtr kept = cache.of(pod("p"), RequestsOf::Incoming);
  for (int i = 1; i <= 5000; ++i)
    cache.of(pod("p").priority(i).request("cpu", std::to_string(i)), RequestsOf::Incoming);
  EXPECT_LT(cache.size(), 2000U);
  EXPECT_EQ(cache.of(pod("p"), RequestsOf::Incoming), kept);
}

TEST_F(PodSpecCacheTest, RequirementsThatAreCompiledAgainHaveANewId) {
  const std::uint64_t id = compiled_spec(pod("p").priority(1))->requirements->id;  // released immediately
  const CompiledPodSpecPtr again = compiled_spec(pod("p").priority(1));
  EXPECT_NE(again->requirements->id, id);
}

}  // namespace
}  // namespace rescheduler::cluster::testing
