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
              {"CPU threshold in percent of a node; a node with a higher load accepts no new pods, and pods can be "
               "moved off it",
               "节点 CPU 使用率（%）阈值；负载更高的节点不接收新 Pod，并可从该节点迁出 Pod"}),
          field<&Placing::memory_threshold>("memoryThreshold", kPercentage,
                                            {"memory threshold in percent of a node; same effect as cpuThreshold",
                                             "节点内存使用率（%）阈值；作用与 cpuThreshold 相同"}),
          field<&Placing::load_filter_wait>(
              "loadFilterWait", kNotNegative,
              {"if all nodes are above a threshold, a pod waits this time after its creation for a node below it; then "
               "the pod gets the node with the best score",
               "所有节点都超过阈值时，Pod 自创建起等待这段时间，期间等待低于阈值的节点；之后放到评分最高的节点"}),
          field<&Placing::load_filter_priority>(
              "loadFilterPriority", {"pods with this priority or a higher one do not wait for loadFilterWait",
                                     "优先级不低于此值的 Pod 不等待 loadFilterWait"}),
          field<&Placing::enable_scheduling_optimization>(
              "enableSchedulingOptimization",
              {"false: the plugin neither filters nor scores nodes", "false：插件既不过滤节点也不评分"}),
          field<&Placing::enable_preventive_rescheduling>(
              "enablePreventiveRescheduling",
              {"true: a placement that will bring a node above a threshold starts a rescheduling cycle",
               "true：放置会使节点超过阈值时，启动一个重调度周期"}),
          field<&Placing::cpu_score_weight>("cpuScoreWeight", between(0, 1),
                                            {"weight of CPU in the score; only the ratio to memoryScoreWeight matters",
                                             "CPU 的评分权重；只有与 memoryScoreWeight 的比例起作用"}),
          field<&Placing::memory_score_weight>(
              "memoryScoreWeight", between(0, 1),
              {"weight of memory in the score; cpuScoreWeight and memoryScoreWeight cannot both be 0",
               "内存的评分权重；cpuScoreWeight 和 memoryScoreWeight 不能同时为 0"}),
          field<&Placing::load_balance_bonus>(
              "loadBalanceBonus", between(0, 100),
              {"number of the 100 score points that are reserved for nodes below the mean load",
               "100 分中为低于平均负载的节点保留的分数"}),
      },
      check_placing);
  return table;
}

void check_controller(YamlReader& from, ReschedulingSettings& settings) {
  for (const std::string& name : settings.excluded_namespaces) {
    if (kube::is_dns_label(name)) continue;
    from.problem("excludedNamespaces", fmt::format("'{}' is not a valid namespace name", name));
  }
}

// Fields of ReschedulingSettings whose keys are in `args` itself, beside `rescheduling`.
const Table& controller_table() {
  using S = ReschedulingSettings;
  static const Table table = table_of<S>(
      {
          field<&S::enabled>("enableReschedulingController", {"false: no pods are moved", "false：不迁移任何 Pod"}),
          // Load sources do not measure more often.
          field<&S::interval>("reschedulingInterval", at_least(std::chrono::seconds{1}),
                              {"time between two rescheduling cycles", "两个重调度周期之间的时间"}),
          field<&S::enabled_strategies>("enabledStrategies",
                                        {"enabled rescheduling strategies; NodeMaintenance is also enabled without an "
                                         "entry, because the label on a node asks for it",
                                         "启用的重调度策略；NodeMaintenance 不列出也启用，因为节点上的标签就是请求"})
              .one_of(strategy_names()),
          field<&S::excluded_namespaces>("excludedNamespaces",
                                         {"pods of these namespaces are not moved", "不迁移这些命名空间的 Pod"}),
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
                               {"format of the log: text (klog) or json; the flag --logging-format has priority",
                                "日志格式：text（klog）或 json；命令行参数 --logging-format 优先"})
          .only_changed(),
  });
  return table;
}

// "1" or "25%", as in a PodDisruptionBudget.
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
    from.problem("budgetMinAvailable", "must not be set together with budgetMaxUnavailable");
  }
}

