#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "config/configuration.h"
#include "config/effective.h"
#include "config/read.h"
#include "config/time_window.h"

namespace rescheduler::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

ConfigurationReading read(const std::string& args) {
  return read_configuration(fmt::format(R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {{multiPoint: {{enabled: [{{name: Rescheduler}}]}}}}
  pluginConfig: [{{name: Rescheduler, args: {}}}]
)",
                                        args),
                            "f", default_catalog());
}

const ReschedulerSettings& args_of(const ConfigurationReading& reading) {
  for (const auto& problem : reading.problems) ADD_FAILURE() << sentence(problem);
  return *reading.configuration.profiles.at(0).rescheduler;
}

std::vector<std::string> problems_of(const std::string& rescheduling) {
  std::vector<std::string> all;
  for (const auto& remark : read(fmt::format("{{rescheduling: {}}}", rescheduling)).problems) {
    const std::string shared = "profiles[0].pluginConfig[0].args.rescheduling";
    EXPECT_THAT(remark.text, testing::StartsWith(shared));
    all.push_back(remark.text.substr(shared.size()));
  }
  return all;
}

constexpr const char* kEverything = R"({rescheduling: {
  modes: {LoadBalancing: observe, ConstraintRepair: act, NodeMaintenance: "off"},
  loadBalancing: {bands: {cpu: {trigger: 75, target: 60}, memory: {trigger: 90}}, needed: 4, of: 6,
    deviationTrigger: 12, deviationTarget: 5, leastGain: 2},
  resourceOptimization: {strandedTrigger: 20, underused: 30, packedTarget: 80, freeNodes: true},
  constraintRepair: {nodeAffinity: false, taints: false, podAntiAffinity: false, topologySpread: false, duplicates: false},
  maintenance: {nodesAtOnce: 2, giveUpAfter: 30m, pods: {excludedNamespaces: leave, critical: leave, doNotEvict: evict,
    barePods: leave, localStorage: evict}},
  protections: {priorityThreshold: 1000, leastAge: 1m, leastReplicas: 1, localStorage: false, claims: true,
    statefulSetClaims: false, barePods: false, withoutBudget: true},
  brakes: {perCycle: {total: 5, perNode: 1, perNamespace: 2, perWorkload: 1}, atOnce: {total: 3, perNode: 0},
    cooldown: 5m, memory: 1h, pendingPods: 5, failingZone: 40, failedMoves: 30, recentMoves: 6, rest: 3m, paused: true},
  windows: ["Mon-Fri 22:00-06:00", "Sat,Sun 00:00-24:00"],
  pools: [{name: batch, selector: "pool in (batch,spot),!x", modes: {LoadBalancing: act}, bands: {cpu: {trigger: 95}}}]}})";

TEST(ReschedulingArgs, EveryFieldIsRead) {
  ReschedulingSettings expected;
  expected.modes = {{Strategy::LoadBalancing, StrategyMode::Observe},
                    {Strategy::NodeMaintenance, StrategyMode::Off},
                    {Strategy::ConstraintRepair, StrategyMode::Act}};
  expected.load_balancing = {.bands = {{"cpu", {75, 60}}, {"memory", {90, 80}}},
                             .persistence = {4, 6},
                             .deviation_trigger = 12,
                             .deviation_target = 5,
                             .least_gain = 2};
  expected.resource_optimization = {.stranded_trigger = 20, .underused = 30, .packed_target = 80, .free_nodes = true};
  expected.constraint_repair = {false, false, false, false, false};
  expected.maintenance = {.nodes_at_once = 2,
                          .give_up_after = 30min,
                          .pods = {.excluded_namespaces = DrainPolicy::Leave,
                                   .critical = DrainPolicy::Leave,
                                   .do_not_evict = DrainPolicy::Evict,
                                   .bare_pods = DrainPolicy::Leave,
                                   .local_storage = DrainPolicy::Evict}};
  expected.protections = {.priority_threshold = 1000,
                          .least_age = 1min,
                          .least_replicas = 1,
                          .local_storage = false,
                          .claims = true,
                          .stateful_set_claims = false,
                          .bare_pods = false,
                          .without_budget = true};
  expected.brakes = {.per_cycle = {5, 1, 2, 1},
                     .at_once = {3, 0, 5, 1},  // unset fields keep their defaults
                     .cooldown = 5min,
                     .memory = 1h,
                     .pending_pods = 5,
                     .failing_zone = 40,
                     .failed_moves = 30,
                     .recent_moves = 6,
                     .rest = 3min,
                     .paused = true};
  expected.windows = {TimeWindow{0x1f, 22 * 60, 6 * 60}, TimeWindow{0x60, 0, 24 * 60}};
  expected.pools = {{.name = "batch",
                     .selector = "pool in (batch,spot),!x",
                     .modes = {{Strategy::LoadBalancing, StrategyMode::Act}},
                     .bands = {{"cpu", {95, 85}}}}};
  const auto reading = read(kEverything);
  const ReschedulingSettings& settings = args_of(reading).rescheduling;
  EXPECT_EQ(settings.modes, expected.modes);
  EXPECT_EQ(settings.load_balancing, expected.load_balancing);
  EXPECT_EQ(settings.resource_optimization, expected.resource_optimization);
  EXPECT_EQ(settings.constraint_repair, expected.constraint_repair);
  EXPECT_EQ(settings.maintenance, expected.maintenance);
  EXPECT_EQ(settings.protections, expected.protections);
  EXPECT_EQ(settings.brakes, expected.brakes);
  EXPECT_EQ(settings.windows, expected.windows);
  EXPECT_EQ(settings.pools, expected.pools);
}

