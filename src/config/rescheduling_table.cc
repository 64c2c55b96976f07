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

constexpr int kMostSamples = 60;       // stored as bits of one word; 30 minutes at an interval of 30 s
constexpr int kMostRecentMoves = 200;  // far below the number of recorded moves
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
      member.problem(fmt::format("is not a strategy; valid values are {}", listed(strategy_names())));
      continue;
    }
    const std::string word = member.as_string();
    const auto* const mode = std::ranges::find(kModes, word, [](StrategyMode one) { return to_string(one); });
    if (mode == kModes.end()) {
      member.problem(fmt::format("'{}' is not a mode; valid values are {}", word, kMode.range));
    } else {
      into[*strategy] = *mode;
    }
  }
}

void print_modes(const Modes& modes, std::string_view key, YamlWriter& to) {
  if (modes.empty()) return to.json(key, "{}");
  to.open(key);
  for (const auto& [strategy, mode] : modes) {
    // In quotes, because many YAML parsers read a bare "off" as a boolean.
    to.json(to_string(strategy), fmt::format("\"{}\"", to_string(mode)));
  }
  to.close();
}

void check_band(YamlReader& from, LoadBand& band) {
  if (!from.has("target")) band.target = std::max(1.0, band.trigger - 10);
  if (band.target >= band.trigger) {
    from.problem("target", "must be below trigger; otherwise every move would cause another one");
  }
}

const Table& band_table() {
  static const Table table = table_of<LoadBand>(
      {
          field<&LoadBand::trigger>(
              "trigger", kPercentage,
              {"load in percent; a node with a higher load is hot", "负载（%）；负载更高的节点为过热节点"}),
          field<&LoadBand::target>("target", kPercentage,
                                   {"load in percent to which a hot node is brought down; below trigger",
                                    "过热节点要降到的负载（%）；须低于 trigger"}),
      },
      check_band);
  return table;
}

void check_bands(YamlReader& from) {
  if (!from.has("bands")) return;
  for (const auto& [name, member] : from.child("bands").members()) {
    if (!kube::is_dns_label(name))
      member.problem("is not a known resource; use cpu, memory or a name from load.resources");
  }
}

template <auto Member>
auto bands(Phrase meaning) {
  return map<Member>(
      "bands", meaning, "RESOURCE", band_table(),
      {"name of the resource: cpu, memory or one of load.resources", "资源名称：cpu、memory 或 load.resources 之一"});
}

// --- Strategies. ---

void check_load_balancing(YamlReader& from, LoadBalancingSettings& settings) {
  check_bands(from);
  Persistence& persistence = settings.persistence;
  if (!from.has("needed")) persistence.needed = std::min(persistence.needed, persistence.of);
  if (persistence.needed > persistence.of)
    from.problem("needed", "must not be greater than `of`: a node would never count as hot");
  if (settings.deviation_target > settings.deviation_trigger) {
    from.problem("deviationTarget", "must not be above deviationTrigger");
  }
}

const Table& load_balancing_table() {
  using S = LoadBalancingSettings;
  static const Table persistence = table_of<Persistence>({
      field<&Persistence::needed>(
          "needed", between(1, kMostSamples),
          {"number of samples above the trigger before a node is hot or the cluster is unbalanced",
           "多少个样本超过触发值后，节点视为过热或集群视为不均衡"}),
      field<&Persistence::of>("of", between(1, kMostSamples),
                              {"number of latest samples considered; one sample per rescheduling interval",
                               "考虑的最近样本数；每个重调度间隔一个样本"}),
  });
  static const Table table = table_of<S>(
      {
          bands<&S::bands>(
              {"trigger and target by resource; default: the threshold of the resource, and 10 percentage points less",
               "按资源设置触发值和目标值；默认为该资源的阈值，以及低 10 个百分点"}),
          embedded<&S::persistence>(persistence),
          field<&S::deviation_trigger>(
              "deviationTrigger", between(0, 100),
              {"standard deviation of load between nodes, in percentage points; above it the cluster is unbalanced",
               "节点间负载的标准差（百分点）；超过则集群不均衡"}),
          field<&S::deviation_target>("deviationTarget", between(0, 100),
                                      {"standard deviation in percentage points to which an unbalanced cluster is "
                                       "brought down; not above deviationTrigger",
                                       "不均衡的集群要降到的标准差（百分点）；不高于 deviationTrigger"}),
          field<&S::least_gain>(
              "leastGain", between(0, 100),
              {"minimum number of percentage points by which a move must reduce the load of its source node",
               "一次迁移至少要为源节点降低的负载（百分点）"}),
      },
      check_load_balancing);
  return table;
}

