#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/catalog.h"
#include "config/configuration.h"
#include "config/effective.h"
#include "config/read.h"

namespace rescheduler::config {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string with_args(const std::string& args, const std::string& version = "v1") {
  return "apiVersion: kubescheduler.config.k8s.io/" + version + R"(
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: rescheduler-scheduler
  plugins: {multiPoint: {enabled: [{name: Podrescheduling}]}}
  pluginConfig:
  - name: Podrescheduling
    args: )"
         + args + "\n";
}

ConfigurationReading reading(const std::string& args, const std::string& version = "v1") {
  return read_configuration(with_args(args, version), "test", default_catalog());
}

const PodreschedulingSettings& args_of(const ConfigurationReading& read) {
  return *read.configuration.profiles.at(0).podrescheduling;
}

TEST(PodreschedulingArgs, UnsetFieldsHaveTheirDefaults) {
  const auto read = reading("{}");
  EXPECT_THAT(read.problems, IsEmpty());
  EXPECT_EQ(args_of(read).recovery, RecoverySettings{});
  EXPECT_EQ(args_of(read).recovery.mode, StrategyMode::Act);
  EXPECT_EQ(args_of(read).recovery.quarantine.mode, StrategyMode::Observe);
  EXPECT_FALSE(args_of(read).placing.hard);
}

TEST(PodreschedulingArgs, AreReadInBothVersions) {
  for (const char* version : {"v1", "v1beta3"}) {
    const auto read = reading(
        "{hard: true, recovery: {mode: observe, healthyWindow: 5m, rules: {crashLoop: {restarts: 2, window: 1m}, "
        "imagePull: {enabled: false}, nodeLost: {after: 10s}}, quarantine: {owners: 4, perZone: 2}, "
        "visited: {most: 3, expiry: 1h}, webhook: {url: 'https://127.0.0.1:9/x', nodeAffinity: true, timeout: 1s}}}",
        version);
    ASSERT_THAT(read.problems, IsEmpty()) << version;
    const auto args = args_of(read);
    EXPECT_TRUE(args.placing.hard);
    EXPECT_EQ(args.recovery.mode, StrategyMode::Observe);
    EXPECT_EQ(args.recovery.healthy_window, minutes{5});
    EXPECT_EQ(args.recovery.rules.crash_loop.restarts, 2U);
    EXPECT_EQ(args.recovery.rules.crash_loop.window, minutes{1});
    EXPECT_FALSE(args.recovery.rules.image_pull.enabled);
    EXPECT_EQ(args.recovery.rules.node_lost.after, seconds{10});
    EXPECT_EQ(args.recovery.quarantine.owners, 4U);
    EXPECT_EQ(args.recovery.quarantine.per_zone, 2U);
    EXPECT_EQ(args.recovery.visited.most, 3U);
    EXPECT_TRUE(args.recovery.webhook.node_affinity);
  }
}

TEST(PodreschedulingArgs, EachInvalidSettingIsReportedOnce) {
  const std::pair<const char*, const char*> cases[] = {
      {"{hart: true}", "hart"},
      {"{recovery: {mode: on}}", "valid values are off, observe and act"},
      {"{recovery: {rules: {crashLoops: {}}}}", "crashLoops"},
      {"{recovery: {rules: {crashLoop: {restarts: 0}}}}", "restarts"},
      {"{recovery: {rules: {imagePull: {after: 0s}}}}", "must be above 0s"},
      {"{recovery: {rules: {nodeLost: {window: 1m}}}}", "window"},
      {"{recovery: {quarantine: {owners: 1}}}", "owners"},
      {"{recovery: {visited: {most: 0}}}", "most"},
      {"{recovery: {excludedNamespaces: [A]}}", "is not a valid namespace name"},
      {"{recovery: {webhook: {url: 'http://a'}}}", "must begin with https://"},
      {"{recovery: {webhook: {url: 'https://a?b=c'}}}", "must have no query"},
      {"{recovery: {webhook: {url: 'https://a', service: b}}}", "must not be set together with service"},
      {"{recovery: {webhook: {certificateFile: /a}}}", "must be given together"},
      {"{recovery: {webhook: {timeout: 100ms}}}", "must be between 1s and 30s"},
      {"{recovery: {webhook: {port: 70000}}}", "port"},
  };
  for (const auto& [args, expected] : cases) {
    const auto read = reading(args);
    ASSERT_EQ(read.problems.size(), 1U) << args;
    EXPECT_THAT(read.problems.front().text, HasSubstr(expected)) << args;
  }
}

TEST(PodreschedulingArgs, PrintedRecoverySettingsReadBackUnchanged) {
  const auto read = reading(
      "{hard: true, recovery: {mode: 'off', mostRetries: 7, applicationAfter: 3, rules: {failed: {reasons: [A, B]}, "
      "unknown: {enabled: false, after: 1s}}, excludedNamespaces: [], quarantine: {mode: observe, expiry: 90s}, "
      "webhook: {enabled: false, certificateFile: /c, keyFile: /k, caFile: /a, port: 0}}}");
  ASSERT_THAT(read.problems, IsEmpty());
  const std::string text = effective_configuration(read.configuration, default_catalog());
  const auto again = read_configuration(text, "again", default_catalog());
  ASSERT_THAT(again.problems, IsEmpty()) << text;
  EXPECT_EQ(args_of(again).recovery, args_of(read).recovery) << text;
  EXPECT_THAT(args_of(again).recovery.rules.failed.reasons, ElementsAre("A", "B"));
}

}  // namespace
}  // namespace rescheduler::config
