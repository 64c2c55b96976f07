#include "dashboard/settings_view.h"

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/read.h"

namespace rescheduler::dashboard {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kFile = R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaseDuration: 30s}
profiles:
- schedulerName: mine
  plugins: {multiPoint: {enabled: [{name: Rescheduler}]}}
  pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 3}]}}
  - name: Rescheduler
    args:
      cpuThreshold: 70
      load: {sources: [{kind: prometheus, address: "http://prometheus.example"}]}
)";

struct SettingsView : testing::Test {
  SettingsView() {
    options.config = "a.yaml";
    options.leader_elect_retry_period = "3s";
    auto reading = config::load_configuration(kFile, "a.yaml", config::default_catalog());
    EXPECT_TRUE(reading) << reading.error().message;
    if (!reading) return;
    // The configuration reader rejects this. If it did not, the view must not show it.
    config::Extender& extender = reading->configuration.extenders.emplace_back();
    extender.url_prefix = "http://ann:secret@extender.example/a";
    extender.tls.emplace().key_data = kube::Secret("secret");
    text = settings_json(reading->configuration, config::default_catalog(), options, kFile, "file");
    view = json::parse(text);
  }
  const json::value* row(std::string_view path) const {
    for (const json::value& one : view.at("rows").as_array()) {
      if (one.at("path").as_string() == path) return &one;
    }
    return nullptr;
  }
  std::string origin(std::string_view path) const {
    const json::value* found = row(path);
    return found == nullptr ? "no such row" : std::string(found->at("origin").as_string());
  }

  config::RunOptions options;
  std::string text;
  json::value view;
};

TEST_F(SettingsView, EachValueShowsItsOrigin) {
  EXPECT_EQ(origin("leaderElection.leaseDuration"), "file");
  EXPECT_EQ(origin("leaderElection.retryPeriod"), "flag");
  EXPECT_EQ(origin("leaderElection.renewDeadline"), "default");
  const std::string plugin = "profiles[mine].pluginConfig[Rescheduler].args.";
  EXPECT_EQ(origin(plugin + "cpuThreshold"), "file");
  EXPECT_EQ(origin("profiles[mine].pluginConfig[NodeResourcesFit].args.scoringStrategy.type"), "file");
  EXPECT_EQ(origin("profiles[mine].pluginConfig[NodeAffinity].args.addedAffinity"), "no such row");
  EXPECT_EQ(view.at("file").as_string(), "a.yaml");
}

TEST_F(SettingsView, ValuesAreExplainedInEnglishAndChinese) {
  const json::value* threshold = row("profiles[mine].pluginConfig[Rescheduler].args.cpuThreshold");
  ASSERT_NE(threshold, nullptr);
  EXPECT_THAT(std::string(threshold->at("meaning").at("en").as_string()), HasSubstr("percent of a node"));
  EXPECT_THAT(std::string(threshold->at("meaning").at("zh").as_string()), HasSubstr("阈值"));
  std::size_t unexplained = 0;
  std::string paths;
  for (const json::value& one : view.at("rows").as_array()) {
    if (!one.at("meaning").at("en").as_string().empty()) continue;
    ++unexplained;
    paths += std::string(one.at("path").as_string()) + "\n";
  }
  EXPECT_EQ(unexplained, 0u) << paths;
}

TEST_F(SettingsView, ShowsNoPassword) {
  EXPECT_THAT(text, Not(HasSubstr("secret")));
  EXPECT_THAT(text, HasSubstr("http://...@extender.example/a"));
}

}  // namespace
}  // namespace rescheduler::dashboard
