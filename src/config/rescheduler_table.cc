#include <algorithm>

#include <fmt/format.h>

#include "config/rescheduler_settings.h"
#include "config/tables.h"
#include "kube/config/yaml_reader.h"
#include "kube/value/name.h"

namespace rescheduler::config {
namespace {

using kube::YamlReader;
using Placing = placement::ReschedulerArgs;

void check_placing(YamlReader& from, Placing& placing) {
  if (placing.cpu_score_weight + placing.memory_score_weight <= 0) {
    from.problem("cpuScoreWeight", "must not be zero together with memoryScoreWeight");
  }
}

const Table& placing_table() {
  static const Table table = table_of<Placing>(
      {
          field<&Placing::cpu_threshold>(
              "cpuThreshold", kPercentage,
              {"percent of a node; used more, it takes no new pods and is one to move pods away from",
               "节点 CPU 使用率（%）阈值；超过后不再接收新 Pod，并可从该节点迁出 Pod"}),
          field<&Placing::memory_threshold>("memoryThreshold", kPercentage,
                                            {"the same for memory", "节点内存使用率（%）阈值，作用同上"}),
          field<&Placing::enable_scheduling_optimization>(
              "enableSchedulingOptimization",
              {"false: it neither refuses nor scores nodes", "启用调度优化；false 时既不过滤也不打分"}),
          field<&Placing::enable_preventive_rescheduling>(
              "enablePreventiveRescheduling", {"a placement that would overload its node has pods moved away first",
                                               "启用预防性重调度：会使节点过载的放置先迁走其他 Pod"}),
          field<&Placing::cpu_score_weight>(
              "cpuScoreWeight", between(0, 1),
              {"weight of CPU in the score; only its proportion to memoryScoreWeight counts",
               "CPU 的打分权重；只看与 memoryScoreWeight 的比例"}),
          field<&Placing::memory_score_weight>(
              "memoryScoreWeight", between(0, 1),
              {"weight of memory in the score; not both 0", "内存的打分权重；二者不能同时为 0"}),
          field<&Placing::load_balance_bonus>("loadBalanceBonus", between(0, 100),
                                              {"so many of a score's 100 points are for nodes below the mean",
                                               "100 分中有多少分给负载低于平均值的节点"}),
      },
      check_placing);
  return table;
}

void check_controller(YamlReader& from, ReschedulingSettings& settings) {
  for (const std::string& name : settings.excluded_namespaces) {
    if (kube::is_dns_label(name)) continue;
    from.problem("excludedNamespaces", fmt::format("'{}' cannot be a namespace's name", name));
  }
}

// Of ReschedulingSettings, as the next: what the documents have beside `rescheduling`.
const Table& controller_table() {
  using S = ReschedulingSettings;
  static const Table table = table_of<S>(
      {
          field<&S::enabled>("enableReschedulingController",
                             {"false: nothing is ever moved", "启用重调度控制器；false 时不迁移任何 Pod"}),
          // The sources of load are no quicker than that.
          field<&S::interval>("reschedulingInterval", at_least(std::chrono::seconds{1}),
                              {"between two looks at the cluster", "重调度检查间隔"}),
          field<&S::enabled_strategies>("enabledStrategies", {"what pods are moved for", "启用的重调度策略"})
              .one_of(strategy_names()),
          field<&S::excluded_namespaces>("excludedNamespaces",
                                         {"pods there are never moved", "排除的命名空间，其中的 Pod 不会被迁移"}),
      },
      check_controller);
  return table;
}

const Table& log_table() {
  static const Table table = table_of<LogSettings>({
      word<&LogSettings::language>("logLanguage", {{"en", Language::English}, {"zh", Language::Chinese}},
                                   {"language of the log: en or zh", "日志语言：en 或 zh"})
          .only_changed(),
      word<&LogSettings::json>("logFormat", {{"text", false}, {"json", true}},
                               {"shape of the log: klog's text or JSON; --logging-format beats it",
                                "日志格式：klog 文本或 JSON；--logging-format 优先"})
          .only_changed(),
  });
  return table;
}

// "1" or "25%", as a PodDisruptionBudget has it.
void check_amount(const YamlReader& from, std::string_view key, std::string_view amount) {
  std::string_view digits = amount;
  if (digits.ends_with('%')) digits.remove_suffix(1);
  const bool number =
      !digits.empty() && digits.size() < 9 && std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  if (!amount.empty() && !number) from.problem(key, "must be a number or a percentage, in quotes: \"1\", \"25%\"");
}

void check_migration(YamlReader& from, MigrationSettings& settings) {
  check_amount(from, "budgetMinAvailable", settings.min_available);
  check_amount(from, "budgetMaxUnavailable", settings.max_unavailable_budget);
  if (!settings.min_available.empty() && !settings.max_unavailable_budget.empty()) {
    from.problem("budgetMinAvailable", "must not stand together with budgetMaxUnavailable");
  }
}

const Table& migration_table() {
  using S = MigrationSettings;
  constexpr Described kAmount{.type = "amount", .range = "a number or a percentage"};
  static const Table table = table_of<S>(
      {
          field<&S::direct>("direct",
                            {"pods of nobody are moved too: copied, then deleted", "也迁移独立 Pod：先复制再删除"}),
          word<&S::surge>(
              "makeBeforeBreak",
              {{"Never", SurgeUse::Never}, {"SingleReplicas", SurgeUse::SingleReplicas}, {"Always", SurgeUse::Always}},
              {"when the new pod comes before the old one goes", "何时先建新 Pod 再移除旧 Pod"}),
          field<&S::max_unavailable>(
              "maxUnavailable", between(1, INT32_MAX),
              {"replicas of a workload that may be away by our doing at a time: the larger of the two",
               "一个工作负载同时因迁移缺少的副本数上限：取两者中较大者"}),
          field<&S::max_unavailable_percent>("maxUnavailablePercent", between(0, 100),
                                             {"the same in percent of its replicas", "同上，按副本数的百分比"}),
          field<&S::protect_unprotected>("protectUnprotected",
                                         {"make a PodDisruptionBudget for the time of the move, where none matches",
                                          "没有匹配的 PDB 时，在迁移期间创建临时 PDB"}),
          field<&S::min_available>("budgetMinAvailable", {"minAvailable of it", "临时 PDB 的 minAvailable"})
              .described(kAmount)
              .only_changed(),
          field<&S::max_unavailable_budget>(
              "budgetMaxUnavailable", {"maxUnavailable of it; not both", "临时 PDB 的 maxUnavailable；二者只能设其一"})
              .described(kAmount)
              .only_changed(),
      },
      check_migration);
  return table;
}

// A link that people follow: nothing but the web, and no credentials in it.
bool is_web_address(std::string_view text) {
  const bool web = text.starts_with("https://") || text.starts_with("http://");
  const bool plain = std::ranges::all_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > 0x20 && byte < 0x7f && c != '"' && c != '<' && c != '>' && c != '@';
  });
  return web && plain && text.size() > std::string_view("https://").size();
}