void check_optimization(YamlReader& from, ResourceOptimizationSettings& settings) {
  if (settings.underused < settings.packed_target) return;
  from.problem("underused", "must be below packedTarget; otherwise a node that was filled would be emptied again");
}

const Table& optimization_table() {
  using S = ResourceOptimizationSettings;
  static const Table table = table_of<S>(
      {
          field<&S::stranded_trigger>(
              "strandedTrigger", between(0, 100),
              {"percentage of CPU or memory, over all nodes, that is free but unusable because the other resource of "
               "its node is exhausted; above it pods are moved",
               "所有节点上空闲但因节点另一种资源用尽而无法使用的 CPU 或内存的百分比；超过则迁移 Pod"}),
          field<&S::underused>(
              "underused", between(0, 100),
              {"requests in percent of allocatable; with freeNodes, a node below this value can be emptied; below "
               "packedTarget",
               "资源请求占可分配量的百分比；启用 freeNodes 时，低于此值的节点可被清空；须低于 packedTarget"}),
          field<&S::packed_target>("packedTarget", kPercentage,
                                   {"requests in percent of allocatable up to which the other nodes are filled",
                                    "其他节点可填充到的资源请求占可分配量的百分比"}),
          field<&S::free_nodes>("freeNodes", {"true: move all pods off underused nodes", "true：清空利用率低的节点"}),
      },
      check_optimization);
  return table;
}

const Table& repair_table() {
  using S = ConstraintRepairSettings;
  static const Table table = table_of<S>({
      field<&S::node_affinity>("nodeAffinity",
                               {"true: move pods whose required node affinity no longer matches their node",
                                "true：迁移必需的节点亲和性不再匹配所在节点的 Pod"}),
      field<&S::taints>("taints", {"true: move pods that do not tolerate a taint of their node",
                                   "true：迁移不容忍所在节点污点的 Pod"}),
      field<&S::pod_anti_affinity>("podAntiAffinity", {"true: move pods that violate a required pod anti-affinity",
                                                       "true：迁移违反必需的 Pod 反亲和性的 Pod"}),
      field<&S::topology_spread>("topologySpread",
                                 {"true: move pods that exceed the maxSkew of a topology spread constraint",
                                  "true：迁移超出拓扑分布约束 maxSkew 的 Pod"}),
      field<&S::duplicates>("duplicates", {"true: move pods if several pods of one workload are on the same node",
                                           "true：同一节点上有同一工作负载的多个 Pod 时，迁移多余的 Pod"}),
  });
  return table;
}

template <auto Member>
auto drain_policy(std::string_view key, Phrase meaning) {
  return word<Member>(key, {{"leave", DrainPolicy::Leave}, {"evict", DrainPolicy::Evict}, {"ask", DrainPolicy::Ask}},
                      meaning);
}

