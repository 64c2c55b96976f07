#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "config/rescheduling_settings.h"
#include "config/tables.h"
#include "config/time_window.h"
#include "kube/config/yaml_reader.h"
#include "kube/config/yaml_writer.h"
#include "kube/value/label_selector.h"
#include "kube/value/name.h"

namespace rescheduler::config {
namespace {

using kube::YamlReader;
using kube::YamlWriter;

constexpr int kMostLooks = 60;         // they are kept as bits; at 30 s that is half an hour
constexpr int kMostRecentMoves = 200;  // far fewer than are remembered
constexpr int kMostMoves = 100'000;

// --- By strategy and by resource. ---

using Modes = std::map<Strategy, StrategyMode>;
constexpr std::array kModes = {StrategyMode::Off, StrategyMode::Observe, StrategyMode::Act};
constexpr Described kMode{.type = "word", .range = "off, observe and act"};

void read_modes(YamlReader& from, std::string_view key, Modes& into) {
  if (!from.has(key)) return;
  for (auto& [name, member] : from.child(key).members()) {
    const auto strategy = strategy_named(name);
    if (!strategy) {
      member.problem(fmt::format("is no strategy; there are {}", listed(strategy_names())));
      continue;
    }
    const std::string word = member.as_string();
    const auto* const mode = std::ranges::find(kModes, word, [](StrategyMode one) { return to_string(one); });
    if (mode == kModes.end()) {
      member.problem(fmt::format("'{}' is no mode; there are {}", word, kMode.range));
    } else {
      into[*strategy] = *mode;
    }
  }
}

void print_modes(const Modes& modes, std::string_view key, YamlWriter& to) {
  if (modes.empty()) return to.json(key, "{}");
  to.open(key);
  for (const auto& [strategy, mode] : modes) {
    // As a string: YAML takes a bare "off" for a boolean in many a reader.
    to.json(to_string(strategy), fmt::format("\"{}\"", to_string(mode)));
  }
  to.close();
}

void check_band(YamlReader& from, LoadBand& band) {
  if (!from.has("target")) band.target = std::max(1.0, band.trigger - 10);
  if (band.target >= band.trigger) {
    from.problem("target", "must be below trigger, or every move would call for the next");
  }
}

const Table& band_table() {
  static const Table table = table_of<LoadBand>(
      {
          field<&LoadBand::trigger>("trigger", kPercentage,
                                    {"percent of a node: above, it is hot", "节点使用率（%）：超过即为热点"}),
          field<&LoadBand::target>("target", kPercentage,
                                   {"percent it is brought down to; below trigger", "降到的百分比；须低于 trigger"}),
      },
      check_band);
  return table;
}

void check_bands(YamlReader& from) {
  if (!from.has("bands")) return;
  for (const auto& [name, member] : from.child("bands").members()) {
    if (!kube::is_dns_label(name)) member.problem("is no resource: there are cpu, memory and those of load.resources");
  }
}

template <auto Member>
auto bands(Phrase meaning) {
  return map<Member>("bands", meaning, "RESOURCE", band_table(),
                     {"cpu, memory or one of load.resources", "cpu、memory 或 load.resources 之一"});
}

// --- Strategies. ---

void check_load_balancing(YamlReader& from, LoadBalancingSettings& settings) {
  check_bands(from);
  Persistence& looks = settings.persistence;
  if (!from.has("needed")) looks.needed = std::min(looks.needed, looks.of);
  if (looks.needed > looks.of) from.problem("needed", "must not be more than of: so many looks would never be hot");
  if (settings.deviation_target > settings.deviation_trigger) {
    from.problem("deviationTarget", "must not be above deviationTrigger");
  }
}

const Table& load_balancing_table() {
  using S = LoadBalancingSettings;
  static const Table looks = table_of<Persistence>({
      field<&Persistence::needed>("needed", between(1, kMostLooks), {"hot in so many", "在多少次检查中为热点"}),
      field<&Persistence::of>("of", between(1, kMostLooks), {"of so many looks", "最近多少次检查"}),
  });
  static const Table table = table_of<S>(
      {
          bands<&S::bands>({"by resource; the threshold, and ten less", "按资源设置；默认为阈值及低 10 个百分点"}),
          embedded<&S::persistence>(looks),
          field<&S::deviation_trigger>("deviationTrigger", between(0, 100),
                                       {"percentage points between nodes: above, the cluster is uneven",
                                        "节点间标准差（百分点）：超过即为不均衡"}),
          field<&S::deviation_target>("deviationTarget", between(0, 100),
                                      {"and so it is brought down to", "降到的标准差"}),
          field<&S::least_gain>(
              "leastGain", between(0, 100),
              {"percentage points a move has to take off its node", "一次迁移至少要为源节点降低的百分点"}),
      },
      check_load_balancing);
  return table;
}

void check_optimization(YamlReader& from, ResourceOptimizationSettings& settings) {
  if (settings.underused < settings.packed_target) return;
  from.problem("underused", "must be below packedTarget, or what is filled is emptied again");
}

const Table& optimization_table() {
  using S = ResourceOptimizationSettings;
  static const Table table = table_of<S>(
      {
          field<&S::stranded_trigger>(
              "strandedTrigger", between(0, 100),
              {"percent of a resource that nothing fits beside", "因另一种资源用尽而闲置的比例（%）"}),
          field<&S::underused>(
              "underused", between(0, 100),
              {"percent of requests: a node below may be emptied", "请求量低于此百分比的节点可被清空"}),
          field<&S::packed_target>(
              "packedTarget", kPercentage,
              {"percent of requests up to which others are filled", "其他节点可填充到的请求量百分比"}),
          field<&S::free_nodes>("freeNodes", {"empty underused nodes", "清空利用率低的节点"}),
      },
      check_optimization);
  return table;
}

const Table& repair_table() {
  using S = ConstraintRepairSettings;
  static const Table table = table_of<S>({
      field<&S::node_affinity>("nodeAffinity",
                               {"pods on nodes their affinity no longer allows", "节点亲和性不再满足的 Pod"}),
      field<&S::taints>("taints", {"pods on nodes with a taint they do not tolerate", "不容忍所在节点污点的 Pod"}),
      field<&S::pod_anti_affinity>("podAntiAffinity",
                                   {"pods beside those they keep away from", "违反 Pod 反亲和性的 Pod"}),
      field<&S::topology_spread>("topologySpread", {"pods beyond the skew they ask for", "超出拓扑分布偏差的 Pod"}),
      field<&S::duplicates>("duplicates", {"two pods of one workload on one node", "同一节点上同一工作负载的多个 Pod"}),
  });
  return table;
}

const Table& maintenance_table() {
  using S = MaintenanceSettings;
  static const Table table = table_of<S>({
      field<&S::nodes_at_once>("nodesAtOnce", between(1, 1000),
                               {"nodes that are emptied at a time", "同时清空的节点数"}),
      field<&S::give_up_after>("giveUpAfter", kNotNegative,
                               {"then it is told what is in the way", "多久后报告受阻原因"}),
  });
  return table;
}

const Table& protections_table() {
  using S = Protections;
  static const Table table = table_of<S>({
      field<&S::priority_threshold>("priorityThreshold",
                                    {"pods of this priority and above; none: only the critical ones",
                                     "此优先级及以上的 Pod；未设置时仅系统关键 Pod"}),
      field<&S::least_age>("leastAge", kNotNegative, {"pods younger than this", "创建不久的 Pod"}),
      field<&S::least_replicas>("leastReplicas", between(1, 1'000'000),
                                {"pods of workloads with fewer replicas, unless they are moved by making before "
                                 "breaking",
                                 "副本数更少的工作负载，除非可先建后删"}),
      field<&S::local_storage>("localStorage", {"pods with emptyDir or hostPath", "使用 emptyDir 或 hostPath 的 Pod"}),
      field<&S::claims>("claims", {"pods with a persistent volume claim", "使用持久卷声明的 Pod"}),
      field<&S::bare_pods>("barePods", {"pods of nobody", "独立 Pod"}),
      field<&S::without_budget>("withoutBudget", {"pods that no PodDisruptionBudget covers", "没有 PDB 覆盖的 Pod"}),
  });
  return table;
}

// --- Brakes. ---

Table caps_table(Phrase per_workload) {
  return table_of<MoveCaps>({
      field<&MoveCaps::total>("total", between(0, kMostMoves), {"in all", "总数"}),
      field<&MoveCaps::per_node>("perNode", between(0, kMostMoves), {"off or onto one node", "每个节点迁出或迁入"}),
      field<&MoveCaps::per_namespace>("perNamespace", between(0, kMostMoves), {"of one namespace", "每个命名空间"}),
      field<&MoveCaps::per_workload>("perWorkload", between(0, kMostMoves), per_workload),
  });
}

void check_brakes(YamlReader& from, Brakes& brakes) {
  if (brakes.memory >= brakes.cooldown) return;
  from.problem("memory", "must not be shorter than cooldown: a move would be forgotten while it still counts");
}

const Table& brakes_table() {
  static const Table per_cycle = caps_table({"of one workload", "每个工作负载"});
  static const Table at_once =
      caps_table({"begun of one workload; they are carried out one after the other, whatever this says",
                  "每个工作负载已开始的次数；无论取值多少，同一工作负载总是逐个执行"});
  static const Table table = table_of<Brakes>(
      {
          section<&Brakes::per_cycle>("perCycle", per_cycle,
                                      {"moves in one cycle; 0: no limit", "每个周期的迁移数；0 表示不限"}),
          section<&Brakes::at_once>("atOnce", at_once,
                                    {"moves under way; 0: no limit", "同时进行的迁移数；0 表示不限"}),
          field<&Brakes::cooldown>("cooldown", kNotNegative,
                                   {"a pod that was moved stays for so long", "迁移过的 Pod 在此期间不再迁移"}),
          field<&Brakes::memory>("memory", kNotNegative,
                                 {"its workload is not sent back for so long; not shorter than cooldown",
                                  "其工作负载在此期间不会被迁回；不短于 cooldown"}),
          field<&Brakes::pending_pods>(
              "pendingPods", between(1, 100),
              {"percent of pods that wait: above, nothing is moved", "等待中的 Pod 比例（%）：超过则停止迁移"}),
          field<&Brakes::failing_zone>("failingZone", between(1, 100),
                                       {"percent of a zone's nodes that are not ready: above, nothing is moved",
                                        "可用区内未就绪节点比例（%）：超过则停止迁移"}),
          field<&Brakes::failed_moves>(
              "failedMoves", between(1, 100),
              {"percent of recent moves that failed: above, it rests", "近期迁移失败比例（%）：超过则休息"}),
          field<&Brakes::recent_moves>("recentMoves", between(1, kMostRecentMoves),
                                       {"so many are recent", "近期迁移的数量"}),
          field<&Brakes::rest>(
              "rest", kNotNegative,
              {"how long it rests after too many failures, or no effect", "失败过多或无效果后休息多久"}),
          field<&Brakes::paused>("paused", {"nothing is moved", "暂停一切迁移"}),
      },
      check_brakes);
  return table;
}

// --- When and where. ---

void read_windows(YamlReader& from, std::string_view key, std::vector<TimeWindow>& into) {
  std::vector<std::string> texts;
  from.read(key, texts);
  for (const std::string& text : texts) {
    const auto window = parse_time_window(text);
    if (window) {
      into.push_back(*window);
    } else {
      from.problem(key, window.error().message);
    }
  }
}

void print_windows(const std::vector<TimeWindow>& windows, std::string_view key, YamlWriter& to) {
  std::vector<std::string> texts;
  for (const TimeWindow& window : windows) texts.push_back(format_time_window(window));
  to.field(key, texts);
}

void check_pool(YamlReader& from, NodePool& pool) {
  check_bands(from);
  if (!kube::is_dns_label(pool.name)) from.problem("name", "must be given, in lower-case letters, digits and '-'");
  const auto selector = kube::LabelSelector::parse(pool.selector);
  if (pool.selector.empty()) {
    from.problem("selector", "must be given, such as example.com/pool=batch: an empty one would pick every node");
  } else if (!selector) {
    from.problem("selector", selector.error().message);
  }
}

const Table& pool_table() {
  static const Table table = table_of<NodePool>(
      {
          field<&NodePool::name>("name", {"of the pool", "节点组名称"}),
          field<&NodePool::selector>("selector", {"labels of its nodes", "节点标签选择器"}),
          custom<&NodePool::modes, read_modes, print_modes>("modes", {.type = "object"},
                                                            {"instead of those above", "覆盖上面的 modes"}),
          documented<NodePool>("modes.STRATEGY", kMode, {"off, observe or act", "关闭、仅观察或执行"}),
          bands<&NodePool::bands>({"instead of those above", "覆盖上面的 bands"}),
      },
      check_pool);
  return table;
}

void check_rescheduling(YamlReader& from, ReschedulingSettings& settings) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < settings.pools.size(); ++i) {
    const std::string& name = settings.pools[i].name;
    if (!names.insert(name).second) from.items("pools")[i].problem("name", fmt::format("'{}' stands twice", name));
  }
}

}  // namespace