TEST(ReschedulingArgs, PrintedSettingsReadBackUnchanged) {
  for (const std::string& text : {std::string(kEverything), std::string("{}")}) {
    const auto reading = read(text);
    const ReschedulingSettings before = args_of(reading).rescheduling;
    const std::string printed = effective_configuration(reading.configuration, default_catalog());
    const auto again = read_configuration(printed, "again", default_catalog());
    EXPECT_EQ(args_of(again).rescheduling, before) << printed;
    for (const auto& note : again.notes) EXPECT_THAT(note.text, testing::Not(HasSubstr("rescheduling")));
  }
}

TEST(ReschedulingArgs, EachInvalidSettingIsReportedOnce) {
  EXPECT_THAT(problems_of("{mode: {}}"), ElementsAre(HasSubstr(".mode")));
  EXPECT_THAT(problems_of("{modes: {Balance: act}}"),
              ElementsAre(".modes.Balance: is not a strategy; valid values are LoadBalancing, ResourceOptimization, "
                          "NodeMaintenance and ConstraintRepair"));
  EXPECT_THAT(problems_of("{modes: {LoadBalancing: dry}}"),
              ElementsAre(".modes.LoadBalancing: 'dry' is not a mode; valid values are off, observe and act"));
  EXPECT_THAT(problems_of("{loadBalancing: {bands: {cpu: {trigger: 70, target: 70}}}}"),
              ElementsAre(HasSubstr("target: must be below trigger")));
  EXPECT_THAT(problems_of("{loadBalancing: {needed: 6, of: 5}}"),
              ElementsAre(HasSubstr("must not be greater than `of`")));
  EXPECT_THAT(problems_of("{loadBalancing: {deviationTrigger: 5, deviationTarget: 9}}"),
              ElementsAre(HasSubstr("must not be above deviationTrigger")));
  EXPECT_THAT(problems_of("{resourceOptimization: {underused: 90}}"), ElementsAre(HasSubstr("below packedTarget")));
  EXPECT_THAT(problems_of("{maintenance: {pods: {barePods: delete}}}"),
              ElementsAre(HasSubstr(".maintenance.pods.barePods: 'delete' is not a valid value")));
  EXPECT_THAT(problems_of("{brakes: {cooldown: 7h}}"), ElementsAre(HasSubstr("must not be shorter than cooldown")));
  EXPECT_THAT(problems_of("{brakes: {pendingPods: 0}}"), testing::SizeIs(1));
  EXPECT_THAT(problems_of("{brakes: {perCycle: {totals: 3}}}"), testing::SizeIs(1));
  EXPECT_THAT(problems_of("{maintenance: {nodesAtOnce: 0}}"), testing::SizeIs(1));
  EXPECT_THAT(problems_of("{windows: [night]}"), ElementsAre(HasSubstr("'night' is not a time window")));
  EXPECT_THAT(problems_of("{pools: [{name: a}]}"), ElementsAre(HasSubstr("selector: is required")));
  EXPECT_THAT(problems_of("{pools: [{name: a, selector: x=1}, {name: a, selector: x=2}]}"),
              ElementsAre(HasSubstr("'a' is listed twice")));
  EXPECT_THAT(problems_of("{pools: [{name: a, selector: 'x in'}]}"), testing::SizeIs(1));
}

