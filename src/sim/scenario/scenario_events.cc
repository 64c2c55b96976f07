#include "sim/scenario/scenario_events.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/scenario/scenario_fields.h"

namespace rescheduler::sim {
namespace {

constexpr int kMostReplicas = 1'000'000;

void check_workload(const YamlReader& at, std::string_view field, const std::string& key, const Scenario& scenario) {
  if (key.empty() || scenario.find_workload(key) != nullptr || scenario.openb) return;
  at.problem(field, "the scenario has no such workload");
}

void check_node(const YamlReader& at, std::string_view field, const std::string& node, const Scenario& scenario) {
  if (node.empty() || scenario.has_node(node) || scenario.openb) return;
  at.problem(field, "the scenario has no such node");
}

event::Action read_scale(YamlReader& from, const Scenario& scenario) {
  event::Scale scale;
  read_workload_key(from, "workload", scale.workload);
  check_workload(from, "workload", scale.workload, scenario);
  if (!from.has("replicas")) from.problem("replicas", "is required");
  read_count(from, "replicas", scale.replicas, 0, kMostReplicas);
  const Workload* workload = scenario.find_workload(scale.workload);
  if (workload != nullptr && workload->kind != WorkloadKind::Deployment
      && workload->kind != WorkloadKind::StatefulSet) {
    from.problem("workload", "only Deployments and StatefulSets have a scale");
  }
  return scale;
}

event::Action read_load_change(YamlReader& from, const Scenario& scenario) {
  event::ChangeLoad load;
  read_workload_key(from, "workload", load.workload);
  if (load.workload.ends_with("/*")) {
    const std::string_view ns = std::string_view(load.workload).substr(0, load.workload.size() - 2);
    const bool found =
        scenario.openb || std::ranges::find(scenario.workloads, ns, &Workload::ns) != scenario.workloads.end();
    if (!found) from.problem("workload", "the scenario has no workload in that namespace");
  } else {
    check_workload(from, "workload", load.workload, scenario);
  }
  if (from.has("cpu")) read_load(from, "cpu", LoadResource::Cpu, load.cpu.emplace());
  if (from.has("memory")) read_load(from, "memory", LoadResource::Memory, load.memory.emplace());
  if (!load.cpu && !load.memory) from.problem("cpu or memory is required");
  return load;
}

event::Action read_fault(YamlReader& from, const Scenario& scenario) {
  event::Fault fault;
  read_name(from, "node", fault.node);
  check_node(from, "node", fault.node, scenario);
  from.read("kind", fault.fault);
  constexpr std::array<std::string_view, 3> kKinds{"frozen", "dead", "slow"};
  if (std::ranges::find(kKinds, fault.fault) == kKinds.end()) from.problem("kind", "must be frozen, dead or slow");
  return fault;
}

event::Action read_heal(YamlReader& from, const Scenario& scenario) {
  event::Fault fault;
  read_name(from, "node", fault.node);
  check_node(from, "node", fault.node, scenario);
  return fault;
}

event::Action read_cordon(YamlReader& from, const Scenario& scenario, bool on) {
  event::Cordon cordon;
  read_name(from, "node", cordon.node);
  check_node(from, "node", cordon.node, scenario);
  cordon.on = on;
  return cordon;
}

event::Action read_mark(YamlReader& from, const Scenario& scenario, bool annotations) {
  event::Mark mark;
  mark.annotations = annotations;
  mark.kind = "Node";
  from.read("kind", mark.kind);
  from.read("namespace", mark.ns);
  read_name(from, "name", mark.name);
  if (mark.kind == "Node") check_node(from, "name", mark.name, scenario);
  if (annotations) {
    read_annotations(from, "set", mark.set);
  } else {
    read_labels(from, "set", mark.set);
  }
  from.read("remove", mark.remove);
  if (mark.set.empty() && mark.remove.empty()) from.problem("set or remove is required");
  return mark;
}

event::Action read_delete(YamlReader& from, const Scenario& scenario) {
  event::DeletePods pods;
  if (from.has("pod") == from.has("workload")) {
    from.problem("exactly one of pod and workload is required");
  } else if (from.has("pod")) {
    std::string key;
    read_workload_key(from, "pod", key);
    pods.ns = key.substr(0, key.find('/'));
    pods.name = key.substr(std::min(key.size(), key.find('/') + 1));
  } else {
    read_workload_key(from, "workload", pods.workload);
    check_workload(from, "workload", pods.workload, scenario);
    read_count(from, "count", pods.count, 1, kMostReplicas);
  }
  return pods;
}

event::Action read_rollout(YamlReader& from, const Scenario& scenario) {
  event::Rollout rollout;
  read_workload_key(from, "workload", rollout.workload);
  check_workload(from, "workload", rollout.workload, scenario);
  const Workload* workload = scenario.find_workload(rollout.workload);
  using enum WorkloadKind;
  if (workload != nullptr && workload->kind != Deployment && workload->kind != StatefulSet
      && workload->kind != DaemonSet) {
    from.problem("workload", "only Deployments, StatefulSets and DaemonSets are rolled out");
  }
  return rollout;
}

event::Action read_action(YamlReader& from, std::string_view what, const Scenario& scenario) {
  if (what == "scale") return read_scale(from, scenario);
  if (what == "load") return read_load_change(from, scenario);
  if (what == "fault") return read_fault(from, scenario);
  if (what == "heal") return read_heal(from, scenario);
  if (what == "cordon") return read_cordon(from, scenario, true);
  if (what == "uncordon") return read_cordon(from, scenario, false);
  if (what == "label") return read_mark(from, scenario, false);
  if (what == "annotate") return read_mark(from, scenario, true);
  if (what == "delete") return read_delete(from, scenario);
  return read_rollout(from, scenario);
}

constexpr std::array<std::string_view, 10> kActions{"scale",    "load",  "fault",    "heal",   "cordon",
                                                    "uncordon", "label", "annotate", "delete", "rollout"};

TimedEvent read_event(YamlReader& from, const Scenario& scenario) {
  TimedEvent event;
  if (!from.has("at")) from.problem("at", "is required");
  read_duration(from, "at", event.at);
  from.read("say", event.say);
  int actions = 0;
  for (const std::string_view what : kActions) {
    if (!from.has(what)) continue;
    ++actions;
    YamlReader details = from.child(what);
    event.action = read_action(details, what, scenario);
    details.refuse_unknown_fields();
  }
  if (from.has("apply")) {
    ++actions;
    event::Apply apply;
    read_manifest_list(from, "apply", apply.manifests);
    event.action = std::move(apply);
  }
  from.refuse_unknown_fields();
  if (actions > 1) from.problem("an event must have exactly one action");
  if (actions == 0 && event.say.empty()) {
    from.problem("expected scale, load, fault, heal, cordon, uncordon, label, annotate, delete, apply, rollout or say");
  }
  return event;
}

}  // namespace

void read_events(kube::YamlReader& top, Scenario& scenario) {
  for (YamlReader& item : top.items("events")) {
    TimedEvent event = read_event(item, scenario);
    const auto place = std::ranges::upper_bound(scenario.events, event.at, {}, &TimedEvent::at);
    scenario.events.insert(place, std::move(event));
  }
}

}  // namespace rescheduler::sim
