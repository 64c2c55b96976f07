// Applies the events of a scenario to a cluster; the second part of ScenarioRunner.
#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "kube/codec/json_scalars.h"
#include "kube/codec/resource.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/autoscaling.pb.h"
#include "kube/proto/batch.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/value/time.h"
#include "sim/names.h"
#include "sim/scenario/scenario_runner.h"

namespace rescheduler::sim {
namespace {

std::pair<std::string, std::string> split_key(const std::string& key) {
  const std::size_t slash = key.find('/');
  return {key.substr(0, slash), key.substr(slash + 1)};
}

// {"metadata":{"labels":{"a":"1","b":null}}}
std::string mark_patch(const event::Mark& mark) {
  std::string members;
  const auto member = [&members](const std::string& key) {
    if (!members.empty()) members += ',';
    kube::append_json_string(members, key);
    members += ':';
  };
  for (const auto& [key, value] : mark.set) {
    member(key);
    kube::append_json_string(members, value);
  }
  for (const std::string& key : mark.remove) {
    member(key);
    members += "null";
  }
  return fmt::format(R"({{"metadata":{{"{}":{{{}}}}}}})", mark.annotations ? "annotations" : "labels", members);
}

const Kind* served_kind(const KindRegistry& kinds, std::string_view name) {
  for (const Kind* kind : kinds.served()) {
    if (kind->kind == name) return kind;
  }
  return nullptr;
}

const WriteContext kAsScenario{.manager = "scenario"};

}  // namespace

const Kind* ScenarioRunner::workload_kind(const std::string& key) const {
  const Workload* workload = scenario_.find_workload(key);
  if (workload == nullptr) return nullptr;
  switch (workload->kind) {
    case WorkloadKind::Deployment: return &server_.kinds().of<api::Deployment>();
    case WorkloadKind::StatefulSet: return &server_.kinds().of<api::StatefulSet>();
    case WorkloadKind::DaemonSet: return &server_.kinds().of<api::DaemonSet>();
    case WorkloadKind::Job: return &server_.kinds().of<api::Job>();
    case WorkloadKind::CronJob: return &server_.kinds().of<api::CronJob>();
    case WorkloadKind::Pod: return &server_.kinds().of<api::Pod>();
  }
  return nullptr;
}

std::vector<std::string> ScenarioRunner::pods_of(const std::string& workload) const {
  const auto [ns, app] = split_key(workload);
  const std::string selector = app == "*" ? "" : "app=" + app;
  const auto listed = server_.list(server_.kinds().of<api::Pod>(), {.ns = ns, .label_selector = selector});
  std::vector<std::string> names;
  if (!listed) return names;
  for (const VersionPtr& version : listed->items) {
    const auto pod = version->as<api::Pod>();
    if (!pod->metadata().has_deletion_timestamp()) names.push_back(pod->metadata().name());
  }
  return names;
}

void ScenarioRunner::act(const event::Scale& scale) {
  const auto [ns, name] = split_key(scale.workload);
  const Kind* kind = workload_kind(scale.workload);
  if (kind == nullptr) return report("scale: there is no workload " + scale.workload, true);
  api::Scale wanted;
  wanted.mutable_metadata()->set_namespace_(ns);
  wanted.mutable_metadata()->set_name(name);
  wanted.mutable_spec()->set_replicas(scale.replicas);
  if (const auto done = server_.set_scale(*kind, ns, name, wanted, kAsScenario); !done) {
    report_refusal("scale " + scale.workload, done.error());
  }
}

void ScenarioRunner::act(const event::ChangeLoad& load) {
  event::ChangeLoad& kept = loads_[load.workload];
  kept.workload = load.workload;
  if (load.cpu) kept.cpu = load.cpu;
  if (load.memory) kept.memory = load.memory;
  const std::string ns = split_key(load.workload).first;
  for (const std::string& name : pods_of(load.workload)) load_pod(ns, name, load);
}

void ScenarioRunner::load_pod(const std::string& ns, const std::string& name, const event::ChangeLoad& load) {
  const auto changed = server_.modify<api::Pod>(
      ns, name,
      [&load](api::Pod& pod) {
        auto& annotations = *pod.mutable_metadata()->mutable_annotations();
        if (load.cpu) annotations[std::string(kCpuProfile)] = *load.cpu;
        if (load.memory) annotations[std::string(kMemoryProfile)] = *load.memory;
      },
      {}, kAsScenario);
  if (!changed && changed.error().code != 404)
    report_refusal(fmt::format("load of pod {}/{}", ns, name), changed.error());
}

// Pods created from the old template also get the new load.
void ScenarioRunner::on_pod(const Change& change) {
  if (change.what != Change::What::Added || loads_.empty()) return;
  const auto pod = change.after->as<api::Pod>();
  const api::ObjectMeta& metadata = pod->metadata();
  const auto app = metadata.labels().find("app");
  const std::string apps[] = {"*", app == metadata.labels().end() ? "" : app->second};
  for (const std::string& name : apps) {
    const auto load = loads_.find(metadata.namespace_() + "/" + name);
    if (load == loads_.end()) continue;
    at({}, [this, ns = metadata.namespace_(), pod_name = metadata.name(), wanted = load->second] {
      load_pod(ns, pod_name, wanted);
    });
  }
}

void ScenarioRunner::act(const event::Fault& fault) {
  const auto done = server_.modify<api::Node>(
      "", fault.node,
      [&fault](api::Node& node) {
        auto& annotations = *node.mutable_metadata()->mutable_annotations();
        if (fault.fault.empty()) {
          annotations.erase(std::string(kNodeFault));
        } else {
          annotations[std::string(kNodeFault)] = fault.fault;
        }
      },
      {}, kAsScenario);
  if (!done) report_refusal("fault of node " + fault.node, done.error());
}

void ScenarioRunner::act(const event::Cordon& cordon) {
  const auto done = server_.modify<api::Node>(
      "", cordon.node,
      [&cordon](api::Node& node) {
        if (cordon.on) {
          node.mutable_spec()->set_unschedulable(true);
        } else {
          node.mutable_spec()->clear_unschedulable();
        }
      },
      {}, kAsScenario);
  if (!done) report_refusal("cordon of node " + cordon.node, done.error());
}

void ScenarioRunner::act(const event::Mark& mark) {
  const Kind* kind = served_kind(server_.kinds(), mark.kind);
  if (kind == nullptr) return report("label: no kind " + mark.kind + " is served", true);
  const std::string ns = kind->namespaced && mark.ns.empty() ? "default" : mark.ns;
  const std::string patch = mark_patch(mark);
  const auto done = server_.patch(*kind, ns, mark.name, "", {kube::PatchKind::Merge, patch}, kAsScenario);
  if (!done) report_refusal(fmt::format("label {} {}", mark.kind, mark.name), done.error());
}

void ScenarioRunner::act(const event::DeletePods& pods) {
  std::string ns = pods.ns;
  std::vector<std::string> names{pods.name};
  if (!pods.workload.empty()) {
    ns = split_key(pods.workload).first;
    names = pods_of(pods.workload);
    names.resize(std::min(names.size(), static_cast<std::size_t>(pods.count)));
  }
  for (const std::string& name : names) {
    const auto done = server_.remove(server_.kinds().of<api::Pod>(), ns, name, api::DeleteOptions{});
    if (!done) report_refusal(fmt::format("delete pod {}/{}", ns, name), done.error());
  }
}

void ScenarioRunner::act(const event::Apply& apply_event) {
  for (const Manifest& manifest : apply_event.manifests) apply(manifest);
}

void ScenarioRunner::apply(const Manifest& manifest) {
  const std::size_t slash = manifest.api_version.find('/');
  const std::string group = slash == std::string::npos ? "" : manifest.api_version.substr(0, slash);
  const std::string version =
      slash == std::string::npos ? manifest.api_version : manifest.api_version.substr(slash + 1);
  const std::string what = fmt::format("apply {} {}", manifest.kind, manifest.name);
  const Kind* kind = server_.kinds().find_kind(group, version, manifest.kind);
  if (kind == nullptr) {
    return report(fmt::format("{}: no kind {} of {} is served", what, manifest.kind, manifest.api_version), true);
  }
  const std::string ns = !kind->namespaced ? "" : manifest.ns.empty() ? "default" : manifest.ns;
  WriteContext context = kAsScenario;
  context.force = true;
  const auto done = server_.patch(*kind, ns, manifest.name, "", {kube::PatchKind::Apply, manifest.json}, context);
  if (!done) report_refusal(what, done.error());
}

// Like `kubectl rollout restart`.
void ScenarioRunner::act(const event::Rollout& rollout) {
  const auto [ns, name] = split_key(rollout.workload);
  const Kind* kind = workload_kind(rollout.workload);
  if (kind == nullptr) return report("rollout: there is no workload " + rollout.workload, true);
  const std::string patch = fmt::format(
      R"({{"spec":{{"template":{{"metadata":{{"annotations":{{"kubectl.kubernetes.io/restartedAt":"{}"}}}}}}}}}})",
      kube::format_time(server_.agenda().wall_now()));
  const auto done = server_.patch(*kind, ns, name, "", {kube::PatchKind::Merge, patch}, kAsScenario);
  if (!done) report_refusal("rollout of " + rollout.workload, done.error());
}

}  // namespace rescheduler::sim
