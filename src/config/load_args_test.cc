#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/configuration.h"
#include "config/effective.h"
#include "config/read.h"

namespace rescheduler::config {
namespace {

using cluster::LoadSettings;
using cluster::LoadSource;
using cluster::LoadSourceKind;
using cluster::NodeMatch;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

ConfigurationReading read(const std::string& load) {
  return read_configuration(fmt::format(R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {{multiPoint: {{enabled: [{{name: Rescheduler}}]}}}}
  pluginConfig: [{{name: Rescheduler, args: {{load: {}}}}}]
)",
                                        load),
                            "f", default_catalog());
}

LoadSettings load_of(const ConfigurationReading& reading) {
  for (const auto& problem : reading.problems) ADD_FAILURE() << sentence(problem);
  return reading.configuration.profiles.at(0).rescheduler->load;
}

std::vector<std::string> texts(const std::vector<kube::YamlRemark>& remarks) {
  std::vector<std::string> all;
  for (const auto& remark : remarks) {
    const std::string shared = "profiles[0].pluginConfig[0].args.load";
    EXPECT_THAT(remark.text, testing::StartsWith(shared));
    all.push_back(remark.text.substr(shared.size()));
  }
  return all;
}

constexpr const char* kEverything = R"({
  resources: [{name: cpu-pressure, query: 'rate(x[1m])', unit: fraction, weight: 0.5, threshold: 20}, {name: disk, query: y}],
  freshness: 2m, interval: 10s,
  smoothing: {kind: percentile, percentile: 90, window: 5m},
  sources: [
    {kind: prometheus, address: 'https://prometheus.example:9090/base', caFile: /ca.crt, username: me, passwordFile: /password,
     instanceLabel: node, matchNodeBy: [name, internalIP], nodeLabel: example.com/host, timeout: 2s,
     queries: {cpu: a, disk: b}},
    {kind: prometheus, address: 'https://other.example', insecureSkipVerify: true, bearerTokenFile: /token},
    {kind: prometheus, namespaces: [telemetry, monitoring]}, {kind: metrics-server}, {kind: file, path: /loads.csv}]})";

TEST(LoadArgs, UnsetFieldsHaveTheirDefaults) {
  for (const char* text : {"{}", "null"}) {
    const auto reading = read(text);
    EXPECT_EQ(load_of(reading), LoadSettings{});
    EXPECT_THAT(reading.notes, IsEmpty());
  }
  const LoadSettings load;
  EXPECT_THAT(load.sources, ElementsAre(LoadSource{.kind = LoadSourceKind::Prometheus},
                                        LoadSource{.kind = LoadSourceKind::MetricsServer}));
  EXPECT_EQ(load.sources[0].address, "");
  EXPECT_THAT(load.sources[0].namespaces, ElementsAre("monitoring"));
  EXPECT_EQ(load.freshness, 3min);
  EXPECT_EQ(load.interval, 15s);
}

TEST(LoadArgs, EveryFieldIsRead) {
  const auto reading = read(kEverything);
  const LoadSettings load = load_of(reading);
  EXPECT_THAT(reading.notes, IsEmpty());
  ASSERT_THAT(load.resources, SizeIs(2));
  EXPECT_EQ(load.resources[0].name, "cpu-pressure");
  EXPECT_EQ(load.resources[0].query, "rate(x[1m])");
  EXPECT_EQ(load.resources[0].unit, cluster::LoadUnit::Fraction);
  EXPECT_EQ(load.resources[0].weight, 0.5);
  EXPECT_EQ(load.resources[0].threshold, 20);
  EXPECT_EQ(load.resources[1].threshold, 80);
  EXPECT_EQ(load.freshness, 2min);
  EXPECT_EQ(load.interval, 10s);
  EXPECT_EQ(load.smoothing.kind, cluster::SmoothingKind::Percentile);
  EXPECT_EQ(load.smoothing.percentile, 90);
  EXPECT_EQ(load.smoothing.window, 5min);
  ASSERT_THAT(load.sources, SizeIs(5));
  const LoadSource& first = load.sources[0];
  EXPECT_EQ(first.kind, LoadSourceKind::Prometheus);
  EXPECT_EQ(first.address, "https://prometheus.example:9090/base");
  EXPECT_EQ(first.ca_file, "/ca.crt");
  EXPECT_EQ(first.username, "me");
  EXPECT_EQ(first.password_file, "/password");
  EXPECT_EQ(first.instance_label, "node");
  EXPECT_THAT(first.match_node_by, ElementsAre(NodeMatch::Name, NodeMatch::InternalIp));
  EXPECT_EQ(first.node_label, "example.com/host");
  EXPECT_EQ(first.timeout, 2s);
  EXPECT_EQ(first.queries, (std::map<std::string, std::string>{{"cpu", "a"}, {"disk", "b"}}));
  EXPECT_TRUE(load.sources[1].insecure_skip_verify);
  EXPECT_EQ(load.sources[1].bearer_token_file, "/token");
  EXPECT_EQ(load.sources[1].instance_label, "instance");
  EXPECT_EQ(load.sources[2].address, "");
  EXPECT_THAT(load.sources[2].namespaces, ElementsAre("telemetry", "monitoring"));
  EXPECT_EQ(load.sources[3].kind, LoadSourceKind::MetricsServer);
  EXPECT_EQ(load.sources[4].path, "/loads.csv");
}

