#include "config/default_args.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "config/configuration.h"
#include "config/fields.h"
#include "kube/codec/json.h"
#include "kube/config/yaml_json.h"
#include "kube/config/yaml_reader.h"
#include "kube/config/yaml_writer.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/value/duration.h"
#include "kube/value/name.h"
#include "kube/value/node_selector.h"

namespace rescheduler::config {
namespace {

using kube::YamlReader;
using kube::YamlWriter;
using placement::ResourceWeight;
using placement::ScoringStrategy;
using placement::SpreadDefaulting;
using placement::UtilizationShapePoint;

// A format out of two functions that know the type of their settings.
template <class Args>
PluginArgsFormat format_of(const char* plugin,
                           void (*read)(YamlReader&, Args&),
                           void (*print)(const Args&, YamlWriter&)) {
  return {[=](YamlReader& from, Profile& profile) { read(from, profile.args[plugin].emplace<Args>()); },
          [=](const Profile& profile, YamlWriter& to) { print(*profile.args_of<Args>(plugin), to); }};
}

template <class Message>
std::shared_ptr<const Message> read_message(const YamlReader& from) {  // null: a problem was told
  auto message = std::make_shared<Message>();
  const auto read = kube::from_json(kube::yaml_to_json(from.node()), *message, kube::UnknownFields::Refuse);
  if (read) return message;
  from.problem(read.error().message);
  return nullptr;
}

// ---- NodeResourcesFit, NodeResourcesBalancedAllocation ----

void read_resources(YamlReader& from, std::vector<ResourceWeight>& into, int most_weight) {
  std::vector<ResourceWeight> resources;
  for (YamlReader& item : from.items("resources")) {
    ResourceWeight& resource = resources.emplace_back();
    item.read("name", resource.name);
    if (resource.name.empty()) item.problem("name", "is required");
    item.read("weight", resource.weight, 0, most_weight);
    if (resource.weight == 0) resource.weight = 1;  // as kube-scheduler takes it
    item.refuse_unknown_fields();
  }
  if (!resources.empty()) into = std::move(resources);
}

void print_resources(const std::vector<ResourceWeight>& resources, YamlWriter& to) {
  to.open("resources");
  for (const ResourceWeight& resource : resources) {
    to.item();
    to.field("name", resource.name);
    to.field("weight", resource.weight);
  }
  to.close();
}

void read_shape(YamlReader& from, std::vector<UtilizationShapePoint>& shape) {
  for (YamlReader& item : from.items("shape")) {
    UtilizationShapePoint& point = shape.emplace_back();
    read_int(item, "utilization", point.utilization, 0, 100);
    read_int(item, "score", point.score, 0, 10);
    item.refuse_unknown_fields();
  }
  if (shape.empty()) from.problem("shape", "needs at least one point");
  const auto falls = [](const UtilizationShapePoint& a, const UtilizationShapePoint& b) {
    return a.utilization >= b.utilization;
  };
  if (std::ranges::adjacent_find(shape, falls) != shape.end()) {
    from.problem("shape", "the utilizations must rise from point to point");
  }
}

constexpr std::pair<std::string_view, ScoringStrategy> kStrategies[] = {
    {"LeastAllocated", ScoringStrategy::LeastAllocated},
    {"MostAllocated", ScoringStrategy::MostAllocated},
    {"RequestedToCapacityRatio", ScoringStrategy::RequestedToCapacityRatio}};

void read_strategy(YamlReader from, placement::NodeResourcesFitArgs& args) {
  std::string type;
  from.read("type", type);
  from.describe("type", "word", kStrategies[0].first, "LeastAllocated, MostAllocated and RequestedToCapacityRatio");
  const auto* const found = std::ranges::find_if(kStrategies, [&](const auto& known) { return known.first == type; });
  if (found == std::end(kStrategies)) {
    from.problem("type", "must be LeastAllocated, MostAllocated or RequestedToCapacityRatio");
  } else {
    args.strategy = found->second;
  }
  read_resources(from, args.resources, 100);
  const bool by_ratio = args.strategy == ScoringStrategy::RequestedToCapacityRatio;
  if (from.has("requestedToCapacityRatio")) {
    if (!by_ratio) from.problem("requestedToCapacityRatio", "goes only with the type of that name");
    YamlReader ratio = from.child("requestedToCapacityRatio");
    read_shape(ratio, args.shape);
    ratio.refuse_unknown_fields();
  } else if (by_ratio) {
    from.problem("requestedToCapacityRatio", "is required for this type");
  }
  from.refuse_unknown_fields();
}

void read_fit(YamlReader& from, placement::NodeResourcesFitArgs& args) {
  from.read("ignoredResources", args.ignored_resources);
  for (const std::string& name : args.ignored_resources) {
    if (!kube::is_label_key(name)) from.problem("ignoredResources", fmt::format("'{}' is not a resource's name", name));
  }
  from.read("ignoredResourceGroups", args.ignored_resource_groups);
  for (const std::string& name : args.ignored_resource_groups) {
    if (name.find('/') != std::string::npos || !kube::is_label_key(name)) {
      from.problem("ignoredResourceGroups",
                   fmt::format("'{}' is not a group: that is what stands before the '/' of a resource's name", name));
    }
  }
  if (from.has("scoringStrategy")) read_strategy(from.child("scoringStrategy"), args);
}

void print_fit(const placement::NodeResourcesFitArgs& args, YamlWriter& to) {
  to.field("ignoredResources", args.ignored_resources);
  to.field("ignoredResourceGroups", args.ignored_resource_groups);
  to.open("scoringStrategy");
  for (const auto& [name, strategy] : kStrategies) {
    if (strategy == args.strategy) to.field("type", name);
  }
  print_resources(args.resources, to);
  if (args.strategy == ScoringStrategy::RequestedToCapacityRatio) {
    to.open("requestedToCapacityRatio");
    to.open("shape");
    for (const UtilizationShapePoint& point : args.shape) {
      to.item();
      to.field("utilization", point.utilization);
      to.field("score", point.score);
    }
    to.close();
    to.close();
  }
  to.close();
}

void read_balanced(YamlReader& from, placement::NodeResourcesBalancedAllocationArgs& args) {
  read_resources(from, args.resources, 1);
  std::set<std::string> seen;
  for (const ResourceWeight& resource : args.resources) {
    if (!seen.insert(resource.name).second) from.problem("resources", fmt::format("'{}' stands twice", resource.name));
  }
}

void print_balanced(const placement::NodeResourcesBalancedAllocationArgs& args, YamlWriter& to) {
  print_resources(args.resources, to);
}

// ---- DefaultPreemption, InterPodAffinity, VolumeBinding, DynamicResources ----

void read_preemption(YamlReader& from, placement::DefaultPreemptionArgs& args) {
  read_int(from, "minCandidateNodesPercentage", args.min_candidate_nodes_percentage, 0, 100);
  read_int(from, "minCandidateNodesAbsolute", args.min_candidate_nodes_absolute);
  if (args.min_candidate_nodes_percentage == 0 && args.min_candidate_nodes_absolute == 0) {
    from.problem("minCandidateNodesPercentage", "must not be zero together with minCandidateNodesAbsolute");
  }
}

void print_preemption(const placement::DefaultPreemptionArgs& args, YamlWriter& to) {
  to.field("minCandidateNodesPercentage", args.min_candidate_nodes_percentage);
  to.field("minCandidateNodesAbsolute", args.min_candidate_nodes_absolute);
}

void read_pod_affinity(YamlReader& from, placement::InterPodAffinityArgs& args) {
  read_int(from, "hardPodAffinityWeight", args.hard_pod_affinity_weight, 0, 100);
  from.read("ignorePreferredTermsOfExistingPods", args.ignore_preferred_terms_of_existing_pods);
}

void print_pod_affinity(const placement::InterPodAffinityArgs& args, YamlWriter& to) {
  to.field("hardPodAffinityWeight", args.hard_pod_affinity_weight);
  to.field("ignorePreferredTermsOfExistingPods", args.ignore_preferred_terms_of_existing_pods);
}

void read_volume_binding(YamlReader& from, placement::VolumeBindingArgs& args) {
  constexpr std::int64_t kCentury = std::int64_t{100} * 365 * 24 * 3600;  // far below what a clock can count
  std::int64_t seconds = args.bind_timeout.count();
  from.read("bindTimeoutSeconds", seconds, 0, kCentury);
  args.bind_timeout = std::chrono::seconds{seconds};
  if (from.has("shape"))
    from.problem("shape", "belongs to StorageCapacityScoring, which is off in kube-scheduler 1.36");
}

void print_volume_binding(const placement::VolumeBindingArgs& args, YamlWriter& to) {
  to.field("bindTimeoutSeconds", args.bind_timeout.count());
}

void read_dynamic_resources(YamlReader& from, placement::DynamicResourcesArgs& args) {
  if (read_duration(from, "filterTimeout", args.filter_timeout) && args.filter_timeout.count() < 0) {
    from.problem("filterTimeout", "must not be negative");
  }
  std::chrono::nanoseconds binding = std::chrono::minutes{10};
  if (read_duration(from, "bindingTimeout", binding)) {
    if (binding < std::chrono::seconds{1}) from.problem("bindingTimeout", "must be at least 1s");
    from.note("bindingTimeout", "has no effect here: pods with resource claims are left pending");
  }
}

void print_dynamic_resources(const placement::DynamicResourcesArgs& args, YamlWriter& to) {
  to.field("filterTimeout", kube::format_duration(args.filter_timeout));
}

// ---- PodTopologySpread ----

void check_constraint(const YamlReader& at, const api::TopologySpreadConstraint& constraint) {
  if (constraint.max_skew() <= 0) at.problem("maxSkew", "must be greater than zero");
  if (!kube::is_label_key(constraint.topology_key())) at.problem("topologyKey", "must be the key of a node label");
  const std::string& action = constraint.when_unsatisfiable();
  if (action != "DoNotSchedule" && action != "ScheduleAnyway") {
    at.problem("whenUnsatisfiable", "must be DoNotSchedule or ScheduleAnyway");
  }
  if (constraint.has_label_selector()) {
    at.problem("labelSelector", "must not be given: it is worked out for each pod from what selects it");
  }
}

void read_spread(YamlReader& from, placement::PodTopologySpreadArgs& args) {
  std::string defaulting;
  from.read("defaultingType", defaulting);
  from.describe("defaultingType", "word", "System", "System and List");
  if (defaulting == "List") args.defaulting = SpreadDefaulting::List;
  if (!defaulting.empty() && defaulting != "List" && defaulting != "System") {
    from.problem("defaultingType", "must be System or List");
  }
  std::set<std::pair<std::string, std::string>> seen;
  for (const YamlReader& item : from.items("defaultConstraints")) {
    const auto constraint = read_message<api::TopologySpreadConstraint>(item);
    if (constraint == nullptr) continue;
    check_constraint(item, *constraint);
    if (!seen.emplace(constraint->topology_key(), constraint->when_unsatisfiable()).second) {
      item.problem("repeats the topologyKey and whenUnsatisfiable of another one");
    }
    args.default_constraints.push_back(constraint);
  }
  if (args.defaulting == SpreadDefaulting::System && !args.default_constraints.empty()) {
    from.problem("defaultConstraints", "need defaultingType: List");
  }
}

void print_spread(const placement::PodTopologySpreadArgs& args, YamlWriter& to) {
  to.field("defaultingType", args.defaulting == SpreadDefaulting::List ? "List" : "System");
  if (args.default_constraints.empty()) return;
  std::string list;
  for (const auto& constraint : args.default_constraints)
    list += (list.empty() ? "" : ", ") + kube::to_json(*constraint);
  to.json("defaultConstraints", "[" + list + "]");
}

// ---- NodeAffinity ----

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

void read_node_affinity(YamlReader& from, placement::NodeAffinityArgs& args) {
  if (!from.has("addedAffinity")) return;
  const YamlReader added = from.child("addedAffinity");
  args.added_affinity = read_message<api::NodeAffinity>(added);
  if (args.added_affinity == nullptr) return;
  const auto& affinity = *args.added_affinity;
  if (affinity.has_required_during_scheduling_ignored_during_execution()) {
    const auto& terms = affinity.required_during_scheduling_ignored_during_execution().node_selector_terms();
    for (const auto& term : terms) check_term(added, term);
  }
  for (const auto& preferred : affinity.preferred_during_scheduling_ignored_during_execution()) {
    check_term(added, preferred.preference());
  }
}

void print_node_affinity(const placement::NodeAffinityArgs& args, YamlWriter& to) {
  if (args.added_affinity != nullptr) to.json("addedAffinity", kube::to_json(*args.added_affinity));
}

}  // namespace

PluginArgsFormat default_preemption_format() {
  return format_of("DefaultPreemption", &read_preemption, &print_preemption);
}
PluginArgsFormat inter_pod_affinity_format() {
  return format_of("InterPodAffinity", &read_pod_affinity, &print_pod_affinity);
}
PluginArgsFormat node_resources_fit_format() { return format_of("NodeResourcesFit", &read_fit, &print_fit); }
PluginArgsFormat balanced_allocation_format() {
  return format_of("NodeResourcesBalancedAllocation", &read_balanced, &print_balanced);
}
PluginArgsFormat pod_topology_spread_format() { return format_of("PodTopologySpread", &read_spread, &print_spread); }
PluginArgsFormat volume_binding_format() {
  return format_of("VolumeBinding", &read_volume_binding, &print_volume_binding);
}
PluginArgsFormat node_affinity_format() { return format_of("NodeAffinity", &read_node_affinity, &print_node_affinity); }
PluginArgsFormat dynamic_resources_format() {
  return format_of("DynamicResources", &read_dynamic_resources, &print_dynamic_resources);
}

}  // namespace rescheduler::config
