// Every scheduler configuration of the deployment guides loads exactly as printed there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/configuration.h"
#include "config/read.h"

namespace rescheduler::config {
namespace {

using placement::Point;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ConfigurationReading loaded(std::string_view text) {
  ConfigurationReading reading = read_configuration(text, "guide.yaml", default_catalog());
  for (const auto& problem : reading.problems) ADD_FAILURE() << sentence(problem);
  if (reading.configuration.profiles.empty()) reading.configuration = default_configuration(default_catalog());
  return reading;
}

const ReschedulerSettings& args_of(const ConfigurationReading& reading) {
  EXPECT_TRUE(reading.configuration.profiles.at(0).rescheduler) << "the plugin has no settings";
  return reading.configuration.rescheduler;
}

bool runs(const ConfigurationReading& reading, Point point, std::string_view plugin) {
  for (const auto& use : reading.configuration.profiles.at(0).at(point)) {
    if (use.name == plugin) return true;
  }
  return false;
}

constexpr const char* kConfigMapData = R"(data:
  config.yaml: |
    apiVersion: kubescheduler.config.k8s.io/v1
    kind: KubeSchedulerConfiguration
    profiles:
    - schedulerName: rescheduler-scheduler
      plugins:
        filter:
          enabled:
          - name: Rescheduler
        score:
          enabled:
          - name: Rescheduler
        reserve:
          enabled:
          - name: Rescheduler
        preBind:
          enabled:
          - name: Rescheduler
      pluginConfig:
      - name: Rescheduler
        args:
          # === 资源阈值配置 ===
          cpuThreshold: 80.0              # CPU使用率阈值(%)
          memoryThreshold: 80.0           # 内存使用率阈值(%)
          
          # === 调度优化开关 ===
          enableSchedulingOptimization: true      # 启用调度优化
          enablePreventiveRescheduling: true      # 启用预防性重调度
          
          # === 评分权重配置 ===
          cpuScoreWeight: 0.6             # CPU权重 (0.0-1.0)
          memoryScoreWeight: 0.4          # 内存权重 (0.0-1.0)
          loadBalanceBonus: 10.0          # 负载均衡奖励分数
          
          # === 重调度控制器 ===
          enableReschedulingController: true      # 启用重调度控制器
          reschedulingInterval: "30s"             # 重调度检查间隔
          
