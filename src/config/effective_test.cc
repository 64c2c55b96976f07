#include "config/effective.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "config/read.h"

namespace rescheduler::config {
namespace {

using placement::Point;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string effective(const Configuration& configuration) {
  return effective_configuration(configuration, default_catalog());
}

TEST(EffectiveConfiguration, ShowsEveryDefault) {
  EXPECT_EQ(effective(default_configuration(default_catalog())), R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
parallelism: 16
leaderElection:
  leaderElect: true
  leaseDuration: "15s"
  renewDeadline: "10s"
  retryPeriod: "2s"
  resourceLock: leases
  resourceName: rescheduler-scheduler
  resourceNamespace: kube-system
clientConnection:
  kubeconfig: ""
  acceptContentTypes: ""
  contentType: application/vnd.kubernetes.protobuf
  qps: 50
  burst: 100
enableProfiling: true
enableContentionProfiling: true
percentageOfNodesToScore: 100
podInitialBackoffSeconds: 1
podMaxBackoffSeconds: 10
profiles:
- schedulerName: rescheduler-scheduler
  percentageOfNodesToScore: 100
  plugins:
    multiPoint:
      disabled:
      - name: "*"
    preEnqueue:
      enabled:
      - name: SchedulingGates
      - name: DynamicResources
      - name: DefaultPreemption
    queueSort:
      enabled:
      - name: PrioritySort
    preFilter:
      enabled:
      - name: NodeAffinity
      - name: NodePorts
      - name: NodeResourcesFit
      - name: VolumeRestrictions
      - name: NodeVolumeLimits
      - name: VolumeBinding
      - name: VolumeZone
      - name: PodTopologySpread
      - name: InterPodAffinity
      - name: DynamicResources
      - name: NodeDeclaredFeatures
    filter:
      enabled:
      - name: NodeUnschedulable
      - name: NodeName
      - name: TaintToleration
      - name: NodeAffinity
      - name: NodePorts
      - name: NodeResourcesFit
      - name: VolumeRestrictions
      - name: NodeVolumeLimits
      - name: VolumeBinding
      - name: VolumeZone
      - name: PodTopologySpread
      - name: InterPodAffinity
      - name: DynamicResources
      - name: NodeDeclaredFeatures
    postFilter:
      enabled:
      - name: DynamicResources
      - name: DefaultPreemption
    preScore:
      enabled:
      - name: TaintToleration
      - name: NodeAffinity
      - name: NodeResourcesFit
      - name: VolumeBinding
      - name: PodTopologySpread
      - name: InterPodAffinity
      - name: NodeResourcesBalancedAllocation
    score:
      enabled:
      - name: TaintToleration
        weight: 3
      - name: NodeAffinity
        weight: 2
      - name: NodeResourcesFit
        weight: 1
      - name: VolumeBinding
        weight: 1
      - name: PodTopologySpread
        weight: 2
      - name: InterPodAffinity
        weight: 2
      - name: DynamicResources
        weight: 2
      - name: NodeResourcesBalancedAllocation
        weight: 1
      - name: ImageLocality
        weight: 1
    reserve:
      enabled:
      - name: VolumeBinding
      - name: DynamicResources
    preBind:
      enabled:
      - name: VolumeBinding
      - name: DynamicResources
    bind:
      enabled:
      - name: DefaultBinder
  pluginConfig:
  - name: DefaultPreemption
    args:
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: DefaultPreemptionArgs
      minCandidateNodesPercentage: 10
      minCandidateNodesAbsolute: 100
  - name: DynamicResources
    args:
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: DynamicResourcesArgs
      filterTimeout: "10s"
  - name: InterPodAffinity
    args:
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: InterPodAffinityArgs
      hardPodAffinityWeight: 1
      ignorePreferredTermsOfExistingPods: false
  - name: NodeAffinity
    args:
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: NodeAffinityArgs
  - name: NodeResourcesBalancedAllocation
    args:
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: NodeResourcesBalancedAllocationArgs
      resources:
      - name: cpu
        weight: 1
      - name: memory
        weight: 1
  - name: NodeResourcesFit
    args:
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: NodeResourcesFitArgs
      ignoredResources: []
      ignoredResourceGroups: []
      scoringStrategy:
        type: LeastAllocated
        resources:
        - name: cpu
          weight: 1
        - name: memory
          weight: 1
  - name: PodTopologySpread
    args:
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: PodTopologySpreadArgs
      defaultingType: System
  - name: VolumeBinding
    args:
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: VolumeBindingArgs
      bindTimeoutSeconds: 600
delayCacheUntilActive: false
)");
}

TEST(EffectiveConfiguration, NeverShowsAPrivateKey) {
  Configuration configuration = default_configuration(default_catalog());
  Extender extender{"https://x"};
  extender.tls = ExtenderTls{};
  extender.tls->cert_data = "certificate";
  extender.tls->key_data = kube::Secret("PRIVATE");
  configuration.extenders = {extender};
  const std::string text = effective(configuration);
  EXPECT_THAT(text, Not(HasSubstr("PRIVATE")));
  EXPECT_THAT(text, Not(HasSubstr("UFJJVkFURQ"))) << "the key must not be shown in base64 either";
  const auto again = read_configuration(text, "again", default_catalog());
  EXPECT_THAT(again.problems, IsEmpty()) << text;
  EXPECT_EQ(effective(again.configuration), text);
}

std::string random_word() {
  return *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange<char>(32, 127)));
}