void check_dashboard(YamlReader& from, DashboardSettings& settings) {
  if (settings.grafana.empty() || is_web_address(settings.grafana)) return;
  from.problem("grafana", "must be an address as in https://grafana.example, without credentials");
}

const Table& dashboard_table() {
  static const Table table = table_of<DashboardSettings>(
      {
          field<&DashboardSettings::enabled>("enabled", {"false: neither is served", "false 时两者都不提供"}),
          field<&DashboardSettings::grafana>("grafana", {"address of a Grafana that the pages link to; empty: no links",
                                                         "页面所链接的 Grafana 地址；为空则不显示链接"}),
      },
      check_dashboard);
  return table;
}

void check_rescheduler(YamlReader& from, ReschedulerSettings& settings) {
  if (!settings.rescheduling.enabled && from.has("rescheduling")) {
    from.note("rescheduling", "has no effect without enableReschedulingController");
  }
}

}  // namespace

const Table& rescheduler_table() {
  using S = ReschedulerSettings;
  static const Table table = table_of<S>(
      {
          embedded<&S::placing>(placing_table()),
          embedded<&S::rescheduling>(controller_table()),
          section<&S::load>("load", load_table(),
                            {"where loads come from and what is made of them", "负载数据的来源与处理"}),
          section<&S::rescheduling>("rescheduling", rescheduling_table(),
                                    {"when and how what already runs is moved", "何时以及如何迁移已运行的 Pod"}),
          embedded<&S::log>(log_table()),
          section<&S::migration>("migration", migration_table(), {"how a move is carried out", "如何执行一次迁移"})
              .only_changed(),
          section<&S::dashboard>("dashboard", dashboard_table(),
                                 {"the pages under /ui/ and their API", "/ui/ 下的页面及其 API"})
              .only_changed(),
      },
      check_rescheduler);
  return table;
}

}  // namespace rescheduler::config