          # === 排除命名空间 ===
          excludedNamespaces:
          - kube-system                   # 系统命名空间
          - kube-public                   # 公共命名空间
          - monitoring                    # 监控命名空间(可选)
)";

void expect_full_configuration(const ConfigurationReading& reading) {
  EXPECT_THAT(reading.notes, IsEmpty());
  EXPECT_EQ(reading.configuration.profiles.at(0).scheduler_name, "rescheduler-scheduler");
  for (const Point point : {Point::Filter, Point::Score, Point::Reserve, Point::PreBind}) {
    EXPECT_TRUE(runs(reading, point, "Rescheduler")) << name_of(point);
  }
  EXPECT_TRUE(runs(reading, Point::Filter, "NodeResourcesFit")) << "the default plugins stay enabled";
  const ReschedulerSettings& args = args_of(reading);
  EXPECT_EQ(args.placing.cpu_threshold, 80);
  EXPECT_EQ(args.placing.cpu_score_weight, 0.6);
  EXPECT_EQ(args.placing.load_balance_bonus, 10);
  EXPECT_TRUE(args.rescheduling.enabled);
  EXPECT_EQ(args.rescheduling.interval, std::chrono::seconds{30});
  EXPECT_THAT(args.rescheduling.excluded_namespaces, ElementsAre("kube-system", "kube-public", "monitoring"));
}

TEST(Guides, TheDataOfAConfigMapLoads) { expect_full_configuration(loaded(kConfigMapData)); }

TEST(Guides, AWholeConfigMapLoads) {
  expect_full_configuration(loaded(std::string(R"(apiVersion: v1
kind: ConfigMap
metadata:
  name: rescheduler-config
  namespace: kube-system
)") + kConfigMapData));
}

TEST(Guides, TheSettingsForProductionLoadAsPrinted) {
  const auto reading = loaded(R"(pluginConfig:
- name: Rescheduler
  args:
    # 保守的阈值设置
    cpuThreshold: 85.0
    memoryThreshold: 85.0
    
    # 较长的检查间隔
    reschedulingInterval: "60s"
    
    # 关闭预防性重调度(用于关键业务)
    enablePreventiveRescheduling: false
    
    # 更多排除命名空间
    excludedNamespaces:
    - kube-system
    - kube-public
    - monitoring
    - logging
    - critical-apps
)");
  EXPECT_EQ(args_of(reading).placing.memory_threshold, 85);
  EXPECT_EQ(args_of(reading).rescheduling.interval, std::chrono::minutes{1});
  EXPECT_FALSE(args_of(reading).placing.enable_preventive_rescheduling);
  EXPECT_EQ(args_of(reading).rescheduling.excluded_namespaces.size(), 5U);
  ASSERT_EQ(reading.notes.size(), 2U) << "the file has only a profile, and the profile does not enable the plugin";
  EXPECT_THAT(reading.notes[0].text, HasSubstr("is a profile, not a complete file"));
  EXPECT_THAT(reading.notes[1].text, HasSubstr("Rescheduler is not enabled"));
}

TEST(Guides, TheSettingsForFrequentReschedulingLoadAsPrinted) {
  const auto reading = loaded(R"(pluginConfig:
- name: Rescheduler
  args:
    # 更激进的阈值
    cpuThreshold: 70.0
    memoryThreshold: 75.0
    
    # 更频繁的检查
    reschedulingInterval: "15s"
    
    # 启用预防性重调度
    enablePreventiveRescheduling: true
    
    # 调整评分权重
    cpuScoreWeight: 0.7
    memoryScoreWeight: 0.3
    loadBalanceBonus: 15.0
)");
  EXPECT_EQ(args_of(reading).placing.cpu_threshold, 70);
  EXPECT_EQ(args_of(reading).placing.memory_score_weight, 0.3);
  EXPECT_EQ(args_of(reading).placing.load_balance_bonus, 15);
}

constexpr const char* kShort = R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
  - schedulerName: rescheduler-scheduler
    plugins:
      filter:
        enabled: [name: Rescheduler]
      score:
        enabled: [name: Rescheduler]
      preBind:
        enabled: [name: Rescheduler]
    pluginConfig:
      - name: Rescheduler
        args:
          # 基础重调度配置
          reschedulingInterval: "30s"
          enabledStrategies: ["LoadBalancing", "ResourceOptimization"]
          cpuThreshold: 80.0
          memoryThreshold: 80.0
          
          # 调度优化配置
          enableSchedulingOptimization: true
          enablePreventiveRescheduling: true
)";

void expect_short_configuration(const ConfigurationReading& reading) {
  for (const Point point : {Point::Filter, Point::Score, Point::PreBind}) {
    EXPECT_TRUE(runs(reading, point, "Rescheduler")) << name_of(point);
  }
  EXPECT_FALSE(runs(reading, Point::Reserve, "Rescheduler"));
  EXPECT_THAT(args_of(reading).rescheduling.enabled_strategies, ElementsAre("LoadBalancing", "ResourceOptimization"));
}

TEST(Guides, PluginListsInBracketsLoadWithoutANote) {
  const auto reading = loaded(kShort);
  EXPECT_THAT(reading.notes, IsEmpty()) << "it is valid YAML for a list of maps";
  expect_short_configuration(reading);
}

TEST(Guides, ShortFormsOfPluginListsLoadWithANote) {
  for (const char* shorter : {"[Rescheduler]", "{name: Rescheduler}", "Rescheduler", "['Rescheduler']"}) {
    std::string text = kShort;
    for (auto at = text.find("[name: Rescheduler]"); at != std::string::npos; at = text.find("[name: Rescheduler]")) {
      text.replace(at, std::string_view("[name: Rescheduler]").size(), shorter);
    }
    const auto reading = loaded(text);
    expect_short_configuration(reading);
    ASSERT_EQ(reading.notes.size(), 3U) << shorter;
    EXPECT_EQ(
        sentence(reading.notes[0]),
        "line 7: profiles[0].plugins.filter.enabled: is a short form; kube-scheduler accepts only a list of maps, "
        "\"- name: X\"");
  }
}

TEST(Guides, SchedulingOptimizationLoadsWithAndWithoutPreventiveRescheduling) {
  for (const auto& [optimize, prevent] : {std::pair{true, false}, {true, true}}) {
    const auto reading = loaded(fmt::format(R"(plugins:
  multiPoint:
    enabled: [name: Rescheduler]
pluginConfig:
- name: Rescheduler
  args:
    enableSchedulingOptimization: {}
    enablePreventiveRescheduling: {}
)",
                                            optimize, prevent));
    EXPECT_EQ(args_of(reading).placing.enable_scheduling_optimization, optimize);
    EXPECT_EQ(args_of(reading).placing.enable_preventive_rescheduling, prevent);
  }
}

constexpr const char* kBeta = R"(    apiVersion: kubescheduler.config.k8s.io/v1beta3
    kind: KubeSchedulerConfiguration
    leaderElection:
      # (Optional) Change true to false if you are not running a HA control-plane.
      leaderElect: true
    clientConnection:
      kubeconfig: /etc/kubernetes/scheduler.conf
    profiles:
    - schedulerName: default-scheduler
      plugins:
        multiPoint:
          enabled:
          - name: Podrescheduling
)";

