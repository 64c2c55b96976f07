#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/configuration.h"
#include "config/read.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::UnorderedElementsAre;

ConfigurationReading read(const std::string& plugin, const std::string& args) {
  return read_configuration(fmt::format(R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    multiPoint: {{enabled: [{{name: Rescheduler}}]}}
  pluginConfig:
  - name: {}
    args: {}
)",
                                        plugin, args),
                            "f", default_catalog());
}

template <class Args>
Args good(const std::string& plugin, const std::string& args) {
  const auto reading = read(plugin, args);
  for (const auto& problem : reading.problems) ADD_FAILURE() << sentence(problem);
  const Profile& profile = reading.configuration.profiles.at(0);
  if constexpr (std::is_same_v<Args, ReschedulerSettings>) {
    return *profile.rescheduler;
  } else {
    return *profile.args_of<Args>(plugin);
  }
}

// The texts of the problems without their common path.
std::vector<std::string> bad(const std::string& plugin, const std::string& args) {
  std::vector<std::string> all;
  for (const auto& problem : read(plugin, args).problems) {
    EXPECT_EQ(problem.line, 8);
    const std::string shared = "profiles[0].pluginConfig[0].args";
    EXPECT_THAT(problem.text, testing::StartsWith(shared));
    all.push_back(problem.text.substr(shared.size()));
  }
  return all;
}

TEST(DefaultPreemptionArgs, AreReadAndChecked) {
  const auto args = good<placement::DefaultPreemptionArgs>("DefaultPreemption", "{minCandidateNodesPercentage: 0}");
  EXPECT_EQ(args.min_candidate_nodes_percentage, 0);
  EXPECT_EQ(args.min_candidate_nodes_absolute, 100);
  EXPECT_THAT(bad("DefaultPreemption", "{minCandidateNodesPercentage: 101}"),
              ElementsAre(".minCandidateNodesPercentage: must be between 0 and 100"));
  EXPECT_THAT(bad("DefaultPreemption", "{minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0}"),
              ElementsAre(".minCandidateNodesPercentage: must not be zero together with minCandidateNodesAbsolute"));
}

TEST(InterPodAffinityArgs, AreReadAndChecked) {
  const auto args = good<placement::InterPodAffinityArgs>(
      "InterPodAffinity", "{hardPodAffinityWeight: 100, ignorePreferredTermsOfExistingPods: true}");
  EXPECT_EQ(args.hard_pod_affinity_weight, 100);
  EXPECT_TRUE(args.ignore_preferred_terms_of_existing_pods);
  EXPECT_THAT(bad("InterPodAffinity", "{hardPodAffinityWeight: 101, x: 1}"), SizeIs(2));
}

TEST(NodeResourcesFitArgs, AreRead) {
  const auto args = good<placement::NodeResourcesFitArgs>("NodeResourcesFit", R"({
      apiVersion: kubescheduler.config.k8s.io/v1, kind: NodeResourcesFitArgs,
      ignoredResources: [example.com/a], ignoredResourceGroups: [example.com],
      scoringStrategy: {type: RequestedToCapacityRatio, resources: [{name: cpu, weight: 3}, {name: memory, weight: 0}],
        requestedToCapacityRatio: {shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]}}})");
  EXPECT_EQ(args.strategy, placement::ScoringStrategy::RequestedToCapacityRatio);
  ASSERT_THAT(args.resources, SizeIs(2));
  EXPECT_EQ(args.resources[0].weight, 3);
  EXPECT_EQ(args.resources[1].weight, 1);
  ASSERT_THAT(args.shape, SizeIs(2));
  EXPECT_EQ(args.shape[1].score, 10);
  EXPECT_THAT(args.ignored_resources, ElementsAre("example.com/a"));
  const auto most =
      good<placement::NodeResourcesFitArgs>("NodeResourcesFit", "{scoringStrategy: {type: MostAllocated}}");
  EXPECT_EQ(most.strategy, placement::ScoringStrategy::MostAllocated);
  EXPECT_THAT(most.resources, SizeIs(2)) << "cpu and memory";
}

