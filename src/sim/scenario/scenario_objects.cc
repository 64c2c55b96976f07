#include "sim/scenario/scenario_objects.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "kube/proto/apps.pb.h"
#include "kube/proto/batch.pb.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/policy.pb.h"
#include "kube/proto/scheduling.pb.h"
#include "kube/value/duration.h"
#include "kube/value/int_or_string.h"
#include "sim/names.h"

namespace rescheduler::sim {
namespace {

constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::string_view kHostname = "kubernetes.io/hostname";

template <class Map>
void copy_texts(const TextMap& from, Map& into) {
  for (const auto& [key, value] : from) into[key] = value;
}

template <class Map>
void copy_quantities(const TextMap& from, Map& into) {
  for (const auto& [key, value] : from) into[key].set_string(value);
}

void set(api::IntOrString& into, const std::string& text) {
  const kube::IntOrString value = kube::IntOrString::parse(text);
  into.set_type(static_cast<std::int64_t>(value.kind));
  if (value.kind == kube::IntOrString::Kind::Int) {
    into.set_int_val(value.number);
  } else {
    into.set_str_val(value.text);
  }
}

void add_metadata(const Workload& workload, api::ObjectMeta& metadata) {
  metadata.set_namespace_(workload.ns);
  metadata.set_name(workload.name);
  copy_texts(workload.labels, *metadata.mutable_labels());
  (*metadata.mutable_labels())["app"] = workload.name;
}

void add_annotations(const Workload& workload, api::ObjectMeta& metadata) {
  auto& annotations = *metadata.mutable_annotations();
  copy_texts(workload.annotations, annotations);
  const auto put = [&annotations](std::string_view key, const std::string& value) {
    if (!value.empty()) annotations[std::string(key)] = value;
  };
  const auto put_duration = [&](std::string_view key, const std::optional<std::chrono::nanoseconds>& value) {
    if (value) put(key, kube::format_duration(*value));
  };
  put(kCpuProfile, workload.cpu_load);
  put(kMemoryProfile, workload.memory_load);
  put_duration(kRunFor, workload.run_for);
  put_duration(kStartDelay, workload.start_delay);
  put_duration(kReadyDelay, workload.ready_delay);
}

void add_tolerations(const Workload& workload, api::PodSpec& spec) {
  for (const TolerationSpec& item : workload.tolerations) {
    auto& toleration = *spec.add_tolerations();
    toleration.set_key(item.key);
    toleration.set_operator_(item.value.empty() ? "Exists" : "Equal");
    if (!item.value.empty()) toleration.set_value(item.value);
    if (!item.effect.empty()) toleration.set_effect(item.effect);
    if (item.seconds) {
      toleration.set_toleration_seconds(std::chrono::ceil<std::chrono::seconds>(*item.seconds).count());
    }
  }
}

void add_affinity(const Workload& workload, api::PodSpec& spec) {
  if (workload.node_affinity.empty()) return;
  auto& term = *spec.mutable_affinity()
                    ->mutable_node_affinity()
                    ->mutable_required_during_scheduling_ignored_during_execution()
                    ->add_node_selector_terms();
  for (const auto& [key, values] : workload.node_affinity) {
    auto& requirement = *term.add_match_expressions();
    requirement.set_key(key);
    requirement.set_operator_("In");
    for (const std::string& value : values) requirement.add_values(value);
  }
}

bool ends(WorkloadKind kind) { return kind == WorkloadKind::Job || kind == WorkloadKind::CronJob; }

void add_job(const Workload& workload, api::JobSpec& spec) {
  spec.set_completions(workload.replicas);
  spec.set_parallelism(workload.parallelism > 0 ? workload.parallelism : workload.replicas);
  *spec.mutable_template_() = pod_template(workload);
}

// The common part of Deployment, StatefulSet and DaemonSet.
template <class Object>
std::unique_ptr<Object> running_set(const Workload& workload) {
  auto object = std::make_unique<Object>();
  add_metadata(workload, *object->mutable_metadata());
  auto& spec = *object->mutable_spec();
  (*spec.mutable_selector()->mutable_match_labels())["app"] = workload.name;
  *spec.mutable_template_() = pod_template(workload);
  return object;
}

void emit_pods(const Workload& workload, const ObjectSink& sink) {
  const api::PodTemplateSpec shape = pod_template(workload);
  for (int i = 0; i < workload.replicas; ++i) {
    auto pod = std::make_unique<api::Pod>();
    *pod->mutable_metadata() = shape.metadata();
    pod->mutable_metadata()->set_namespace_(workload.ns);
    pod->mutable_metadata()->set_name(workload.replicas == 1 ? workload.name
                                                             : fmt::format("{}-{}", workload.name, i + 1));
    *pod->mutable_spec() = shape.spec();
    sink(std::move(pod));
  }
}

void emit_running(const Workload& workload, const ObjectSink& sink) {
  if (workload.kind == WorkloadKind::Deployment) {
    auto object = running_set<api::Deployment>(workload);
    object->mutable_spec()->set_replicas(workload.replicas);
    sink(std::move(object));
  } else if (workload.kind == WorkloadKind::StatefulSet) {
    auto object = running_set<api::StatefulSet>(workload);
    object->mutable_spec()->set_replicas(workload.replicas);
    object->mutable_spec()->set_service_name(workload.name);
    sink(std::move(object));
  } else {
    sink(running_set<api::DaemonSet>(workload));
  }
}

void emit_ending(const Workload& workload, const ObjectSink& sink) {
  if (workload.kind == WorkloadKind::Job) {
    auto object = std::make_unique<api::Job>();
    add_metadata(workload, *object->mutable_metadata());
    add_job(workload, *object->mutable_spec());
    sink(std::move(object));
    return;
  }
  auto object = std::make_unique<api::CronJob>();
  add_metadata(workload, *object->mutable_metadata());
  object->mutable_spec()->set_schedule(workload.schedule);
  add_job(workload, *object->mutable_spec()->mutable_job_template()->mutable_spec());
  sink(std::move(object));
}

void emit_budget(const Workload& workload, const ObjectSink& sink) {
  if (!workload.budget) return;
  auto budget = std::make_unique<api::PodDisruptionBudget>();
  budget->mutable_metadata()->set_namespace_(workload.ns);
  budget->mutable_metadata()->set_name(workload.name);
  auto& spec = *budget->mutable_spec();
  (*spec.mutable_selector()->mutable_match_labels())["app"] = workload.name;
  if (!workload.budget->min_available.empty()) set(*spec.mutable_min_available(), workload.budget->min_available);
  if (!workload.budget->max_unavailable.empty()) set(*spec.mutable_max_unavailable(), workload.budget->max_unavailable);
  sink(std::move(budget));
}

// The listed namespaces and those of the workloads. "default" and the system namespaces exist in any cluster.
std::set<std::string> namespaces_of(const Scenario& scenario) {
  std::set<std::string> names(scenario.namespaces.begin(), scenario.namespaces.end());
  for (const Workload& workload : scenario.workloads) names.insert(workload.ns);
  names.erase("default");
  names.erase("kube-system");
  return names;
}

}  // namespace

api::PodTemplateSpec pod_template(const Workload& workload) {
  api::PodTemplateSpec shape;
  copy_texts(workload.labels, *shape.mutable_metadata()->mutable_labels());
  (*shape.mutable_metadata()->mutable_labels())["app"] = workload.name;
  add_annotations(workload, *shape.mutable_metadata());
  auto& spec = *shape.mutable_spec();
  auto& container = *spec.add_containers();
  container.set_name("main");
  container.set_image("registry.k8s.io/pause:3.10");
  copy_quantities(workload.requests, *container.mutable_resources()->mutable_requests());
  copy_quantities(workload.limits, *container.mutable_resources()->mutable_limits());
  copy_texts(workload.node_selector, *spec.mutable_node_selector());
  add_affinity(workload, spec);
  add_tolerations(workload, spec);
  if (ends(workload.kind)) spec.set_restart_policy("Never");
  if (!workload.priority_class.empty()) spec.set_priority_class_name(workload.priority_class);
  if (!workload.scheduler_name.empty()) spec.set_scheduler_name(workload.scheduler_name);
  if (workload.grace) {
    spec.set_termination_grace_period_seconds(std::chrono::ceil<std::chrono::seconds>(*workload.grace).count());
  }
  return shape;
}

api::Node node_object(const NodeGroup& group, int index) {
  api::Node node;
  auto& metadata = *node.mutable_metadata();
  metadata.set_name(group.node_name(index));
  auto& labels = *metadata.mutable_labels();
  labels[std::string(kHostname)] = metadata.name();
  labels["kubernetes.io/os"] = "linux";
  labels["kubernetes.io/arch"] = "amd64";
  labels[std::string(kNodeGroupLabel)] = group.name;
  if (!group.zones.empty()) {
    labels[std::string(kZone)] = group.zones[static_cast<std::size_t>(index) % group.zones.size()];
  }
  copy_texts(group.labels, labels);
  copy_texts(group.annotations, *metadata.mutable_annotations());
  for (const TaintSpec& item : group.taints) {
    auto& taint = *node.mutable_spec()->add_taints();
    taint.set_key(item.key);
    if (!item.value.empty()) taint.set_value(item.value);
    taint.set_effect(item.effect);
  }
  auto& capacity = *node.mutable_status()->mutable_capacity();
  capacity["cpu"].set_string(group.cpu);
  capacity["memory"].set_string(group.memory);
  capacity["pods"].set_string(fmt::format("{}", group.pods));
  copy_quantities(group.resources, capacity);
  *node.mutable_status()->mutable_allocatable() = capacity;
  return node;
}

void for_each_cluster_object(const Scenario& scenario, const ObjectSink& sink) {
  for (const std::string& name : namespaces_of(scenario)) {
    auto object = std::make_unique<api::Namespace>();
    object->mutable_metadata()->set_name(name);
    sink(std::move(object));
  }
  for (const PrioritySpec& item : scenario.priority_classes) {
    auto object = std::make_unique<api::PriorityClass>();
    object->mutable_metadata()->set_name(item.name);
    object->set_value(item.value);
    if (item.global_default) object->set_global_default(true);
    if (!item.preemption_policy.empty()) object->set_preemption_policy(item.preemption_policy);
    if (!item.description.empty()) object->set_description(item.description);
    sink(std::move(object));
  }
  for (const NodeGroup& group : scenario.node_groups) {
    for (int i = 0; i < group.size(); ++i) sink(std::make_unique<api::Node>(node_object(group, i)));
  }
}

void for_each_workload_object(const Workload& workload, const ObjectSink& sink) {
  emit_budget(workload, sink);
  switch (workload.kind) {
    case WorkloadKind::Deployment:
    case WorkloadKind::StatefulSet:
    case WorkloadKind::DaemonSet: return emit_running(workload, sink);
    case WorkloadKind::Job:
    case WorkloadKind::CronJob: return emit_ending(workload, sink);
    case WorkloadKind::Pod: return emit_pods(workload, sink);
  }
}

}  // namespace rescheduler::sim
