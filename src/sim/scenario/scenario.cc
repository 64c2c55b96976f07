#include "sim/scenario/scenario.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>

namespace rescheduler::sim {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

std::string list_of(const TextMap& set, const std::vector<std::string>& remove) {
  std::string out;
  for (const auto& [key, value] : set) out += fmt::format("{}{}={}", out.empty() ? "" : ", ", key, value);
  for (const std::string& key : remove) out += fmt::format("{}{}-", out.empty() ? "" : ", ", key);
  return out;
}

std::string describe_mark(const event::Mark& mark) {
  const std::string where = mark.ns.empty() ? mark.name : mark.ns + "/" + mark.name;
  return fmt::format("{} {} {}: {}", mark.annotations ? "annotate" : "label", mark.kind, where,
                     list_of(mark.set, mark.remove));
}

std::string describe_load(const event::ChangeLoad& load) {
  std::string out = "load of " + load.workload + ":";
  if (load.cpu) out += " cpu " + *load.cpu;
  if (load.memory) out += std::string(load.cpu ? "," : "") + " memory " + *load.memory;
  return out;
}

std::string describe_apply(const event::Apply& apply) {
  std::string out = "apply";
  for (const Manifest& manifest : apply.manifests) out += fmt::format(" {}/{}", manifest.kind, manifest.name);
  return out;
}

// The method of largest remainders, so that the parts add up to `total`; every part gets at least one.
std::vector<int> shares(const std::vector<int>& sizes, int total) {
  double sum = 0;
  for (const int size : sizes) sum += size;
  std::vector<int> parts;
  std::vector<std::pair<double, std::size_t>> remainders;
  int given = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double exact = sum > 0 ? sizes[i] * (total / sum) : 0;
    const int whole = std::max(1, static_cast<int>(exact));
    parts.push_back(whole);
    remainders.emplace_back(exact - whole, i);
    given += whole;
  }
  std::ranges::sort(remainders, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  for (std::size_t i = 0; given < total; i = (i + 1) % remainders.size()) {
    ++parts[remainders[i].second];
    ++given;
  }
  while (given > total) {  // the minimum of one for small groups reduces the largest group
    --*std::ranges::max_element(parts);
    --given;
  }
  return parts;
}

int rounded(int replicas, double factor) {
  return replicas == 0 ? 0 : std::max(1, static_cast<int>(std::lround(replicas * factor)));
}

const std::string* node_of(const TimedEvent& event) {
  if (const auto* fault = std::get_if<event::Fault>(&event.action)) return &fault->node;
  if (const auto* cordon = std::get_if<event::Cordon>(&event.action)) return &cordon->node;
  if (const auto* mark = std::get_if<event::Mark>(&event.action); mark != nullptr && mark->kind == "Node") {
    return &mark->name;
  }
  return nullptr;
}

}  // namespace

std::string NodeGroup::node_name(int index) const {
  if (!names.empty()) return names[static_cast<std::size_t>(index)];
  return fmt::format("{}-{}", prefix, index + 1);
}

std::string_view to_string(WorkloadKind kind) {
  switch (kind) {
    case WorkloadKind::Deployment: return "Deployment";
    case WorkloadKind::StatefulSet: return "StatefulSet";
    case WorkloadKind::DaemonSet: return "DaemonSet";
    case WorkloadKind::Job: return "Job";
    case WorkloadKind::CronJob: return "CronJob";
    case WorkloadKind::Pod: return "Pod";
  }
  return "?";
}

std::string describe(const TimedEvent& event) {
  return std::visit(
      Overloaded{
          [](const event::Nothing&) { return std::string("nothing"); },
          [](const event::Scale& scale) { return fmt::format("scale {} to {}", scale.workload, scale.replicas); },
          [](const event::ChangeLoad& load) { return describe_load(load); },
          [](const event::Fault& fault) {
            return fault.fault.empty() ? "heal node " + fault.node
                                       : fmt::format("node {}: {}", fault.node, fault.fault);
          },
          [](const event::Cordon& cordon) { return (cordon.on ? "cordon " : "uncordon ") + cordon.node; },
          [](const event::Mark& mark) { return describe_mark(mark); },
          [](const event::DeletePods& pods) {
            return pods.workload.empty() ? fmt::format("delete pod {}/{}", pods.ns, pods.name)
                                         : fmt::format("delete {} pods of {}", pods.count, pods.workload);
          },
          [](const event::Apply& apply) { return describe_apply(apply); },
          [](const event::Rollout& rollout) { return "rollout of " + rollout.workload; },
      },
      event.action);
}

int Scenario::nodes() const {
  int sum = 0;
  for (const NodeGroup& group : node_groups) sum += group.size();
  return sum;
}

const NodeGroup* Scenario::find_group(std::string_view group) const {
  const auto found = std::ranges::find(node_groups, group, &NodeGroup::name);
  return found == node_groups.end() ? nullptr : &*found;
}

const Workload* Scenario::find_workload(std::string_view key) const {
  const auto found = std::ranges::find_if(workloads, [key](const Workload& workload) { return workload.key() == key; });
  return found == workloads.end() ? nullptr : &*found;
}

bool Scenario::has_node(std::string_view node) const {
  for (const NodeGroup& group : node_groups) {
    for (int i = 0; i < group.size(); ++i) {
      if (group.node_name(i) == node) return true;
    }
  }
  return std::ranges::any_of(
      manifests, [node](const Manifest& manifest) { return manifest.kind == "Node" && manifest.name == node; });
}

Scenario plain_scenario(int nodes) {
  Scenario scenario;
  scenario.description = "equal nodes without pods";
  NodeGroup group;
  group.name = group.prefix = "node";
  group.count = nodes;
  group.zones = {"zone-a", "zone-b", "zone-c"};
  scenario.node_groups.push_back(std::move(group));
  return scenario;
}

Result<Scenario> resized(Scenario scenario, int nodes) {
  std::vector<int> sizes;
  for (const NodeGroup& group : scenario.node_groups) {
    if (!group.names.empty()) {
      return fail(Errc::Invalid,
                  "the nodes of scenario {} come from a trace: their number is `openb.nodeLimit` in its file",
                  scenario.name);
    }
    sizes.push_back(group.count);
  }
  if (nodes < static_cast<int>(sizes.size()) || scenario.nodes() == 0) {
    return fail(Errc::Invalid, "scenario {} has {} groups of nodes: it needs at least as many nodes, not {}",
                scenario.name, sizes.size(), nodes);
  }
  const double factor = static_cast<double>(nodes) / scenario.nodes();
  const std::vector<int> parts = shares(sizes, nodes);
  for (std::size_t i = 0; i < parts.size(); ++i) scenario.node_groups[i].count = parts[i];
  for (TimedEvent& event : scenario.events) {
    if (const std::string* node = node_of(event); node != nullptr && !scenario.has_node(*node)) {
      return fail(Errc::Invalid, "on {} nodes scenario {} has no node {}, which one of its events needs", nodes,
                  scenario.name, *node);
    }
    auto* scale = std::get_if<event::Scale>(&event.action);
    const Workload* scaled = scale == nullptr ? nullptr : scenario.find_workload(scale->workload);
    if (scaled != nullptr && scaled->scales_with_nodes) scale->replicas = rounded(scale->replicas, factor);
  }
  for (Workload& workload : scenario.workloads) {
    if (workload.scales_with_nodes) workload.replicas = rounded(workload.replicas, factor);
  }
  return scenario;
}

}  // namespace rescheduler::sim