Extender random_extender(int index) {
  Extender extender{"http://" + random_word()};
  extender.filter_verb = random_word();
  extender.weight = *rc::gen::inRange(1, 1000);
  if (index == 0) extender.bind_verb = random_word();
  extender.enable_https = *rc::gen::arbitrary<bool>();
  extender.http_timeout = std::chrono::nanoseconds{*rc::gen::inRange<std::int64_t>(1, 1'000'000'000'000)};
  extender.ignorable = *rc::gen::arbitrary<bool>();
  extender.managed_resources = {{fmt::format("example.com/r{}", index), *rc::gen::arbitrary<bool>()}};
  if (*rc::gen::arbitrary<bool>()) {
    extender.tls = ExtenderTls{};
    extender.tls->ca_data = random_word();
    extender.tls->server_name = random_word();
  }
  return extender;
}

// A random profile as text, so that the test also covers reading it.
std::string random_profile(int index) {
  static const std::vector<std::string> plugins = {
      "", "    multiPoint: {enabled: [{name: Rescheduler, weight: 7}, {name: Podrescheduling}]}\n",
      "    multiPoint: {disabled: [{name: NodePorts}], enabled: [{name: NodePorts}]}\n",
      "    score: {disabled: [{name: '*'}], enabled: [{name: ImageLocality, weight: 3}]}\n",
      "    filter: {enabled: [{name: Rescheduler}, {name: NodePorts}], disabled: [{name: NodeName}]}\n"};
  static const std::vector<std::string> args = {"",
                                                R"(  - name: NodeResourcesFit
    args: {ignoredResources: [a.b/c], scoringStrategy: {type: MostAllocated}}
)",
                                                R"(  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: RequestedToCapacityRatio
        resources: [{name: x/y, weight: 9}]
        requestedToCapacityRatio: {shape: [{utilization: 3, score: 4}, {utilization: 30, score: 0}]}
)",
                                                R"(  - name: PodTopologySpread
    args:
      defaultingType: List
      defaultConstraints: [{maxSkew: 2, topologyKey: z, whenUnsatisfiable: ScheduleAnyway, minDomains: 3}]
)",
                                                R"(  - name: NodeAffinity
    args:
      addedAffinity:
        preferredDuringSchedulingIgnoredDuringExecution:
        - {weight: 5, preference: {matchExpressions: [{key: 'a', operator: In, values: ['1', 'true']}]}}
)",
                                                R"(  - name: Rescheduler
    args: {cpuThreshold: 33.3, enabledStrategies: [], excludedNamespaces: ['1'], reschedulingInterval: 1m30s}
)",
                                                R"(  - name: Rescheduler
    args:
      load:
        resources: [{name: io, query: 'a{b="c"} > 1', unit: fraction, weight: 0, threshold: 0.5}]
        smoothing: {kind: percentile, percentile: 99.9, window: 90s}
        sources: [{kind: prometheus, address: 'http://[::1]:9090', queries: {io: '"', memory: 'x # y'}}, {kind: file, path: ' '}]
)",
                                                R"(  - name: DynamicResources
    args: {filterTimeout: 1.5s}
)"};
  std::string text = fmt::format("- schedulerName: s{}\n", index);
  if (*rc::gen::arbitrary<bool>()) text += fmt::format("  percentageOfNodesToScore: {}\n", *rc::gen::inRange(0, 101));
  text += "  plugins:\n" + *rc::gen::elementOf(plugins) + "  pluginConfig:\n" + *rc::gen::elementOf(args);
  return text;
}

RC_GTEST_PROP(EffectiveConfiguration, ReadsBackUnchanged, ()) {
  std::string file = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n";
  const int profiles = *rc::gen::inRange(1, 4);
  for (int i = 0; i < profiles; ++i) file += random_profile(i);
  auto first = read_configuration(file, "first", default_catalog());
  RC_ASSERT(first.problems.empty());
  Configuration& before = first.configuration;
  before.parallelism = *rc::gen::inRange(1, 100);
  before.leader_election.leader_elect = *rc::gen::arbitrary<bool>();
  before.leader_election.retry_period = std::chrono::nanoseconds{*rc::gen::inRange<std::int64_t>(1, 8'000'000'000)};
  before.leader_election.resource_name = random_word();
  before.client_connection.kubeconfig = random_word();
  before.client_connection.qps = *rc::gen::inRange(1, 1000) / 8.0;
  before.enable_profiling = *rc::gen::arbitrary<bool>();
  before.enable_contention_profiling = *rc::gen::arbitrary<bool>();
  before.percentage_of_nodes_to_score = *rc::gen::inRange(0, 101);
  before.pod_max_backoff = std::chrono::seconds{*rc::gen::inRange(1, 1000)};
  before.delay_cache_until_active = *rc::gen::arbitrary<bool>();
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) before.extenders.push_back(random_extender(i - 1));

  const std::string text = effective(before);
  const auto second = read_configuration(text, "second", default_catalog());
  RC_ASSERT(second.problems.empty());
  const Configuration& after = second.configuration;
  RC_ASSERT(effective(after) == text);
  RC_ASSERT(after.leader_election == before.leader_election);
  RC_ASSERT(after.client_connection == before.client_connection);
  RC_ASSERT(after.extenders == before.extenders);
  RC_ASSERT(after.profiles.size() == before.profiles.size());
  for (std::size_t i = 0; i < after.profiles.size(); ++i) {
    RC_ASSERT(after.profiles[i].plugins == before.profiles[i].plugins);
    RC_ASSERT(after.profiles[i].args.size() == before.profiles[i].args.size());
  }
}

}  // namespace
}  // namespace rescheduler::config