const Table& drain_policies_table() {
  using S = DrainPolicies;
  static const Table table = table_of<S>({
      drain_policy<&S::excluded_namespaces>("excludedNamespaces",
                                            {"pods of excludedNamespaces", "excludedNamespaces 中的 Pod"}),
      drain_policy<&S::critical>("critical", {"system-critical pods, and pods of priorityThreshold and above",
                                              "系统关键 Pod，以及优先级不低于 priorityThreshold 的 Pod"}),
      drain_policy<&S::do_not_evict>("doNotEvict", {"pods whose annotation asks other programs not to evict them",
                                                    "注解要求其他程序不要驱逐的 Pod"}),
      drain_policy<&S::bare_pods>("barePods",
                                  {"bare pods, if protections.barePods is true; evict copies the pod, then deletes it",
                                   "裸 Pod（protections.barePods 为 true 时）；evict 表示先复制再删除"}),
      drain_policy<&S::local_storage>("localStorage",
                                      {"pods with emptyDir or hostPath volumes, if protections.localStorage is true; "
                                       "evict deletes the data of emptyDir volumes",
                                       "使用 emptyDir 或 hostPath 卷的 Pod（protections.localStorage 为 true 时）；"
                                       "evict 会删除 emptyDir 卷的数据"}),
  });
  return table;
}

const Table& maintenance_table() {
  using S = MaintenanceSettings;
  static const Table table = table_of<S>({
      field<&S::nodes_at_once>("nodesAtOnce", between(1, 1000),
                               {"maximum number of nodes under maintenance at the same time", "同时维护的节点数上限"}),
      field<&S::give_up_after>(
          "giveUpAfter", kNotNegative,
          {"time after which a blocked drain is reported by the event MaintenanceStuck; the drain continues to wait",
           "排空受阻超过这段时间后以事件 MaintenanceStuck 报告；排空继续等待"}),
      section<&S::pods>(
          "pods", drain_policies_table(),
          {"what a drain does with classes of pods: leave (the pod stays, the drain does not wait), evict (the pod "
           "leaves) or ask (the drain waits until the annotation rescheduler.io/drain-allows of the node names the "
           "class)",
           "排空如何处理各类 Pod：leave（Pod 留下，排空不等待）、evict（Pod 离开）或 ask（排空等待，直到节点的注解 "
           "rescheduler.io/drain-allows 写明该类）"}),
  });
  return table;
}

const Table& protections_table() {
  using S = Protections;
  static const Table table = table_of<S>({
      field<&S::priority_threshold>(
          "priorityThreshold",
          {"pods with this priority or a higher one are not moved; not set: only system-critical pods are not moved",
           "不迁移优先级不低于此值的 Pod；未设置时只有系统关键 Pod 不迁移"}),
      field<&S::least_age>(
          "leastAge", kNotNegative,
          {"pods that started less than this time ago are not moved, except off a node under maintenance",
           "不迁移启动未满这段时间的 Pod，除非所在节点正在维护"}),
      field<&S::least_replicas>(
          "leastReplicas", between(1, 1'000'000),
          {"pods of workloads with fewer replicas are not moved, except off a node under maintenance",
           "不迁移副本数更少的工作负载的 Pod，除非所在节点正在维护"}),
      field<&S::local_storage>("localStorage", {"true: pods with emptyDir or hostPath volumes are not moved",
                                                "true：不迁移使用 emptyDir 或 hostPath 卷的 Pod"}),
      field<&S::claims>("claims",
                        {"true: pods with a PersistentVolumeClaim are not moved, except off a node under maintenance",
                         "true：不迁移使用 PersistentVolumeClaim 的 Pod，除非所在节点正在维护"}),
      field<&S::stateful_set_claims>("statefulSetClaims",
                                     {"true: pods of a StatefulSet with a PersistentVolumeClaim are not moved, except "
                                      "off a node under maintenance",
                                      "true：不迁移 StatefulSet 中使用 PersistentVolumeClaim 的 Pod，除非所在节点"
                                      "正在维护"}),
      field<&S::bare_pods>("barePods", {"true: bare pods are not moved", "true：不迁移裸 Pod"}),
      field<&S::without_budget>(
          "withoutBudget",
          {"true: pods without a PodDisruptionBudget are not moved, except off a node under maintenance",
           "true：不迁移没有 PodDisruptionBudget 的 Pod，除非所在节点正在维护"}),
  });
  return table;
}

