// The args of the plugins of kube-scheduler, read as strictly as kube-scheduler reads them.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "config/tables.h"
#include "kube/codec/json.h"
#include "kube/config/yaml_json.h"
#include "kube/config/yaml_reader.h"
#include "kube/config/yaml_writer.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/value/duration.h"
#include "kube/value/name.h"
#include "kube/value/node_selector.h"
#include "placement/args.h"

namespace rescheduler::config {
namespace {

using kube::YamlReader;
using kube::YamlWriter;
using placement::ResourceWeight;
using placement::ScoringStrategy;
using placement::SpreadDefaulting;
using placement::UtilizationShapePoint;

template <class Message>
std::shared_ptr<const Message> read_message(const YamlReader& from) {  // null: a problem was reported
  auto message = std::make_shared<Message>();
  const auto read = kube::from_json(kube::yaml_to_json(from.node()), *message, kube::UnknownFields::Refuse);
  if (read) return message;
  from.problem(read.error().message);
  return nullptr;
}

// --- NodeResourcesFit, NodeResourcesBalancedAllocation. ---

void check_resource(YamlReader& from, ResourceWeight& resource) {
  if (resource.name.empty()) from.problem("name", "is required");
}

Table resource_table(int most_weight, Phrase weight) {
  return table_of<ResourceWeight>(
      {
          field<&ResourceWeight::name>("name", {"name of the resource", "资源名称"}),
          field<&ResourceWeight::weight>("weight", between(0, most_weight), weight).zero_is_unset(),
      },
      check_resource);
}

void check_shape(YamlReader& from, placement::NodeResourcesFitArgs& args) {
  if (args.shape.empty()) from.problem("shape", "needs at least one point");
  const auto falls = [](const UtilizationShapePoint& a, const UtilizationShapePoint& b) {
    return a.utilization >= b.utilization;
  };
  if (std::ranges::adjacent_find(args.shape, falls) != args.shape.end()) {
    from.problem("shape", "the utilization must increase from point to point");
  }
}

const Table& ratio_table() {
  static const Table point = table_of<UtilizationShapePoint>({
      field<&UtilizationShapePoint::utilization>("utilization", between(0, 100),
                                                 {"utilization in percent", "利用率（%）"}),
      field<&UtilizationShapePoint::score>("score", between(0, 10),
                                           {"score at this utilization", "该利用率对应的评分"}),
  });
  static const Table table = table_of<placement::NodeResourcesFitArgs>(
      {list<&placement::NodeResourcesFitArgs::shape>(
          "shape", point, {"points of the scoring curve; utilizations must increase", "评分曲线上的点；利用率须递增"})},
      check_shape);
  return table;
}

bool by_ratio(const placement::NodeResourcesFitArgs& args) {
  return args.strategy == ScoringStrategy::RequestedToCapacityRatio;
}

void check_strategy(YamlReader& from, placement::NodeResourcesFitArgs& args) {
  if (!from.has("type")) from.problem("type", "must be LeastAllocated, MostAllocated or RequestedToCapacityRatio");
  if (args.resources.empty()) args.resources = placement::NodeResourcesFitArgs{}.resources;
  const bool given = from.has("requestedToCapacityRatio");
  if (given && !by_ratio(args))
    from.problem("requestedToCapacityRatio", "is only valid with the type RequestedToCapacityRatio");
  if (!given && by_ratio(args)) from.problem("requestedToCapacityRatio", "is required for this type");
}

const Table& strategy_table() {
  using S = placement::NodeResourcesFitArgs;
  static const Table resource = resource_table(100, {"weight of the resource; 0 means 1", "资源的权重；0 表示 1"});
  static const Table table = table_of<S>(
      {
          word<&S::strategy>(
              "type",
              {{"LeastAllocated", ScoringStrategy::LeastAllocated},
               {"MostAllocated", ScoringStrategy::MostAllocated},
               {"RequestedToCapacityRatio", ScoringStrategy::RequestedToCapacityRatio}},
              {"scoring strategy: nodes with few requests score high, nodes with many requests, or by a curve",
               "评分策略：请求量少的节点评分高、请求量多的节点评分高，或按曲线评分"}),
          list<&S::resources>("resources", resource,
                              {"resources to score; default: cpu and memory", "参与评分的资源；默认为 cpu 和 memory"}),
          group<S>("requestedToCapacityRatio", ratio_table(),
                   {"only for the type RequestedToCapacityRatio", "仅用于 RequestedToCapacityRatio 类型"})
              .printed_if(by_ratio),
      },
      check_strategy);
  return table;
}

void check_fit(YamlReader& from, placement::NodeResourcesFitArgs& args) {
  for (const std::string& name : args.ignored_resources) {
    if (!kube::is_label_key(name))
      from.problem("ignoredResources", fmt::format("'{}' is not a valid resource name", name));
  }
  for (const std::string& name : args.ignored_resource_groups) {
    if (name.find('/') == std::string::npos && kube::is_label_key(name)) continue;
    from.problem(
        "ignoredResourceGroups",
        fmt::format("'{}' is not a resource group; the group is the part of a resource name before the '/'", name));
  }
}

void check_balanced(YamlReader& from, placement::NodeResourcesBalancedAllocationArgs& args) {
  if (args.resources.empty()) args.resources = placement::NodeResourcesBalancedAllocationArgs{}.resources;
  std::set<std::string> seen;
  for (const ResourceWeight& resource : args.resources) {
    if (!seen.insert(resource.name).second)
      from.problem("resources", fmt::format("'{}' is listed twice", resource.name));
  }
}

// --- DefaultPreemption, VolumeBinding, DynamicResources. ---

void check_preemption(YamlReader& from, placement::DefaultPreemptionArgs& args) {
  if (args.min_candidate_nodes_percentage == 0 && args.min_candidate_nodes_absolute == 0) {
    from.problem("minCandidateNodesPercentage", "must not be zero together with minCandidateNodesAbsolute");
  }
}

void check_volume_binding(YamlReader& from, placement::VolumeBindingArgs& /*args*/) {
  if (!from.has("shape")) return;
  from.problem("shape", "requires the feature gate StorageCapacityScoring, which is off in kube-scheduler 1.36");
}

void check_dynamic_resources(YamlReader& from, placement::DynamicResourcesArgs& /*args*/) {
  std::string text;
  from.read("bindingTimeout", text);
  if (text.empty()) return;
  const auto timeout = kube::parse_duration(text);
  if (!timeout) return from.problem("bindingTimeout", "must be a duration such as 30s or 1m30s");
  if (*timeout < std::chrono::seconds{1}) from.problem("bindingTimeout", "must be at least 1s");
  from.note("bindingTimeout", "has no effect here: pods with resource claims stay pending");
}

// --- PodTopologySpread. ---

using Constraints = std::vector<std::shared_ptr<const api::TopologySpreadConstraint>>;

void check_constraint(const YamlReader& at, const api::TopologySpreadConstraint& constraint) {
  if (constraint.max_skew() <= 0) at.problem("maxSkew", "must be greater than zero");
  if (!kube::is_label_key(constraint.topology_key())) at.problem("topologyKey", "must be the key of a node label");
  const std::string& action = constraint.when_unsatisfiable();
  if (action != "DoNotSchedule" && action != "ScheduleAnyway") {
    at.problem("whenUnsatisfiable", "must be DoNotSchedule or ScheduleAnyway");
  }
  if (constraint.has_label_selector()) {
    at.problem(
        "labelSelector",
        "must not be set: the selector is derived for each pod from the Services and controllers that select the pod");
  }
}

void read_constraints(YamlReader& from, std::string_view key, Constraints& into) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const YamlReader& item : from.items(key)) {
    const auto constraint = read_message<api::TopologySpreadConstraint>(item);
    if (constraint == nullptr) continue;
    check_constraint(item, *constraint);
    if (!seen.emplace(constraint->topology_key(), constraint->when_unsatisfiable()).second) {
      item.problem("has the same topologyKey and whenUnsatisfiable as another constraint");
    }
    into.push_back(constraint);
  }
}