TEST(LoadArgs, AnEmptyListOfSourcesIsNotReplacedByTheDefault) {
  EXPECT_THAT(load_of(read("{sources: []}")).sources, IsEmpty());
}

TEST(LoadArgs, PrintedSettingsReadBackUnchanged) {
  for (const std::string text :
       {"{}", "{sources: []}", "{smoothing: {kind: none}}", "{smoothing: {kind: ewma}}", kEverything}) {
    const auto first = read(text);
    const std::string printed = effective_configuration(first.configuration, default_catalog());
    const auto second = read_configuration(printed, "again", default_catalog());
    EXPECT_EQ(load_of(second), load_of(first)) << printed;
    for (const auto& note : second.notes) EXPECT_THAT(note.text, testing::Not(HasSubstr(".load")));
  }
}

TEST(LoadArgs, EachInvalidSettingIsReported) {
  const std::string common = "kind: prometheus, address: 'https://p'";
  for (const auto& [text, problem] : std::vector<std::pair<std::string, std::string>>{
           {"{intervall: 3s}", ".intervall: unknown field"},
           {"{interval: 10ms}", ".interval: must be at least 1s"},
           {"{freshness: 10s}",
            ".freshness: must not be shorter than interval: every sample would be stale before the next one arrives"},
           {"{smoothing: {kind: median}}",
            ".smoothing.kind: 'median' is not a valid value; valid values are none, ewma and percentile"},
           {"{smoothing: {kind: percentile, percentile: 0}}",
            ".smoothing.percentile: must be a percentage above 0 and up to 100"},
           {"{smoothing: {kind: ewma, halfLife: 0s}}", ".smoothing.halfLife: must be at least 1s"},
           {"{smoothing: {kind: percentile, window: -1m}}", ".smoothing.window: must be at least 1s"},
           {"{smoothing: {size: 3}}", ".smoothing.size: unknown field"},
           {"{resources: [{name: cpu, query: x}]}",
            ".resources[0].name: cpu is always measured; to change its query, set queries.cpu of a load source"},
           {"{resources: [{query: x}]}", ".resources[0].name: is required; use lower-case letters, digits and '-'"},
           {"{resources: [{name: a}]}", ".resources[0].query: is required"},
           {"{resources: [{name: a, query: x}, {name: a, query: y}]}", ".resources[1].name: 'a' is listed twice"},
           {"{resources: [{name: a, query: x, unit: parts}]}",
            ".resources[0].unit: 'parts' is not a valid value; valid values are percent and fraction"},
           {"{resources: [{name: a, query: x, weight: -1}]}", ".resources[0].weight: must be between 0 and 1"},
           {"{resources: [{name: a, query: x, weight: .nan}]}",
            ".resources[0].weight: must be a finite decimal number"},
           {"{resources: [{name: a, query: x, threshold: 101}]}",
            ".resources[0].threshold: must be a percentage above 0 and up to 100"},
           {"{resources: [{name: a, query: x}, {name: b, query: x}, {name: c, query: x}, {name: d, query: x}, "
            "{name: e, query: x}]}",
            ".resources: must have at most 4 entries"},
           {"{sources: [{path: /x}]}",
            ".sources[0].kind: is required; valid values are prometheus, metrics-server and file"},
           {"{sources: [{kind: influx}]}",
            ".sources[0].kind: 'influx' is not a valid value; valid values are prometheus, metrics-server and file"},
           {"{sources: [{kind: metrics-server}, {kind: metrics-server}]}", ".sources[1]: is listed twice"},
           {"{sources: [{kind: metrics-server, address: 'http://x'}]}", ".sources[0].address: unknown field"},
           {"{sources: [{kind: file}]}", ".sources[0].path: is required"},
           {"{sources: [{kind: prometheus, namespaces: []}]}",
            ".sources[0].namespaces: must not be empty if address is not set"},
           {"{sources: [{kind: prometheus, namespaces: [Monitoring]}]}",
            ".sources[0].namespaces: 'Monitoring' is not a valid namespace name"},
           {"{sources: [{kind: prometheus, bearerTokenFile: /t}]}", ".sources[0].bearerTokenFile: requires address"},
           {"{sources: [{kind: prometheus, caFile: /ca.crt}]}", ".sources[0].caFile: requires address"},
           {"{sources: [{kind: prometheus}, {kind: prometheus}]}", ".sources[1]: is listed twice"},
           {"{sources: [{kind: prometheus, address: 'https://p/?a=b'}]}",
            ".sources[0].address: must not contain a query (?)"},
           {"{sources: [{kind: prometheus, address: 'http://p', caFile: /x}]}",
            ".sources[0].address: must begin with https:// if caFile or insecureSkipVerify is set"},
           {"{sources: [{" + common + ", caFile: /x, insecureSkipVerify: true}]}",
            ".sources[0].insecureSkipVerify: must not be set together with caFile"},
           {"{sources: [{" + common + ", username: me}]}",
            ".sources[0].username: username and passwordFile must be given together"},
           {"{sources: [{" + common + ", username: me, passwordFile: /p, bearerTokenFile: /t}]}",
            ".sources[0].bearerTokenFile: must not be set together with username"},
           {"{sources: [{" + common + ", instanceLabel: a-b}]}",
            ".sources[0].instanceLabel: must be a valid Prometheus label name"},
           {"{sources: [{" + common + ", nodeLabel: '-'}]}", ".sources[0].nodeLabel: must be a valid node label key"},
           {"{sources: [{" + common + ", matchNodeBy: []}]}",
            ".sources[0].matchNodeBy: must not be empty if nodeLabel is not set"},
           {"{sources: [{" + common + ", matchNodeBy: [ip]}]}",
            ".sources[0].matchNodeBy: 'ip' is not a valid value; valid values are internalIP, name and hostname"},
           {"{sources: [{" + common + ", matchNodeBy: [name, name]}]}",
            ".sources[0].matchNodeBy: 'name' is listed twice"},
           {"{sources: [{" + common + ", timeout: 1ms}]}", ".sources[0].timeout: must be at least 100ms"},
           {"{sources: [{" + common + ", queries: {gpu: x}}]}",
            ".sources[0].queries.gpu: is not a known resource; use cpu, memory or a name from load.resources"},
           {"{sources: [{" + common + ", queries: {cpu: ''}}]}",
            ".sources[0].queries.cpu: must not be empty; remove the field to use the default query"}}) {
    EXPECT_THAT(texts(read(text).problems), ElementsAre(problem)) << text;
  }
  EXPECT_THAT(texts(read("{sources: [{kind: prometheus, address: 'ftp://p'}]}").problems),
              ElementsAre(HasSubstr(".sources[0].address: ")));
}

TEST(LoadArgs, SettingsWithoutEffectAndUnencryptedCredentialsAreReportedAsNotes) {
  for (const auto& [text, note] : std::vector<std::pair<std::string, std::string>>{
           {"{smoothing: {kind: none, halfLife: 3s}}", ".smoothing.halfLife: has no effect without kind: ewma"},
           {"{smoothing: {window: 3m}}", ".smoothing.window: has no effect without kind: percentile"},
           {"{resources: [{name: a, query: x}], sources: [{kind: metrics-server}]}",
            ".resources: have no effect: none of the load sources can measure them"},
           {"{sources: [{kind: prometheus, address: 'http://p', namespaces: [a]}]}",
            ".sources[0].namespaces: has no effect together with address"},
           {"{sources: [{kind: prometheus, address: 'http://p', bearerTokenFile: /t}]}",
            ".sources[0].address: the credentials are sent unencrypted; use https://"}}) {
    const auto reading = read(text);
    EXPECT_THAT(texts(reading.problems), IsEmpty());
    EXPECT_THAT(texts(reading.notes), ElementsAre(note)) << text;
  }
}

}  // namespace
}  // namespace rescheduler::config
