#include "config/read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rescheduler::config {
namespace {

using placement::Point;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr const char* kHead = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

ConfigurationReading read(const std::string& body) {
  return read_configuration(kHead + body, "f.yaml", default_catalog());
}

std::vector<std::string> sentences(const std::vector<kube::YamlRemark>& remarks) {
  std::vector<std::string> all;
  for (const auto& remark : remarks) all.push_back(sentence(remark));
  return all;
}

std::vector<std::string> problems_of(const std::string& body) { return sentences(read(body).problems); }
std::vector<std::string> notes_of(const std::string& body) { return sentences(read(body).notes); }

TEST(ReadConfiguration, AFileWithoutSettingsGivesTheDefaults) {
  const auto reading = read("");
  ASSERT_THAT(reading.problems, IsEmpty());
  EXPECT_THAT(reading.notes, IsEmpty());
  const Configuration& config = reading.configuration;
  EXPECT_EQ(config.parallelism, 16);
  EXPECT_EQ(config.leader_election, LeaderElection{});
  EXPECT_EQ(config.client_connection, ClientConnection{});
  EXPECT_EQ(config.percentage_of_nodes_to_score, 100);
  EXPECT_EQ(config.pod_initial_backoff, seconds{1});
  EXPECT_EQ(config.pod_max_backoff, seconds{10});
  EXPECT_THAT(config.extenders, IsEmpty());
  ASSERT_EQ(config.profiles.size(), 1U);
  EXPECT_EQ(config.profiles[0].scheduler_name, "rescheduler-scheduler");
  EXPECT_EQ(config.profiles[0].percentage_of_nodes_to_score, std::nullopt);
  EXPECT_EQ(config.profiles[0].plugins, default_configuration(default_catalog()).profiles[0].plugins);
  EXPECT_EQ(config.profiles[0].args.size(), 8U) << "each default plugin that takes arguments has its default arguments";
}

TEST(ReadConfiguration, EveryFieldIsRead) {
  const auto reading = read(R"(
leaderElection:
  leaderElect: false
  leaseDuration: 60s
  renewDeadline: 40s
  retryPeriod: 5s
  resourceLock: leases
  resourceName: a
  resourceNamespace: b
clientConnection: {kubeconfig: /k, contentType: application/json, qps: 0.5, burst: 7}
percentageOfNodesToScore: 30
podInitialBackoffSeconds: 2
podMaxBackoffSeconds: 20
delayCacheUntilActive: true
profiles:
- schedulerName: one
  percentageOfNodesToScore: 0
- schedulerName: two
extenders:
- urlPrefix: https://x.example/ext
  filterVerb: filter
  preemptVerb: preempt
  prioritizeVerb: prioritize
  weight: 4
  bindVerb: bind
  enableHTTPS: true
  tlsConfig: {serverName: s, certFile: /c, keyData: a2V5, caData: Y2E=}
  httpTimeout: 30s
  nodeCacheCapable: true
  managedResources: [{name: example.com/gpu, ignoredByScheduler: true}]
  ignorable: true
)");
  ASSERT_THAT(sentences(reading.problems), IsEmpty());
  const Configuration& config = reading.configuration;
  EXPECT_EQ(config.leader_election, (LeaderElection{false, seconds{60}, seconds{40}, seconds{5}, "leases", "b", "a"}));
  EXPECT_EQ(config.client_connection, (ClientConnection{"/k", "", "application/json", 0.5, 7}));
  EXPECT_EQ(config.percentage_of_nodes_to_score, 30);
  EXPECT_EQ(config.pod_initial_backoff, seconds{2});
  EXPECT_EQ(config.pod_max_backoff, seconds{20});
  EXPECT_TRUE(config.delay_cache_until_active);
  EXPECT_EQ(config.profiles.at(0).percentage_of_nodes_to_score, 0);
  EXPECT_EQ(config.profiles.at(1).scheduler_name, "two");
  ASSERT_EQ(config.extenders.size(), 1U);
  Extender expected{"https://x.example/ext", "filter", "preempt", "prioritize", "bind", 4, true};
  expected.tls = ExtenderTls{false, "s", "/c", "", "", "", kube::Secret("key"), "ca"};
  expected.http_timeout = seconds{30};
  expected.node_cache_capable = true;
  expected.managed_resources = {{"example.com/gpu", true}};
  expected.ignorable = true;
  EXPECT_EQ(config.extenders[0], expected);
}

TEST(ReadConfiguration, ZeroAndEmptyMeanTheDefaultInTheSameFieldsAsInKubeScheduler) {
  const auto reading = read(R"(
leaderElection: {leaseDuration: 0s, renewDeadline: 0s, retryPeriod: 0s, resourceLock: "", resourceName: ""}
clientConnection: {qps: 0, burst: 0, contentType: ""}
extenders: [{urlPrefix: http://x, httpTimeout: 0s}]
profiles: [{plugins: {score: {enabled: [{name: ImageLocality, weight: 0}]}}}]
)");
  ASSERT_THAT(sentences(reading.problems), IsEmpty());
  EXPECT_EQ(reading.configuration.leader_election, LeaderElection{});
  EXPECT_EQ(reading.configuration.client_connection, ClientConnection{});
  EXPECT_EQ(reading.configuration.extenders[0].http_timeout, seconds{5});
  EXPECT_EQ(reading.configuration.profiles[0].at(Point::Score)[0], (placement::PluginUse{"ImageLocality", 1}));
}

TEST(ReadConfiguration, AllProblemsAreReportedTogetherWithTheirLines) {
  EXPECT_THAT(problems_of(R"(parallelism: 0
percentageOfNodesToScore: 101
podInitialBackoffSeconds: ten
unknown: 1
leaderElection:
  leaderElect: yes
  leaseDuration: 5
profiles:
- schedulerName: a
  plugin: {}
)"),
              ElementsAre("line 3: parallelism: must be between 1 and 2147483647",
                          "line 4: percentageOfNodesToScore: must be between 0 and 100",
                          "line 5: podInitialBackoffSeconds: expected a whole number, found a string",
                          "line 6: unknown: unknown field",
                          "line 8: leaderElection.leaderElect: expected true or false, found a string",
                          "line 9: leaderElection.leaseDuration: expected a string, found a number; put it in quotes",
                          "line 12: profiles[0].plugin: unknown field"));
}

TEST(ReadConfiguration, ADuplicateFieldOrInvalidYamlIsReportedWithItsLine) {
  EXPECT_THAT(problems_of("parallelism: 1\nparallelism: 2\n"), ElementsAre(testing::StartsWith("line 4: ")));
  EXPECT_THAT(problems_of("profiles: [\n"), ElementsAre(testing::StartsWith("line ")));
}

TEST(ReadConfiguration, OnlyTheSupportedVersionsAndKindAreAccepted) {
  const auto problems = [](const char* text) {
    return sentences(read_configuration(text, "f", default_catalog()).problems);
  };
  const std::string version =
      "apiVersion: must be kubescheduler.config.k8s.io/v1 or kubescheduler.config.k8s.io/v1beta3";
  EXPECT_THAT(problems("apiVersion: kubescheduler.config.k8s.io/v1beta2\nkind: KubeSchedulerConfiguration\n"),
              ElementsAre("line 1: " + version));
  EXPECT_THAT(problems("apiVersion: kubescheduler.config.k8s.io/v1\nkind: Pod\n"),
              ElementsAre("line 2: kind: must be KubeSchedulerConfiguration"));
  EXPECT_THAT(problems(""), ElementsAre("line 1: " + version, "line 1: kind: must be KubeSchedulerConfiguration"));
  EXPECT_THAT(problems("just words"), testing::Not(IsEmpty()));
}

TEST(ReadConfiguration, FieldsThatOnlyV1beta3HasAreAcceptedOnlyInV1beta3) {
  const std::string leftovers = "healthzBindAddress: 0.0.0.0:10251\nmetricsBindAddress: ''\n";
  EXPECT_THAT(problems_of(leftovers),
              ElementsAre("line 3: healthzBindAddress: unknown field", "line 4: metricsBindAddress: unknown field"));
  const std::string head = "apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n";
  const auto reading = read_configuration(head + leftovers, "f", default_catalog());
  EXPECT_THAT(reading.problems, IsEmpty());
  EXPECT_THAT(
      sentences(reading.notes),
      ElementsAre(
          "line 1: apiVersion: is a version that kube-scheduler no longer reads; write kubescheduler.config.k8s.io/v1",
          "line 3: healthzBindAddress: has no effect here: health and metrics answer on the secure "
          "port"));
  EXPECT_EQ(read_configuration(head + "metricsBindAddress: a:b\n", "f", default_catalog()).problems.size(), 1U);
}

TEST(ReadConfiguration, SettingsWithoutEffectAreReportedAsNotes) {
  EXPECT_THAT(notes_of("parallelism: 8\nenableProfiling: false\nclientConnection: {acceptContentTypes: x}\n"),
              ElementsAre("line 3: parallelism: has no effect here: one thread makes all scheduling decisions",
                          "line 4: enableProfiling: has no effect here: this program has no Go profiler",
                          "line 5: clientConnection.acceptContentTypes: has no effect here: rescheduler requests "
                          "protobuf where the API server supports it"));
  EXPECT_THAT(
      notes_of(R"(profiles:
- plugins:
    filter:
      enabled: [{name: NodeName, weight: 2}]
      disabled: [{name: EBSLimits}]
    placementScore:
      disabled: [{name: X}]
)"),
      ElementsAre("line 6: profiles[0].plugins.filter.enabled[0].weight: has no effect: only the extension point score "
                  "uses weights",
                  "line 7: profiles[0].plugins.filter.disabled[0]: has no effect: there is no plugin 'EBSLimits'",
                  "line 9: profiles[0].plugins.placementScore.disabled: has no effect: no plugin implements this "
                  "extension point"));
}

TEST(ReadConfiguration, ContentionProfilingDefaultsToTheValueOfEnableProfiling) {
  EXPECT_TRUE(read("").configuration.enable_contention_profiling);
  EXPECT_FALSE(read("enableProfiling: false\n").configuration.enable_contention_profiling);
  EXPECT_TRUE(
      read("enableProfiling: false\nenableContentionProfiling: true\n").configuration.enable_contention_profiling);
}

TEST(ReadConfiguration, TheInitialBackoffMustBePositiveAndNotAboveTheMaximumBackoff) {
  EXPECT_THAT(problems_of("podInitialBackoffSeconds: 20\n"),
              ElementsAre("line 3: podInitialBackoffSeconds: podMaxBackoffSeconds (10) must not be less than "
                          "podInitialBackoffSeconds (20)"));
  EXPECT_THAT(problems_of("podInitialBackoffSeconds: 0\n"),
              ElementsAre("line 3: podInitialBackoffSeconds: must be between 1 and 86400"));
}

TEST(ReadConfiguration, InvalidLeaderElectionSettingsAreReportedUnlessLeaderElectionIsOff) {
  for (const auto& [settings, problem] : std::vector<std::pair<const char*, const char*>>{
           {"{resourceLock: endpoints}", "resourceLock: must be leases"},
           {"{leaseDuration: 10s}", "leaseDuration: must be greater than renewDeadline"},
           {"{leaseDuration: 1500ms, renewDeadline: 1s, retryPeriod: 100ms}",
            "leaseDuration: must be a whole number of seconds, at least 1s"},
           {"{retryPeriod: 9s}", "renewDeadline: must be greater than 1.2 times retryPeriod"},
           {"{retryPeriod: -1s}", "retryPeriod: must be above 0s"},
           {"{leaseDuration: soon}", "leaseDuration: must be a duration such as 30s or 1m30s"}}) {
    EXPECT_THAT(problems_of(fmt::format("leaderElection: {}\n", settings)),
                ElementsAre(fmt::format("line 3: leaderElection.{}", problem)));
  }
  EXPECT_THAT(problems_of("leaderElection: {leaderElect: false, resourceLock: endpoints, leaseDuration: 1s}\n"),
              IsEmpty())
      << "leader election is off, so its settings are not checked";
}

TEST(ReadConfiguration, InvalidClientConnectionSettingsAreReported) {
  EXPECT_THAT(
      problems_of("clientConnection: {burst: -1, contentType: text/html, token: x}\n"),
      UnorderedElementsAre("line 3: clientConnection.contentType: must be application/vnd.kubernetes.protobuf or "
                           "application/json",
                           "line 3: clientConnection.burst: must be between 0 and 2147483647",
                           "line 3: clientConnection.token: unknown field"));
}

TEST(ReadProfiles, SchedulerNamesMustNotBeEmptyAndSeveralProfilesNeedUniqueNames) {
  EXPECT_THAT(problems_of("profiles:\n- schedulerName: a\n- schedulerName: b\n- schedulerName: a\n- {}\n"),
              ElementsAre("line 6: profiles[2].schedulerName: is already used by profiles[0]",
                          "line 7: profiles[3].schedulerName: is required if there are several profiles"));
  EXPECT_THAT(problems_of("profiles:\n- schedulerName: ''\n"),
              ElementsAre("line 4: profiles[0].schedulerName: must not be empty"));
}

TEST(ReadProfiles, AllProfilesMustHaveTheSameQueueSortPlugin) {
  PluginCatalog catalog = default_catalog();
  catalog.push_back({"OtherSort", {Point::QueueSort}});
  const auto reading = read_configuration(std::string(kHead) + R"(profiles:
- schedulerName: a
- schedulerName: b
  plugins: {queueSort: {enabled: [{name: OtherSort}], disabled: [{name: "*"}]}}
- schedulerName: c
  plugins: {queueSort: {enabled: [{name: PrioritySort}]}}
)",
                                          "f", catalog);
  EXPECT_THAT(sentences(reading.problems),
              ElementsAre("line 6: profiles[1].plugins: queueSort must be the same in all profiles"));
}

TEST(ReadProfiles, AProfileNeedsOneQueueSortPluginAndAtLeastOneBindPlugin) {
  EXPECT_THAT(problems_of("profiles:\n- plugins: {multiPoint: {disabled: [{name: '*'}]}}\n"),
              UnorderedElementsAre("line 4: profiles[0].plugins: exactly one queueSort plugin is needed, found 0",
                                   "line 4: profiles[0].plugins: at least one bind plugin is needed"));
}

TEST(ReadProfiles, EnabledPluginsMustExistImplementTheExtensionPointAndBeListedOnce) {
  EXPECT_THAT(
      problems_of(R"(profiles:
- plugins:
    filter:
      enabled:
      - name: Nonsense
      - name: EBSLimits
      - name: ImageLocality
      - name: NodeName
      - name: NodeName
      - weight: 3
      - name: NodePorts
        wait: 3
      disabled: [name: Nonsense]
    score: {enabled: [{name: ImageLocality, weight: -1}]}
    placementScore: {enabled: [{name: NodeName}]}
    normalizeScore: {}
)"),
      ElementsAre(
          "line 7: profiles[0].plugins.filter.enabled[0]: there is no plugin 'Nonsense'",
          "line 8: profiles[0].plugins.filter.enabled[1]: plugin EBSLimits was removed; use NodeVolumeLimits",
          "line 9: profiles[0].plugins.filter.enabled[2]: plugin ImageLocality does not implement the extension point "
          "filter",
          "line 11: profiles[0].plugins.filter.enabled[4]: plugin NodeName is enabled twice",
          "line 12: profiles[0].plugins.filter.enabled[5].name: is required",
          "line 14: profiles[0].plugins.filter.enabled[6].wait: unknown field",
          "line 16: profiles[0].plugins.score.enabled[0].weight: must be between 0 and 2147483647",
          "line 17: profiles[0].plugins.placementScore.enabled: no plugin implements this extension point",
          "line 18: profiles[0].plugins.normalizeScore: unknown field"));
}

TEST(ReadProfiles, PluginConfigMustNameEachKnownPluginOnceWithArgsOfItsType) {
  EXPECT_THAT(
      problems_of(R"(profiles:
- pluginConfig:
  - name: Nonsense
    args: {}
  - name: InterPodAffinity
  - name: InterPodAffinity
  - name: NodeName
    args: {x: 1}
  - name: DefaultPreemption
    args: {apiVersion: v1, kind: NodeAffinityArgs}
  - args: {}
)"),
      ElementsAre(
          "line 5: profiles[0].pluginConfig[0]: there is no plugin 'Nonsense'",
          "line 8: profiles[0].pluginConfig[2].name: plugin InterPodAffinity has two entries in pluginConfig; keep one",
          "line 10: profiles[0].pluginConfig[3].args.x: unknown field",
          "line 12: profiles[0].pluginConfig[4].args.apiVersion: must be "
          "kubescheduler.config.k8s.io/v1 or kubescheduler.config.k8s.io/v1beta3",
          "line 12: profiles[0].pluginConfig[4].args.kind: must be DefaultPreemptionArgs for the plugin "
          "DefaultPreemption",
          "line 13: profiles[0].pluginConfig[5].name: is required"));
}

TEST(ReadExtenders, InvalidExtenderSettingsAreReported) {
  EXPECT_THAT(
      problems_of(R"(extenders:
- urlPrefix: x.example
  prioritizeVerb: p
  bindVerb: bind
- urlPrefix: http://x.example
  bindVerb: bind
  httpTimeout: -1s
  managedResources:
  - name: example.com/gpu
  - name: example.com/gpu
  - name: cpu
  - name: kubernetes.io/x
  - name: a/b/c
  tlsConfig: {certData: "%", keyFile: k, insecure: true, caFile: f, more: 1}
)"),
      UnorderedElementsAre(
          "line 4: extenders[0].urlPrefix: is required and must begin with http:// or https://",
          "line 4: extenders[0].weight: must be greater than zero if prioritizeVerb is set",
          "line 8: extenders[1].bindVerb: only one extender can have a bindVerb, and another extender already has one",
          "line 9: extenders[1].httpTimeout: must not be negative",
          "line 12: extenders[1].managedResources[1].name: is listed twice; an extended resource can have only one "
          "extender",
          "line 13: extenders[1].managedResources[2].name: must be an extended resource, such as "
          "example.com/gpu",
          "line 14: extenders[1].managedResources[3].name: must be an extended resource, such as "
          "example.com/gpu",
          "line 15: extenders[1].managedResources[4].name: must be an extended resource, such as "
          "example.com/gpu",
          "line 16: extenders[1].tlsConfig.certData: must be base64",
          "line 16: extenders[1].tlsConfig.more: unknown field",
          "line 16: extenders[1].tlsConfig: the client certificate and its key must be given together",
          "line 16: extenders[1].tlsConfig.insecure: must not be set together with a certificate authority"));
}

TEST(LoadConfiguration, TheErrorNamesTheFileAndListsAllProblems) {
  const auto loaded = load_configuration(std::string(kHead) + "a: 1\nb: 2\n", "f.yaml", default_catalog());
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().message, "f.yaml: line 3: a: unknown field; line 4: b: unknown field");
  EXPECT_TRUE(load_configuration(kHead, "f.yaml", default_catalog()));
}

}  // namespace
}  // namespace rescheduler::config
