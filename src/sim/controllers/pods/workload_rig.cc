#include "sim/controllers/pods/workload_rig.h"

#include <gtest/gtest.h>

#include "kube/proto/core_node.pb.h"
#include "kube/proto/events.pb.h"
#include "sim/controllers/daemon_set/daemon_set_controller.h"
#include "sim/controllers/deployment/deployment_controller.h"
#include "sim/controllers/replica_set/replica_set_controller.h"
#include "sim/controllers/stateful_set/stateful_set_controller.h"
#include "sim/server/conditions.h"

namespace rescheduler::sim {

WorkloadRig::WorkloadRig(std::uint64_t seed)
    : server(agenda, Rng(seed)), pods(server), events_writer(server), rng(seed) {
  api::Namespace ns;
  ns.mutable_metadata()->set_name("default");
  apply(ns);
  for (const char* name : {"n1", "n2", "n3"}) add_node(name);
  pod_changes_ = pods.subscribe([this](const PodView* before, const PodView* after) { on_pod(before, after); });
}

WorkloadRig::~WorkloadRig() = default;

void WorkloadRig::run_replica_sets() {
  controllers_.push_back(std::make_shared<ReplicaSetController>(server, pods, events_writer));
}

void WorkloadRig::run_deployments() {
  run_replica_sets();
  controllers_.push_back(std::make_shared<DeploymentController>(server, pods, events_writer));
}

void WorkloadRig::run_stateful_sets() {
  controllers_.push_back(std::make_shared<StatefulSetController>(server, pods, events_writer));
}

void WorkloadRig::run_daemon_sets() {
  controllers_.push_back(std::make_shared<DaemonSetController>(server, pods, events_writer));
}

void WorkloadRig::add_node(const std::string& name) {
  api::Node node;
  node.mutable_metadata()->set_name(name);
  (*node.mutable_metadata()->mutable_labels())["kubernetes.io/hostname"] = name;
  apply(node);
  nodes_.push_back(name);
}

void WorkloadRig::fail(const StatusError& refusal) { ADD_FAILURE() << refusal.message; }

void WorkloadRig::on_pod(const PodView* before, const PodView* after) {
  if (after == nullptr) return;
  const std::string ns(after->ns());
  const std::string name(after->name());
  if (before == nullptr && !after->bound()) {
    agenda.after(std::chrono::milliseconds{20}, [this, ns, name] { schedule(ns, name); });
  }
  if (after->bound() && (before == nullptr || !before->bound())) {
    agenda.after(start_delay, [this, ns, name] { start(ns, name); });
  }
  if (after->terminating() && (before == nullptr || !before->terminating())) {
    agenda.after(stop_delay, [this, ns, name] { stop(ns, name); });
  }
}

void WorkloadRig::schedule(const std::string& ns, const std::string& name) {
  const PodView* pod = pods.find(ns, name);
  if (pod == nullptr || pod->bound()) return;
  api::Binding binding;
  binding.mutable_metadata()->set_name(name);
  binding.mutable_metadata()->set_namespace_(ns);
  binding.mutable_target()->set_kind("Node");
  const std::string target(pod->target_node());
  binding.mutable_target()->set_name(target.empty() ? nodes_[next_node_++ % nodes_.size()] : target);
  const auto bound = server.bind(ns, name, binding);
  if (!bound) fail(bound.error());
}

void WorkloadRig::start(const std::string& ns, const std::string& name) {
  const PodView* pod = pods.find(ns, name);
  if (pod == nullptr || pod->terminating()) return;
  const bool ready = !stays_unready || !stays_unready(*pod);
  const WallTime now = agenda.wall_now();
  const auto written = server.modify_status<api::Pod>(ns, name, [&](api::Pod& running) {
    running.mutable_status()->set_phase("Running");
    set_condition(*running.mutable_status(), {"Ready", ready ? "True" : "False"}, now);
  });
  if (!written) fail(written.error());
}

void WorkloadRig::stop(const std::string& ns, const std::string& name) {
  const PodView* pod = pods.find(ns, name);
  if (pod == nullptr || !pod->terminating()) return;
  delete_pod(name, true);
}

void WorkloadRig::delete_pod(std::string_view name, bool at_once) {
  api::DeleteOptions options;
  if (at_once) options.set_grace_period_seconds(0);
  const auto removed = server.remove(server.kinds().of<api::Pod>(), "default", name, options);
  if (!removed) fail(removed.error());
}

std::vector<std::string> WorkloadRig::events(std::string_view reason) {
  std::vector<std::pair<std::uint64_t, std::string>> found;
  server.store().for_each(server.kinds().of<api::Event>(), "", "", [&](const VersionPtr& version) {
    const auto event = version->as<api::Event>();
    if (event->reason() == reason) found.emplace_back(version->number(), event->note());
    return true;
  });
  std::ranges::sort(found);
  std::vector<std::string> notes;
  for (auto& [number, note] : found) notes.push_back(std::move(note));
  return notes;
}

api::PodTemplateSpec template_of(std::string_view app, std::string_view image) {
  api::PodTemplateSpec pod_template;
  (*pod_template.mutable_metadata()->mutable_labels())["app"] = std::string(app);
  auto& container = *pod_template.mutable_spec()->add_containers();
  container.set_name("main");
  container.set_image(std::string(image));
  return pod_template;
}

namespace {

template <class T>
T workload(std::string_view name) {
  T object;
  object.mutable_metadata()->set_name(std::string(name));
  object.mutable_metadata()->set_namespace_("default");
  (*object.mutable_spec()->mutable_selector()->mutable_match_labels())["app"] = std::string(name);
  *object.mutable_spec()->mutable_template_() = template_of(name);
  return object;
}

}  // namespace

api::ReplicaSet replica_set(std::string_view name, int replicas) {
  auto set = workload<api::ReplicaSet>(name);
  set.mutable_spec()->set_replicas(replicas);
  return set;
}

api::Deployment deployment(std::string_view name, int replicas) {
  auto object = workload<api::Deployment>(name);
  api::DeploymentSpec& spec = *object.mutable_spec();
  spec.set_replicas(replicas);
  spec.set_progress_deadline_seconds(600);
  spec.set_revision_history_limit(10);
  spec.mutable_strategy()->set_type("RollingUpdate");
  for (api::IntOrString* bound : {spec.mutable_strategy()->mutable_rolling_update()->mutable_max_surge(),
                                  spec.mutable_strategy()->mutable_rolling_update()->mutable_max_unavailable()}) {
    bound->set_type(1);
    bound->set_str_val("25%");
  }
  return object;
}

api::StatefulSet stateful_set(std::string_view name, int replicas) {
  auto object = workload<api::StatefulSet>(name);
  api::StatefulSetSpec& spec = *object.mutable_spec();
  spec.set_replicas(replicas);
  spec.set_service_name(std::string(name));
  spec.set_pod_management_policy("OrderedReady");
  spec.set_revision_history_limit(10);
  spec.mutable_update_strategy()->set_type("RollingUpdate");
  spec.mutable_update_strategy()->mutable_rolling_update()->set_partition(0);
  return object;
}

api::DaemonSet daemon_set(std::string_view name) {
  auto object = workload<api::DaemonSet>(name);
  object.mutable_spec()->set_revision_history_limit(10);
  object.mutable_spec()->mutable_update_strategy()->set_type("RollingUpdate");
  object.mutable_spec()->mutable_update_strategy()->mutable_rolling_update()->mutable_max_unavailable()->set_int_val(1);
  return object;
}

}  // namespace rescheduler::sim