// --- Brakes. ---

Table caps_table(Phrase per_workload) {
  return table_of<MoveCaps>({
      field<&MoveCaps::total>("total", between(0, kMostMoves), {"number of moves in total", "迁移总数"}),
      field<&MoveCaps::per_node>("perNode", between(0, kMostMoves),
                                 {"number of moves off or onto one node", "一个节点的迁出或迁入数"}),
      field<&MoveCaps::per_namespace>("perNamespace", between(0, kMostMoves),
                                      {"number of moves in one namespace", "一个命名空间的迁移数"}),
      field<&MoveCaps::per_workload>("perWorkload", between(0, kMostMoves), per_workload),
  });
}

void check_brakes(YamlReader& from, Brakes& brakes) {
  if (brakes.memory >= brakes.cooldown) return;
  from.problem("memory",
               "must not be shorter than cooldown: the record of a move would be deleted during its cooldown");
}

const Table& brakes_table() {
  static const Table per_cycle = caps_table({"number of moves of one workload", "一个工作负载的迁移数"});
  static const Table at_once =
      caps_table({"number of started moves of one workload; the moves of a workload always run one after the other",
                  "一个工作负载已开始的迁移数；同一工作负载的迁移总是逐个执行"});
  static const Table table = table_of<Brakes>(
      {
          section<&Brakes::per_cycle>("perCycle", per_cycle,
                                      {"maximum number of moves that start in one cycle; 0: no limit",
                                       "一个周期内开始的迁移数上限；0 表示不限"}),
          section<&Brakes::at_once>("atOnce", at_once,
                                    {"maximum number of moves in progress at the same time; 0: no limit",
                                     "同时进行的迁移数上限；0 表示不限"}),
          field<&Brakes::cooldown>("cooldown", kNotNegative,
                                   {"time after a move in which the replacement pod is not moved again",
                                    "迁移之后，替代 Pod 在这段时间内不再迁移"}),
          field<&Brakes::memory>("memory", kNotNegative,
                                 {"time for which moves are recorded; pods of the workload are not moved back to a "
                                  "node that they left in this time; not shorter than cooldown",
                                  "迁移的记录保留这段时间，期间工作负载的 Pod 不会迁回已离开的节点；不短于 cooldown"}),
          field<&Brakes::pending_pods>(
              "pendingPods", between(1, 100),
              {"percentage of pending pods; above it no moves start", "等待调度的 Pod 的百分比；超过则不开始迁移"}),
          field<&Brakes::failing_zone>(
              "failingZone", between(1, 100),
              {"percentage of nodes in a zone that are not ready; at this value or above no moves start",
               "一个可用区内未就绪节点的百分比；达到或超过则不开始迁移"}),
          field<&Brakes::failed_moves>(
              "failedMoves", between(1, 100),
              {"percentage of the last recentMoves moves that failed; above it no moves start for the time rest",
               "最近 recentMoves 次迁移中失败的百分比；超过则在 rest 时间内不开始迁移"}),
          field<&Brakes::recent_moves>(
              "recentMoves", between(1, kMostRecentMoves),
              {"number of latest moves that failedMoves considers", "failedMoves 考虑的最近迁移数"}),
          field<&Brakes::rest>(
              "rest", kNotNegative,
              {"time without new moves after too many failed moves; for a strategy, after moves without effect",
               "迁移失败过多后不开始新迁移的时间；某个策略的迁移没有效果时，该策略停止的时间"}),
          field<&Brakes::paused>("paused", {"true: no moves start", "true：不开始任何迁移"}),
      },
      check_brakes);
  return table;
}