TEST(ReschedulingArgs, ConstraintRepairCanBeEnabledByName) {
  const auto reading = read("{enabledStrategies: [ConstraintRepair]}");
  EXPECT_THAT(args_of(reading).rescheduling.enabled_strategies, ElementsAre("ConstraintRepair"));
}

TEST(ReschedulingArgs, SettingsOfADisabledControllerAreReportedAsANote) {
  const auto reading = read("{enableReschedulingController: false, rescheduling: {}}");
  ASSERT_EQ(reading.notes.size(), 1U);
  EXPECT_THAT(reading.notes[0].text, HasSubstr("has no effect without enableReschedulingController"));
}

TEST(TimeWindows, InvalidTimeWindowsAreRejected) {
  for (const char* text : {"", "Mon", "Mon-Fri", "22:00", "22:00-25:00", "24:00-06:00", "22:60-23:00", "Mon 22-23",
                           "Mo 22:00-23:00", "Mon,, 22:00-23:00", "10:00-10:00", "Mon-Fri  22:00-06:00"}) {
    EXPECT_FALSE(parse_time_window(text)) << text;
  }
  EXPECT_EQ(parse_time_window("Fri-Mon 01:30-02:00"), (TimeWindow{0x71, 90, 120}));
}

RC_GTEST_PROP(TimeWindows, PrintedTimeWindowsReadBackUnchanged, ()) {
  TimeWindow window;
  window.days = static_cast<std::uint8_t>(*rc::gen::inRange(1, 128));
  window.from = static_cast<std::uint16_t>(*rc::gen::inRange(0, 24 * 60));
  window.to = static_cast<std::uint16_t>(*rc::gen::inRange(0, 24 * 60 + 1));
  RC_PRE(window.from != window.to);
  const auto again = parse_time_window(format_time_window(window));
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == window);
}

TEST(DashboardArgs, AreReadCheckedAndPrinted) {
  const auto reading = read("{dashboard: {enabled: false, grafana: 'https://grafana.example/d/1'}}");
  EXPECT_FALSE(args_of(reading).dashboard.enabled);
  EXPECT_EQ(args_of(reading).dashboard.grafana, "https://grafana.example/d/1");
  EXPECT_THAT(effective_configuration(reading.configuration, default_catalog()),
              HasSubstr("grafana: \"https://grafana.example/d/1\""));
  for (const char* bad : {"javascript:alert(1)", "https://user:secret@grafana", "https://x\"><script>", "grafana"}) {
    const auto refused = read(fmt::format("{{dashboard: {{grafana: '{}'}}}}", bad));
    ASSERT_EQ(refused.problems.size(), 1u) << bad;
    EXPECT_THAT(refused.problems[0].text, HasSubstr("dashboard.grafana"));
  }
}

TEST(MigrationSettings, EachFieldIsReadAndPrintedSettingsReadBackUnchanged) {
  const auto reading = read(
      "{migration: {coordination: false, deadline: 90s, avoidSource: false, direct: true, makeBeforeBreak: Always, "
      "maxUnavailable: 2, maxUnavailablePercent: 10, "
      "protectUnprotected: true, budgetMinAvailable: '3'}}");
  const MigrationSettings& made = args_of(reading).migration;
  EXPECT_FALSE(made.coordination);
  EXPECT_EQ(made.deadline, 90s);
  EXPECT_FALSE(made.avoid_source);
  EXPECT_TRUE(made.direct);
  EXPECT_EQ(made.surge, SurgeUse::Always);
  EXPECT_EQ(made.max_unavailable, 2U);
  EXPECT_EQ(made.max_unavailable_percent, 10U);
  EXPECT_TRUE(made.protect_unprotected);
  EXPECT_EQ(made.min_available, "3");
  EXPECT_EQ(reading.configuration.migration, made);
  const auto again =
      read_configuration(effective_configuration(reading.configuration, default_catalog()), "again", default_catalog());
  EXPECT_EQ(args_of(again).migration, made);
  const auto other = read("{migration: {makeBeforeBreak: Never, budgetMaxUnavailable: 25%}}");
  EXPECT_EQ(args_of(other).migration.surge, SurgeUse::Never);
  EXPECT_EQ(args_of(other).migration.max_unavailable_budget, "25%");
}