TEST(NodeResourcesFitArgs, AreChecked) {
  const auto strategy = [](const char* text) {
    return bad("NodeResourcesFit", fmt::format("{{scoringStrategy: {}}}", text));
  };
  EXPECT_THAT(strategy("{resources: [{name: cpu, weight: 101}, {weight: 1}]}"),
              ElementsAre(".scoringStrategy.type: must be LeastAllocated, MostAllocated or RequestedToCapacityRatio",
                          ".scoringStrategy.resources[0].weight: must be between 0 and 100",
                          ".scoringStrategy.resources[1].name: is required"));
  EXPECT_THAT(strategy("{type: RequestedToCapacityRatio}"),
              ElementsAre(".scoringStrategy.requestedToCapacityRatio: is required for this type"));
  EXPECT_THAT(
      strategy("{type: LeastAllocated, requestedToCapacityRatio: {shape: [{utilization: 1}]}}"),
      ElementsAre(".scoringStrategy.requestedToCapacityRatio: is only valid with the type RequestedToCapacityRatio"));
  EXPECT_THAT(strategy("{type: RequestedToCapacityRatio, requestedToCapacityRatio: {}}"),
              ElementsAre(".scoringStrategy.requestedToCapacityRatio.shape: needs at least one point"));
  EXPECT_THAT(
      strategy("{type: RequestedToCapacityRatio, requestedToCapacityRatio: {shape: "
               "[{utilization: 5, score: 11}, {utilization: 5, score: 1}]}}"),
      UnorderedElementsAre(
          ".scoringStrategy.requestedToCapacityRatio.shape[0].score: must be between 0 and 10",
          ".scoringStrategy.requestedToCapacityRatio.shape: the utilization must increase from point to point"));
  EXPECT_THAT(bad("NodeResourcesFit", "{ignoredResources: ['a b'], ignoredResourceGroups: [a/b]}"), SizeIs(2));
}

TEST(NodeResourcesBalancedAllocationArgs, AreReadAndChecked) {
  const auto args = good<placement::NodeResourcesBalancedAllocationArgs>("NodeResourcesBalancedAllocation",
                                                                         "{resources: [{name: example.com/gpu}]}");
  ASSERT_THAT(args.resources, SizeIs(1));
  EXPECT_EQ(args.resources[0].name, "example.com/gpu");
  EXPECT_THAT(
      bad("NodeResourcesBalancedAllocation", "{resources: [{name: cpu, weight: 2}, {name: cpu}]}"),
      UnorderedElementsAre(".resources[0].weight: must be between 0 and 1", ".resources: 'cpu' is listed twice"));
}

TEST(PodTopologySpreadArgs, AreReadAndChecked) {
  const auto args = good<placement::PodTopologySpreadArgs>("PodTopologySpread",
                                                           "{defaultingType: List, defaultConstraints: [{maxSkew: 3, "
                                                           "topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]}");
  EXPECT_EQ(args.defaulting, placement::SpreadDefaulting::List);
  ASSERT_THAT(args.default_constraints, SizeIs(1));
  EXPECT_EQ(args.default_constraints[0]->max_skew(), 3);
  EXPECT_EQ(args.default_constraints[0]->topology_key(), "zone");
  EXPECT_THAT(bad("PodTopologySpread",
                  "{defaultConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]}"),
              ElementsAre(".defaultConstraints: require defaultingType: List"));
  EXPECT_THAT(bad("PodTopologySpread",
                  "{defaultingType: List, defaultConstraints: [{maxSkew: 0, labelSelector: {}}, {maxSkew: x}]}"),
              SizeIs(5));
  EXPECT_THAT(
      bad("PodTopologySpread",
          "{defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: "
          "DoNotSchedule}, {maxSkew: 2, topologyKey: z, whenUnsatisfiable: DoNotSchedule}]}"),
      ElementsAre(".defaultConstraints[1]: has the same topologyKey and whenUnsatisfiable as another constraint"));
  EXPECT_THAT(bad("PodTopologySpread", "{defaultingType: Some}"), SizeIs(1));
}

TEST(VolumeBindingArgs, AreReadAndChecked) {
  EXPECT_EQ(good<placement::VolumeBindingArgs>("VolumeBinding", "{bindTimeoutSeconds: 0}").bind_timeout.count(), 0);
  EXPECT_THAT(bad("VolumeBinding", "{bindTimeoutSeconds: -1, shape: []}"), SizeIs(2));
}

TEST(DynamicResourcesArgs, AreReadAndChecked) {
  const auto args =
      good<placement::DynamicResourcesArgs>("DynamicResources", "{filterTimeout: 0s, bindingTimeout: 1s}");
  EXPECT_EQ(args.filter_timeout.count(), 0);
  EXPECT_THAT(read("DynamicResources", "{bindingTimeout: 1s}").notes, SizeIs(1));
  EXPECT_THAT(bad("DynamicResources", "{filterTimeout: -1s, bindingTimeout: 1ms}"), SizeIs(2));
}