// --- Time windows and node pools. ---

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
  if (!kube::is_dns_label(pool.name)) from.problem("name", "is required; use lower-case letters, digits and '-'");
  const auto selector = kube::LabelSelector::parse(pool.selector);
  if (pool.selector.empty()) {
    from.problem("selector",
                 "is required, for example example.com/pool=batch; an empty selector would select every node");
  } else if (!selector) {
    from.problem("selector", selector.error().message);
  }
}

const Table& pool_table() {
  static const Table table = table_of<NodePool>(
      {
          field<&NodePool::name>("name", {"name of the node pool", "节点池的名称"}),
          field<&NodePool::selector>("selector", {"label selector for the nodes of the pool", "节点池的标签选择算符"}),
          custom<&NodePool::modes, read_modes, print_modes>(
              "modes", {.type = "object"},
              {"overrides rescheduling.modes for the nodes of the pool", "对节点池内的节点覆盖 rescheduling.modes"}),
          documented<NodePool>("modes.STRATEGY", kMode,
                               {"mode of the strategy: off, observe (publish plans only) or act (carry plans out)",
                                "策略的模式：off、observe（只公布计划）或 act（执行计划）"}),
          bands<&NodePool::bands>(
              {"overrides loadBalancing.bands for the nodes of the pool", "对节点池内的节点覆盖 loadBalancing.bands"}),
      },
      check_pool);
  return table;
}

void check_rescheduling(YamlReader& from, ReschedulingSettings& settings) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < settings.pools.size(); ++i) {
    const std::string& name = settings.pools[i].name;
    if (!names.insert(name).second) from.items("pools")[i].problem("name", fmt::format("'{}' is listed twice", name));
  }
}

}  // namespace

const Table& rescheduling_table() {
  using S = ReschedulingSettings;
  static const Table table = table_of<S>(
      {
          custom<&S::modes, read_modes, print_modes>(
              "modes", {.type = "object"},
              {"modes by strategy; default: act for enabledStrategies and NodeMaintenance, off for the others",
               "按策略设置模式；默认：enabledStrategies 中的和 NodeMaintenance 为 act，其余为 off"}),
          documented<S>("modes.STRATEGY", kMode,
                        {"mode of the strategy: off, observe (publish plans only) or act (carry plans out)",
                         "策略的模式：off、observe（只公布计划）或 act（执行计划）"}),
          section<&S::load_balancing>("loadBalancing", load_balancing_table(),
                                      {"settings of the strategy LoadBalancing", "LoadBalancing 策略的设置"}),
          section<&S::resource_optimization>(
              "resourceOptimization", optimization_table(),
              {"settings of the strategy ResourceOptimization", "ResourceOptimization 策略的设置"}),
          section<&S::constraint_repair>("constraintRepair", repair_table(),
                                         {"settings of the strategy ConstraintRepair: constraints to repair",
                                          "ConstraintRepair 策略的设置：修复哪些约束"}),
          section<&S::maintenance>("maintenance", maintenance_table(),
                                   {"settings of node maintenance", "节点维护的设置"}),
          section<&S::protections>("protections", protections_table(), {"pods that are not moved", "不迁移的 Pod"}),
          section<&S::brakes>("brakes", brakes_table(),
                              {"conditions and limits that stop new moves", "阻止开始新迁移的条件和上限"}),
          custom<&S::windows, read_windows, print_windows>(
              "windows", {.type = "list of strings", .range = "such as Mon-Fri 22:00-06:00"},
              {"time windows in UTC in which moves can start; empty: always",
               "可以开始迁移的时间窗口（UTC）；为空表示任何时候"}),
          list<&S::pools>("pools", pool_table(),
                          {"node pools with their own modes and bands; the first pool that matches a node is used",
                           "有独立 modes 和 bands 的节点池；使用第一个匹配节点的节点池"}),
      },
      check_rescheduling);
  return table;
}

}  // namespace rescheduler::config