// Checks from which profile each setting is taken: see resolve_settings().
TEST(ResolvedSettings, EachPartIsTakenFromTheProfileThatItsRuleSelects) {
  const auto reading = read_configuration(R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: written
  pluginConfig:
  - {name: Rescheduler, args: {logLanguage: zh, load: {interval: 1s}, dashboard: {enabled: false}}}
- schedulerName: reserves
  plugins: {reserve: {enabled: [{name: Rescheduler}]}, preFilter: {enabled: [{name: Podrescheduling}]}}
  pluginConfig:
  - {name: Rescheduler, args: {load: {interval: 2s}, reschedulingInterval: 2s}}
  - {name: Podrescheduling, args: {recovery: {mostRetries: 2}}}
- schedulerName: all
  plugins: {multiPoint: {enabled: [{name: Rescheduler}, {name: Podrescheduling}]}}
  pluginConfig:
  - {name: Rescheduler, args: {load: {interval: 3s}, migration: {direct: true}}}
  - {name: Podrescheduling, args: {recovery: {mostRetries: 3}}}
- schedulerName: last
  pluginConfig: [{name: Rescheduler, args: {migration: {maxUnavailable: 4}}}]
)",
                                          "f", default_catalog());
  for (const auto& problem : reading.problems) ADD_FAILURE() << sentence(problem);
  const Configuration& configuration = reading.configuration;
  ASSERT_TRUE(configuration.load && configuration.rescheduled && configuration.recovery);
  EXPECT_EQ(configuration.load->interval, 2s) << "of the first profile that uses the plugin";
  EXPECT_EQ(configuration.rescheduled->scheduler_name, "reserves");
  EXPECT_EQ(configuration.rescheduled->rescheduler->rescheduling.interval, 2s);
  EXPECT_EQ(configuration.rescheduler.log.language, Language::Chinese) << "of the first profile that has settings";
  EXPECT_FALSE(configuration.rescheduler.dashboard.enabled);
  EXPECT_EQ(configuration.migration.max_unavailable, 4U) << "of the last profile that has settings";
  EXPECT_EQ(configuration.recovery->most_retries, 3U) << "of the first profile that uses the plugin as a filter";
}

TEST(ResolvedSettings, SettingsThatNoProfileUsesOrThatAreDisabledAreAbsent) {
  const Configuration usual = default_configuration(default_catalog());
  EXPECT_FALSE(usual.load || usual.rescheduled || usual.recovery);
  const auto off = read("{enableReschedulingController: false}");
  EXPECT_TRUE(off.configuration.load);
  EXPECT_FALSE(off.configuration.rescheduled);
}

TEST(ResolvedSettings, TheWebhookIsServedForMovesAndForRecoveryUnlessItIsDisabled) {
  const Configuration usual = default_configuration(default_catalog());
  EXPECT_FALSE(usual.serves_webhook());
  EXPECT_FALSE(read("{enableReschedulingController: false}").configuration.serves_webhook());
  EXPECT_TRUE(read("{enableReschedulingController: true}").configuration.serves_webhook());
  const auto with = [](const std::string& plugins, const std::string& args) {
    return read_configuration(fmt::format(R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: s
  plugins: {{multiPoint: {{enabled: [{{name: {}}}]}}}}
  pluginConfig: [{{name: Podrescheduling, args: {}}}]
)",
                                          plugins, args),
                              "f", default_catalog())
        .configuration;
  };
  EXPECT_TRUE(with("Podrescheduling", "{recovery: {webhook: {port: 9443}}}").serves_webhook());
  EXPECT_FALSE(with("Podrescheduling", "{recovery: {mode: off}}").serves_webhook());
  const Configuration moves = with("Rescheduler", "{recovery: {webhook: {port: 9443}}}");
  EXPECT_TRUE(moves.serves_webhook());
  EXPECT_EQ(moves.webhook.port, 9443) << "its settings count although the plugin is not enabled";
  EXPECT_FALSE(with("Rescheduler", "{recovery: {webhook: {enabled: false}}}").serves_webhook());
}

}  // namespace
}  // namespace rescheduler::config