TEST(NodeAffinityArgs, AreReadAndChecked) {
  const auto terms = [](const char* operation, const char* values) {
    return fmt::format(
        "{{addedAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{{matchExpressions: "
        "[{{key: a, operator: {}, values: {}}}]}}]}}}}}}",
        operation, values);
  };
  const auto args = good<placement::NodeAffinityArgs>("NodeAffinity", terms("In", "[b]"));
  ASSERT_NE(args.added_affinity, nullptr);
  EXPECT_EQ(args.added_affinity->required_during_scheduling_ignored_during_execution().node_selector_terms_size(), 1);
  EXPECT_EQ(good<placement::NodeAffinityArgs>("NodeAffinity", "{}").added_affinity, nullptr);
  EXPECT_THAT(bad("NodeAffinity", terms("Near", "[b]")), SizeIs(1));
  EXPECT_THAT(bad("NodeAffinity", terms("Exists", "[b]")), SizeIs(1));
  EXPECT_THAT(bad("NodeAffinity", "{addedAffinity: {required: {}}}"), ElementsAre(HasSubstr("required")));
  EXPECT_THAT(bad("NodeAffinity",
                  "{addedAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: "
                  "{matchFields: [{key: spec.x, operator: In, values: [y]}]}}]}}"),
              SizeIs(1));
}

TEST(ReschedulerArgs, HaveTheDefaultsOfTheGuides) {
  const auto args = good<ReschedulerSettings>("Rescheduler", "{}");
  EXPECT_EQ(args.placing.cpu_threshold, 80);
  EXPECT_EQ(args.placing.memory_score_weight, 0.4);
  EXPECT_EQ(args.placing.load_filter_wait, std::chrono::minutes{1});
  EXPECT_EQ(args.rescheduling.interval, std::chrono::seconds{30});
}

TEST(ReschedulerArgs, EachFieldIsCheckedForItsTypeAndRange) {
  for (const auto& [text, problem] : std::vector<std::pair<const char*, const char*>>{
           {"{cpuThreshold: 0}", ".cpuThreshold: must be a percentage above 0 and up to 100"},
           {"{memoryThreshold: 100.1}", ".memoryThreshold: must be a percentage above 0 and up to 100"},
           {"{loadFilterWait: -1s}", ".loadFilterWait: must not be negative"},
           {"{loadFilterPriority: high}", ".loadFilterPriority: expected a whole number, found a string"},
           {"{cpuThreshold: '80'}", ".cpuThreshold: expected a number, found a string"},
           {"{enableSchedulingOptimization: 1}",
            ".enableSchedulingOptimization: expected true or false, found a number"},
           {"{enablePreventiveRescheduling: x}",
            ".enablePreventiveRescheduling: expected true or false, found a string"},
           {"{enableReschedulingController: x}",
            ".enableReschedulingController: expected true or false, found a string"},
           {"{cpuScoreWeight: 1.5}", ".cpuScoreWeight: must be between 0 and 1"},
           {"{memoryScoreWeight: -0.1}", ".memoryScoreWeight: must be between 0 and 1"},
           {"{cpuScoreWeight: 0, memoryScoreWeight: 0}",
            ".cpuScoreWeight: must not be zero together with memoryScoreWeight"},
           {"{loadBalanceBonus: 101}", ".loadBalanceBonus: must be between 0 and 100"},
           {"{reschedulingInterval: 30}", ".reschedulingInterval: expected a string, found a number; put it in quotes"},
           {"{reschedulingInterval: 10ms}", ".reschedulingInterval: must be at least 1s"},
           {"{enabledStrategies: [Luck]}",
            ".enabledStrategies: 'Luck' is not a valid value; valid values are LoadBalancing, ResourceOptimization, "
            "NodeMaintenance and "
            "ConstraintRepair"},
           {"{enabledStrategies: [LoadBalancing, LoadBalancing]}",
            ".enabledStrategies: 'LoadBalancing' is listed twice"},
           {"{excludedNamespaces: [Kube]}", ".excludedNamespaces: 'Kube' is not a valid namespace name"},
           {"{cpuTreshold: 1}", ".cpuTreshold: unknown field"}}) {
    EXPECT_THAT(bad("Rescheduler", text), ElementsAre(problem)) << text;
  }
}

}  // namespace
}  // namespace rescheduler::config