void print_constraints(const Constraints& constraints, std::string_view key, YamlWriter& to) {
  std::string all;
  for (const auto& constraint : constraints) all += (all.empty() ? "" : ", ") + kube::to_json(*constraint);
  to.json(key, "[" + all + "]");
}

void check_spread(YamlReader& from, placement::PodTopologySpreadArgs& args) {
  if (args.defaulting == SpreadDefaulting::System && !args.default_constraints.empty()) {
    from.problem("defaultConstraints", "require defaultingType: List");
  }
}

// --- NodeAffinity. ---

using Affinity = std::shared_ptr<const api::NodeAffinity>;

std::vector<kube::SelectorExpression> plain(
    const google::protobuf::RepeatedPtrField<api::NodeSelectorRequirement>& requirements) {
  std::vector<kube::SelectorExpression> expressions;
  for (const auto& one : requirements) {
    expressions.push_back({one.key(), one.operator_(), {one.values().begin(), one.values().end()}});
  }
  return expressions;
}

void check_term(const YamlReader& at, const api::NodeSelectorTerm& term) {
  const auto parsed = kube::NodeSelectorTerm::from(plain(term.match_expressions()), plain(term.match_fields()));
  if (!parsed) at.problem(parsed.error().message);
}

void read_affinity(YamlReader& from, std::string_view key, Affinity& into) {
  if (!from.has(key)) return;
  const YamlReader added = from.child(key);
  into = read_message<api::NodeAffinity>(added);
  if (into == nullptr) return;
  for (const auto& term : into->required_during_scheduling_ignored_during_execution().node_selector_terms()) {
    check_term(added, term);
  }
  for (const auto& preferred : into->preferred_during_scheduling_ignored_during_execution()) {
    check_term(added, preferred.preference());
  }
}

void print_affinity(const Affinity& affinity, std::string_view key, YamlWriter& to) {
  to.json(key, kube::to_json(*affinity));
}

}  // namespace