const Table& rescheduling_table() {
  using S = ReschedulingSettings;
  static const Table table = table_of<S>(
      {
          custom<&S::modes, read_modes, print_modes>("modes", {.type = "object"},
                                                     {"by strategy; act for enabledStrategies, off for the others",
                                                      "按策略设置；enabledStrategies 中的默认为 act，其余为 off"}),
          documented<S>("modes.STRATEGY", kMode,
                        {"off, only tell what would be done, or do it", "关闭、仅报告计划，或实际执行"}),
          section<&S::load_balancing>("loadBalancing", load_balancing_table(),
                                      {"of the strategy LoadBalancing", "LoadBalancing 策略的设置"}),
          section<&S::resource_optimization>(
              "resourceOptimization", optimization_table(),
              {"of the strategy ResourceOptimization", "ResourceOptimization 策略的设置"}),
          section<&S::constraint_repair>(
              "constraintRepair", repair_table(),
              {"of the strategy ConstraintRepair: what is put right", "ConstraintRepair 策略：修复哪些约束"}),
          section<&S::maintenance>("maintenance", maintenance_table(),
                                   {"of nodes that are to be emptied", "节点维护的设置"}),
          section<&S::protections>("protections", protections_table(), {"who stays", "哪些 Pod 不迁移"}),
          section<&S::brakes>("brakes", brakes_table(), {"what holds moves back", "限制迁移的制动"}),
          custom<&S::windows, read_windows, print_windows>(
              "windows", {.type = "list of strings", .range = "such as Mon-Fri 22:00-06:00"},
              {"UTC; moves begin only then; none: always", "UTC；仅在这些时段开始迁移；未设置表示任何时候"}),
          list<&S::pools>("pools", pool_table(), {"groups of nodes with rules of their own", "有独立规则的节点组"}),
      },
      check_rescheduling);
  return table;
}

}  // namespace rescheduler::config