void expect_beta_configuration(const ConfigurationReading& reading) {
  EXPECT_EQ(reading.configuration.client_connection.kubeconfig, "/etc/kubernetes/scheduler.conf");
  EXPECT_TRUE(reading.configuration.leader_election.leader_elect);
  EXPECT_EQ(reading.configuration.profiles.at(0).scheduler_name, "default-scheduler");
  EXPECT_EQ(reading.configuration.profiles.at(0).at(Point::PreFilter).back().name, "Podrescheduling");
  EXPECT_EQ(reading.configuration.profiles.at(0).at(Point::Filter).back().name, "Podrescheduling");
  ASSERT_EQ(reading.notes.size(), 2U);
  EXPECT_THAT(reading.notes[0].text, HasSubstr("apiVersion: is a version that kube-scheduler no longer reads"));
  EXPECT_THAT(reading.notes[1].text, HasSubstr("schedulerName: is the name that kube-scheduler uses"));
}

TEST(Guides, V1beta3LoadsWithTheIndentationOfTheGuide) { expect_beta_configuration(loaded(kBeta)); }

TEST(Guides, V1beta3LoadsFromAConfigMap) {
  const auto reading = loaded(std::string("kind: ConfigMap\ndata:\n  readme: hello\n  sched-cc.yaml: |\n") + kBeta);
  expect_beta_configuration(reading);
  EXPECT_EQ(reading.notes.at(0).line, 5) << "the line in the whole file, not in the embedded document";
  EXPECT_EQ(reading.notes.at(0).column, 17);
}

TEST(Guides, ProblemsInAConfigMapHaveTheirLineInTheWholeFile) {
  const auto reading = read_configuration(
      "data:\n  config.yaml: |\n\n    apiVersion: kubescheduler.config.k8s.io/v1\n    kind: "
      "KubeSchedulerConfiguration\n    paralelism: 3\n",
      "f", default_catalog());
  ASSERT_EQ(reading.problems.size(), 1U);
  EXPECT_EQ(reading.problems[0], (kube::YamlRemark{6, 5, "paralelism: unknown field"}));
  const auto broken = read_configuration("data:\n  config.yaml: |\n    kind: x\n    kind: y\n", "f", default_catalog());
  ASSERT_EQ(broken.problems.size(), 1U);
  EXPECT_EQ(broken.problems[0].line, 4);
}

TEST(Guides, AConfigurationInQuotesLoadsFromAConfigMap) {
  const auto reading =
      loaded(R"(data: {a.yaml: "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"})");
  EXPECT_EQ(reading.configuration.profiles.size(), 1U);
}

TEST(Guides, AConfigMapWithoutExactlyOneConfigurationIsRejected) {
  for (const char* text : {"kind: ConfigMap\n", "data: {}\n", "data: {a: x, b: y}\n",
                           "data: {a: 'kind: KubeSchedulerConfiguration', b: 'kind: KubeSchedulerConfiguration'}\n"}) {
    const auto reading = read_configuration(text, "f", default_catalog());
    ASSERT_EQ(reading.problems.size(), 1U) << text;
    EXPECT_THAT(reading.problems[0].text, HasSubstr("exactly one file must be a KubeSchedulerConfiguration"));
  }
}

}  // namespace
}  // namespace rescheduler::config