const Table& node_resources_fit_table() {
  using S = placement::NodeResourcesFitArgs;
  static const Table table = table_of<S>(
      {
          field<&S::ignored_resources>("ignoredResources",
                                       {"extended resources that the plugin does not check", "插件不检查的扩展资源"}),
          field<&S::ignored_resource_groups>(
              "ignoredResourceGroups",
              {"groups of extended resources that the plugin does not check; the group is the part before the slash",
               "插件不检查的扩展资源组；组是名称中斜杠之前的部分"}),
          group<S>("scoringStrategy", strategy_table(),
                   {"how nodes are scored by requests", "如何按资源请求为节点评分"}),
      },
      check_fit);
  return table;
}

const Table& balanced_allocation_table() {
  using S = placement::NodeResourcesBalancedAllocationArgs;
  static const Table resource = resource_table(1, {"weight of the resource", "资源的权重"});
  static const Table table = table_of<S>(
      {list<&S::resources>("resources", resource,
                           {"resources to balance; default: cpu and memory", "参与均衡的资源；默认为 cpu 和 memory"})},
      check_balanced);
  return table;
}

const Table& default_preemption_table() {
  using S = placement::DefaultPreemptionArgs;
  static const Table table = table_of<S>(
      {
          field<&S::min_candidate_nodes_percentage>(
              "minCandidateNodesPercentage", between(0, 100),
              {"minimum number of candidate nodes for preemption, as a percentage of all nodes",
               "抢占的候选节点数下限，占全部节点的百分比"}),
          field<&S::min_candidate_nodes_absolute>(
              "minCandidateNodesAbsolute",
              {"minimum number of candidate nodes for preemption; the larger of the two minimums is used; not both 0",
               "抢占的候选节点数下限；取两个下限中较大者；二者不能同时为 0"}),
      },
      check_preemption);
  return table;
}

const Table& inter_pod_affinity_table() {
  using S = placement::InterPodAffinityArgs;
  static const Table table = table_of<S>({
      field<&S::hard_pod_affinity_weight>("hardPodAffinityWeight", between(0, 100),
                                          {"weight of the required pod affinity of running pods in the score",
                                           "已运行 Pod 的必需 Pod 亲和性在评分中的权重"}),
      field<&S::ignore_preferred_terms_of_existing_pods>(
          "ignorePreferredTermsOfExistingPods",
          {"true: preferred affinity terms of running pods are ignored for pods without preferred terms of their own",
           "true：Pod 自身没有偏好亲和性时，忽略已运行 Pod 的偏好亲和性"}),
  });
  return table;
}

const Table& volume_binding_table() {
  using S = placement::VolumeBindingArgs;
  constexpr std::int64_t kCentury = std::int64_t{100} * 365 * 24 * 3600;  // far below the range of the clock
  static const Table table = table_of<S>(
      {
          field<&S::bind_timeout>(
              "bindTimeoutSeconds", between(0, kCentury),
              {"maximum time in seconds to bind the volumes of a pod", "绑定 Pod 存储卷的最长时间（秒）"}),
          documented<S>("shape", {.type = "object"},
                        {"not accepted, as in kube-scheduler 1.36", "不接受，与 kube-scheduler 1.36 相同"}),
      },
      check_volume_binding);
  return table;
}

const Table& dynamic_resources_table() {
  using S = placement::DynamicResourcesArgs;
  static const Table table = table_of<S>(
      {
          field<&S::filter_timeout>(
              "filterTimeout", kNotNegative,
              {"no effect: pods with resource claims stay pending", "无作用：带资源申领的 Pod 保持 Pending"}),
          documented<S>("bindingTimeout", {"duration", "10m0s"},
                        {"no effect: pods with resource claims stay pending", "无作用：带资源申领的 Pod 保持 Pending"}),
      },
      check_dynamic_resources);
  return table;
}

const Table& pod_topology_spread_table() {
  using S = placement::PodTopologySpreadArgs;
  static const Table table = table_of<S>(
      {
          word<&S::defaulting>(
              "defaultingType", {{"System", SpreadDefaulting::System}, {"List", SpreadDefaulting::List}},
              {"default constraints of pods without constraints: those of Kubernetes (System) or defaultConstraints "
               "(List)",
               "没有约束的 Pod 的默认约束：Kubernetes 的默认约束（System）或 defaultConstraints（List）"}),
          custom<&S::default_constraints, read_constraints, print_constraints>(
              "defaultConstraints", {.type = "list"},
              {"default constraints for defaultingType List; same format as in a pod, without labelSelector",
               "defaultingType 为 List 时的默认约束；格式与 Pod 中相同，但没有 labelSelector"})
              .printed_if([](const S& args) { return !args.default_constraints.empty(); }),
      },
      check_spread);
  return table;
}

const Table& node_affinity_table() {
  using S = placement::NodeAffinityArgs;
  static const Table table = table_of<S>({
      custom<&S::added_affinity, read_affinity, print_affinity>(
          "addedAffinity", {.type = "object"},
          {"additional node affinity for all pods of the profile; same format as in a pod",
           "对该 profile 的所有 Pod 附加的节点亲和性；格式与 Pod 中相同"})
          .printed_if([](const S& args) { return args.added_affinity != nullptr; }),
  });
  return table;
}

}  // namespace rescheduler::config
