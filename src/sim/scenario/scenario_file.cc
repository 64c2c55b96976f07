#include "sim/scenario/scenario_file.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "kube/config/file.h"
#include "kube/config/yaml.h"
#include "kube/config/yaml_reader.h"
#include "sim/scenario/openb.h"
#include "sim/scenario/scenario_events.h"
#include "sim/scenario/scenario_fields.h"

namespace rescheduler::sim {
namespace {

using kube::YamlProblems;

constexpr int kMostNodes = 100'000;
constexpr int kMostReplicas = 1'000'000;
constexpr std::size_t kMostFileBytes = std::size_t{16} << 20;
constexpr std::array kWorkloadKinds{WorkloadKind::Deployment, WorkloadKind::StatefulSet, WorkloadKind::DaemonSet,
                                    WorkloadKind::Job,        WorkloadKind::CronJob,     WorkloadKind::Pod};

NodeGroup read_group(YamlReader& from) {
  NodeGroup group;
  read_name(from, "name", group.name);
  group.prefix = group.name;
  if (from.has("prefix")) read_name(from, "prefix", group.prefix);
  read_count(from, "count", group.count, 0, kMostNodes);
  read_quantity(from, "cpu", group.cpu);
  read_quantity(from, "memory", group.memory);
  read_count(from, "pods", group.pods, 0, 1'000);
  read_quantities(from, "resources", group.resources);
  read_labels(from, "labels", group.labels);
  read_annotations(from, "annotations", group.annotations);
  read_taints(from, "taints", group.taints);
  from.read("zones", group.zones);
  from.refuse_unknown_fields();
  return group;
}

PrioritySpec read_priority(YamlReader& from) {
  PrioritySpec spec;
  read_name(from, "name", spec.name);
  std::int64_t value = 0;
  from.read("value", value, -2'147'483'648LL, 1'000'000'000);  // the range that Kubernetes allows for users
  spec.value = static_cast<std::int32_t>(value);
  from.read("globalDefault", spec.global_default);
  from.read("preemptionPolicy", spec.preemption_policy);
  from.read("description", spec.description);
  from.refuse_unknown_fields();
  return spec;
}

void read_kind(YamlReader& from, WorkloadKind& into) {
  std::string text{to_string(into)};
  from.read("kind", text);
  for (const WorkloadKind kind : kWorkloadKinds) {
    if (to_string(kind) == text) {
      into = kind;
      return;
    }
  }
  from.problem("kind", "must be Deployment, StatefulSet, DaemonSet, Job, CronJob or Pod");
}

void read_budget(YamlReader& from, Workload& workload) {
  if (!from.has("pdb")) return;
  YamlReader budget = from.child("pdb");
  BudgetSpec spec;
  read_count_or_share(budget, "minAvailable", spec.min_available);
  read_count_or_share(budget, "maxUnavailable", spec.max_unavailable);
  budget.refuse_unknown_fields();
  if (budget.has("minAvailable") == budget.has("maxUnavailable")) {
    budget.problem("exactly one of minAvailable and maxUnavailable is required");
  }
  workload.budget = std::move(spec);
}

void read_placement(YamlReader& from, Workload& workload) {
  if (!from.has("placement")) return;
  YamlReader placement = from.child("placement");
  InitialPlacement spec;
  read_name(placement, "group", spec.group);
  std::string fill = "even";
  placement.read("fill", fill);
  if (fill != "even" && fill != "pack") placement.problem("fill", "must be even or pack");
  spec.fill = fill == "pack" ? InitialPlacement::Fill::Pack : InitialPlacement::Fill::Even;
  placement.refuse_unknown_fields();
  workload.placement = std::move(spec);
}

// A field that does not apply to the kind of the workload is an error; it is not ignored.
void check_kind_fields(YamlReader& from, const Workload& workload) {
  const auto only_for = [&](std::string_view field, std::initializer_list<WorkloadKind> kinds) {
    if (!from.has(field) || std::ranges::find(kinds, workload.kind) != kinds.end()) return;
    from.problem(field, fmt::format("is not a field of a {}", to_string(workload.kind)));
  };
  using enum WorkloadKind;
  only_for("schedule", {CronJob});
  only_for("parallelism", {Job, CronJob});
  only_for("replicas", {Deployment, StatefulSet, Job, CronJob, Pod});
  only_for("scalesWithNodes", {Deployment, StatefulSet, Job, Pod});
  only_for("placement", {Deployment, StatefulSet, Job, Pod});
  if (workload.kind == CronJob && workload.schedule.empty()) from.problem("schedule", "is required for a CronJob");
}

void read_placing_rules(YamlReader& from, Workload& workload) {
  read_labels(from, "nodeSelector", workload.node_selector);
  for (const auto& [key, values] : from.child("nodeAffinity").members()) {
    workload.node_affinity[key] = values.as_strings();
  }
  read_tolerations(from, "tolerations", workload.tolerations);
  read_placement(from, workload);
  from.read("schedulerName", workload.scheduler_name);
}

Workload read_workload(YamlReader& from) {
  Workload workload;
  read_name(from, "name", workload.name);
  if (from.has("namespace")) read_name(from, "namespace", workload.ns);
  read_kind(from, workload.kind);
  read_count(from, "replicas", workload.replicas, 0, kMostReplicas);
  read_count(from, "parallelism", workload.parallelism, 1, kMostReplicas);
  from.read("scalesWithNodes", workload.scales_with_nodes);
  read_quantities(from, "requests", workload.requests);
  read_quantities(from, "limits", workload.limits);
  YamlReader load = from.child("load");
  read_load(load, "cpu", LoadResource::Cpu, workload.cpu_load);
  read_load(load, "memory", LoadResource::Memory, workload.memory_load);
  load.refuse_unknown_fields();
  from.read("priorityClass", workload.priority_class);
  read_labels(from, "labels", workload.labels);
  read_annotations(from, "annotations", workload.annotations);
  read_placing_rules(from, workload);
  read_budget(from, workload);
  from.read("schedule", workload.schedule);
  read_duration(from, "runFor", workload.run_for);
  read_duration(from, "startDelay", workload.start_delay);
  read_duration(from, "readyDelay", workload.ready_delay);
  read_duration(from, "grace", workload.grace);
  read_duration(from, "startsAt", workload.starts_at);
  check_kind_fields(from, workload);
  from.refuse_unknown_fields();
  return workload;
}

OpenbSource read_openb(YamlReader from) {
  OpenbSource source;
  from.read("path", source.path);
  from.read("gpuNodesOnly", source.gpu_nodes_only);
  read_count(from, "nodeLimit", source.node_limit, 0, kMostNodes);
  read_count(from, "podLimit", source.pod_limit, 0, kMostReplicas);
  read_duration(from, "arriveWithin", source.arrive_within);
  read_fraction(from, "cpuUse", source.cpu_use, 10);
  read_fraction(from, "memoryUse", source.memory_use, 10);
  from.refuse_unknown_fields();
  return source;
}

// Referenced names must exist and be unique.
void check_references(YamlReader& top, const Scenario& scenario) {
  std::set<std::string> seen;
  for (YamlReader& item : top.items("nodeGroups")) {
    std::string name;
    item.read("name", name);
    if (!name.empty() && !seen.insert(name).second) item.problem("name", "another group has the same name");
  }
  std::set<std::string> workloads;
  std::size_t index = 0;
  for (YamlReader& item : top.items("workloads")) {
    const Workload& workload = scenario.workloads[index++];
    if (!workload.name.empty() && !workloads.insert(workload.key()).second) {
      item.problem("name", "another workload of this namespace has the same name");
    }
    if (workload.placement && scenario.find_group(workload.placement->group) == nullptr) {
      item.problem("placement.group", "there is no such group of nodes");
    }
    const auto has_class = [&](const PrioritySpec& spec) { return spec.name == workload.priority_class; };
    const bool built_in = workload.priority_class.empty() || workload.priority_class.starts_with("system-");
    if (!built_in && std::ranges::none_of(scenario.priority_classes, has_class)) {
      item.problem("priorityClass", "is not among the priorityClasses");
    }
  }
}

}  // namespace

Result<Scenario> read_scenario(std::string_view text, std::string_view file_name) {
  auto document = kube::parse_yaml(text, file_name);
  if (!document) return fail(std::move(document.error()));
  YamlProblems problems{std::string(file_name)};
  YamlReader top(*document, problems);
  Scenario scenario;
  read_name(top, "name", scenario.name);
  top.read("description", scenario.description);
  std::int64_t seed = 1;
  top.read("seed", seed, 0);
  scenario.seed = static_cast<std::uint64_t>(seed);
  for (YamlReader& item : top.items("nodeGroups")) scenario.node_groups.push_back(read_group(item));
  top.read("namespaces", scenario.namespaces);
  for (YamlReader& item : top.items("priorityClasses")) scenario.priority_classes.push_back(read_priority(item));
  for (YamlReader& item : top.items("workloads")) scenario.workloads.push_back(read_workload(item));
  read_manifest_list(top, "manifests", scenario.manifests);
  if (top.has("openb")) scenario.openb = read_openb(top.child("openb"));
  check_references(top, scenario);
  read_events(top, scenario);
  top.refuse_unknown_fields();
  if (scenario.nodes() == 0 && !scenario.openb && problems.empty()) {
    top.problem("nodeGroups", "a cluster needs at least one node");
  }
  if (!problems.empty()) return fail(problems.error());
  return scenario;
}

Result<Scenario> load_scenario(const std::string& name_or_path, const kube::Environment& environment) {
  const bool is_file =
      name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".yaml") || name_or_path.ends_with(".yml");
  std::string text;
  std::string directory;
  if (is_file) {
    auto content = kube::read_whole_file(name_or_path, kMostFileBytes);
    if (!content) return fail(std::move(content.error()));
    text = std::move(*content);
    directory = kube::directory_of(name_or_path);
  } else {
    const auto shipped = shipped_scenarios();
    const auto found = std::ranges::find(shipped, name_or_path, &ShippedScenario::name);
    if (found == shipped.end()) {
      std::string known;
      for (const ShippedScenario& scenario : shipped)
        known += fmt::format("{}{}", known.empty() ? "" : ", ", scenario.name);
      return fail(
          Errc::NotFound,
          "there is no scenario '{}'; built-in scenarios are {}; the name of a file ends in .yaml or contains a slash",
          name_or_path, known);
    }
    text = found->text;
  }
  auto scenario = read_scenario(text, name_or_path);
  if (!scenario || !scenario->openb) return scenario;
  if (!scenario->openb->path.empty()) scenario->openb->path = kube::resolve_against(directory, scenario->openb->path);
  return with_openb(std::move(*scenario), environment);
}

}  // namespace rescheduler::sim