const Table& migration_table() {
  using S = MigrationSettings;
  constexpr Described kAmount{.type = "amount", .range = "a number or a percentage"};
  static const Table table = table_of<S>(
      {
          field<&S::coordination>(
              "coordination",
              {"false: nothing is written to workloads: no intent annotation, no make-before-break; the pod of a "
               "single "
               "replica is evicted before its replacement is ready",
               "false：不修改工作负载：没有放置意图注解，不先建后删；单副本的 Pod 在替代 Pod 就绪之前就被驱逐"}),
          field<&S::deadline>(
              "deadline", between(std::chrono::seconds{30}, std::chrono::hours{24}),
              {"maximum duration of a move that the controller starts, including the wait for a ready replacement pod",
               "控制器发起的一次迁移的最长时间，包括等待替代 Pod 就绪"}),
          field<&S::direct>("direct", {"true: also move bare pods; the pod is copied, then deleted",
                                       "true：也迁移裸 Pod：先复制再删除"}),
          word<&S::surge>(
              "makeBeforeBreak",
              {{"Never", SurgeUse::Never}, {"SingleReplicas", SurgeUse::SingleReplicas}, {"Always", SurgeUse::Always}},
              {"when the replacement pod must be ready before the old pod is deleted",
               "何时须等替代 Pod 就绪后再删除旧 Pod"}),
          field<&S::avoid_source>(
              "avoidSource",
              {"true: the replacement pod gets the source node only if no other node is feasible; for pods of other "
               "schedulers this is a preferred node affinity that the webhook adds",
               "true：只有没有其他可行节点时，替代 Pod 才回到源节点；对其他调度器的 Pod，由 webhook "
               "添加首选的节点亲和性"}),
          field<&S::max_unavailable>(
              "maxUnavailable", between(1, INT32_MAX),
              {"maximum number of replicas of a workload that are unavailable because of moves; the larger of "
               "maxUnavailable and maxUnavailablePercent is used",
               "一个工作负载同时因迁移而不可用的副本数上限；取 maxUnavailable 与 maxUnavailablePercent 中较大者"}),
          field<&S::max_unavailable_percent>(
              "maxUnavailablePercent", between(0, 100),
              {"the same maximum in percent of the replicas of the workload", "同一上限，按工作负载副本数的百分比"}),
          field<&S::protect_unprotected>(
              "protectUnprotected",
              {"true: create a temporary PodDisruptionBudget during the move if none matches the pod",
               "true：没有匹配的 PodDisruptionBudget 时，在迁移期间创建临时的"}),
          field<&S::min_available>("budgetMinAvailable", {"minAvailable of the temporary PodDisruptionBudget",
                                                          "临时 PodDisruptionBudget 的 minAvailable"})
              .described(kAmount)
              .only_changed(),
          field<&S::max_unavailable_budget>(
              "budgetMaxUnavailable",
              {"maxUnavailable of the temporary PodDisruptionBudget; not together with budgetMinAvailable",
               "临时 PodDisruptionBudget 的 maxUnavailable；不能与 budgetMinAvailable 同时设置"})
              .described(kAmount)
              .only_changed(),
      },
      check_migration);
  return table;
}

// The dashboard shows the address as a link: only http and https are allowed, and no credentials.
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
  from.problem("grafana", "must be a URL without credentials, for example https://grafana.example");
}

const Table& dashboard_table() {
  static const Table table = table_of<DashboardSettings>(
      {
          field<&DashboardSettings::enabled>(
              "enabled", {"false: neither the pages nor their API are served", "false：页面和 API 都不提供"}),
          field<&DashboardSettings::grafana>("grafana",
                                             {"address of the Grafana that the pages link to; empty: no links",
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
                            {"load sources, and how samples are processed", "负载来源以及样本的处理方式"}),
          section<&S::rescheduling>("rescheduling", rescheduling_table(),
                                    {"when and how running pods are moved", "何时以及如何迁移已运行的 Pod"}),
          embedded<&S::log>(log_table()),
          section<&S::migration>("migration", migration_table(), {"how a move is carried out", "如何执行一次迁移"})
              .only_changed(),
          section<&S::dashboard>("dashboard", dashboard_table(),
                                 {"dashboard: the pages under /ui/ and their API", "面板：/ui/ 下的页面及其 API"})
              .only_changed(),
      },
      check_rescheduler);
  return table;
}

}  // namespace rescheduler::config
