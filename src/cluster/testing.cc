#include "cluster/testing.h"

#include "base/check.h"
#include "kube/codec/json.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/policy.pb.h"

namespace rescheduler::cluster::testing {
namespace {

using WireQuantities = google::protobuf::Map<std::string, api::Quantity>;

void put(const Texts& from, WireQuantities& into) {
  for (const auto& [name, amount] : from) into[name].set_string(amount);
}

void put(const Texts& from, api::LabelSelector& into) {
  for (const auto& [key, value] : from) (*into.mutable_match_labels())[key] = value;
}

void put(const Others& others, const std::string& topology_key, api::PodAffinityTerm& into) {
  into.set_topology_key(topology_key);
  if (others.labels) put(*others.labels, *into.mutable_label_selector());
  if (others.namespace_labels) put(*others.namespace_labels, *into.mutable_namespace_selector());
  for (const std::string& ns : others.namespaces) into.add_namespaces(ns);
}

template <class Weighted>
void put(int weight, const Others& others, const std::string& topology_key, Weighted& into) {
  into.set_weight(weight);
  put(others, topology_key, *into.mutable_pod_affinity_term());
}

void fill(api::Container& container, int number, const char* kind, const Texts& requested) {
  container.set_name(kind + std::to_string(number));
  put(requested, *container.mutable_resources()->mutable_requests());
}

}  // namespace

template <class Object>
Builder<Object>::Builder() : object_(std::make_unique<Object>()) {}
template <class Object>
Builder<Object>::Builder(const Builder& other) : object_(std::make_unique<Object>(*other.object_)) {}
template <class Object>
Builder<Object>& Builder<Object>::operator=(const Builder& other) {
  *object_ = *other.object_;
  return *this;
}
template <class Object>
Builder<Object>::~Builder() = default;

template <class Object>
void Builder<Object>::merge_json(std::string_view json) {
  Object more;
  const auto read = kube::from_json(json, more, kube::UnknownFields::Refuse);
  RESCHEDULER_CHECK(read.has_value(), "a test contains invalid JSON: {}", read.error().message);
  object_->MergeFrom(more);
}

template class Builder<api::Node>;
template class Builder<api::Pod>;
template class Builder<api::Namespace>;
template class Builder<api::PodDisruptionBudget>;

// --- Nodes ---

NodeBuilder::NodeBuilder(const std::string& name) {
  object_->mutable_metadata()->set_name(name);
  label("kubernetes.io/hostname", name).cpu("4").memory("32Gi").pods(110);
}
NodeBuilder& NodeBuilder::resource(const std::string& name, const std::string& amount) {
  (*object_->mutable_status()->mutable_allocatable())[name].set_string(amount);
  return *this;
}
NodeBuilder& NodeBuilder::without_resource(const std::string& name) {
  object_->mutable_status()->mutable_allocatable()->erase(name);
  return *this;
}
NodeBuilder& NodeBuilder::label(const std::string& key, const std::string& value) {
  (*object_->mutable_metadata()->mutable_labels())[key] = value;
  return *this;
}
NodeBuilder& NodeBuilder::without_label(const std::string& key) {
  object_->mutable_metadata()->mutable_labels()->erase(key);
  return *this;
}
NodeBuilder& NodeBuilder::taint(const std::string& key, const std::string& value, const std::string& effect) {
  auto& taint = *object_->mutable_spec()->add_taints();
  taint.set_key(key);
  taint.set_value(value);
  taint.set_effect(effect);
  return *this;
}
NodeBuilder& NodeBuilder::cordoned(bool is) {
  object_->mutable_spec()->set_unschedulable(is);
  return *this;
}
NodeBuilder& NodeBuilder::image(const std::string& name, std::int64_t size) {
  auto& image = *object_->mutable_status()->add_images();
  image.add_names(name);
  image.set_size_bytes(size);
  return *this;
}
NodeBuilder& NodeBuilder::feature(const std::string& name) {
  object_->mutable_status()->add_declared_features(name);
  return *this;
}
NodeBuilder& NodeBuilder::annotation(const std::string& key, const std::string& value) {
  (*object_->mutable_metadata()->mutable_annotations())[key] = value;
  return *this;
}
NodeBuilder& NodeBuilder::condition(const std::string& type, const std::string& status) {
  auto& condition = *object_->mutable_status()->add_conditions();
  condition.set_type(type);
  condition.set_status(status);
  return *this;
}

// --- Pods ---

PodBuilder::PodBuilder(const std::string& name) {
  auto& meta = *object_->mutable_metadata();
  meta.set_name(name);
  meta.set_namespace_("default");
  meta.set_uid("uid-" + name);
  object_->mutable_spec()->add_containers()->set_name("main");
}
PodBuilder& PodBuilder::in(const std::string& ns) {
  object_->mutable_metadata()->set_namespace_(ns);
  return *this;
}
PodBuilder& PodBuilder::uid(const std::string& uid) {
  object_->mutable_metadata()->set_uid(uid);
  return *this;
}
PodBuilder& PodBuilder::on(const std::string& node) {
  object_->mutable_spec()->set_node_name(node);
  return *this;
}
PodBuilder& PodBuilder::label(const std::string& key, const std::string& value) {
  (*object_->mutable_metadata()->mutable_labels())[key] = value;
  return *this;
}
PodBuilder& PodBuilder::labels(const Texts& all) {
  for (const auto& [key, value] : all) label(key, value);
  return *this;
}
PodBuilder& PodBuilder::requests(const std::string& cpu, const std::string& memory) {
  return request("cpu", cpu).request("memory", memory);
}
PodBuilder& PodBuilder::request(const std::string& resource, const std::string& amount) {
  auto& container = *object_->mutable_spec()->mutable_containers(0);
  (*container.mutable_resources()->mutable_requests())[resource].set_string(amount);
  return *this;
}
PodBuilder& PodBuilder::container(const Texts& requested) {
  auto& spec = *object_->mutable_spec();
  fill(*spec.add_containers(), spec.containers_size(), "more", requested);
  return *this;
}
PodBuilder& PodBuilder::init(const Texts& requested) {
  auto& spec = *object_->mutable_spec();
  fill(*spec.add_init_containers(), spec.init_containers_size(), "init", requested);
  return *this;
}
PodBuilder& PodBuilder::sidecar(const Texts& requested) {
  init(requested);
  auto& containers = *object_->mutable_spec()->mutable_init_containers();
  containers.rbegin()->set_restart_policy("Always");
  return *this;
}
PodBuilder& PodBuilder::pod_level(const Texts& requested) {
  put(requested, *object_->mutable_spec()->mutable_resources()->mutable_requests());
  return *this;
}
PodBuilder& PodBuilder::overhead(const Texts& amounts) {
  put(amounts, *object_->mutable_spec()->mutable_overhead());
  return *this;
}
PodBuilder& PodBuilder::image(const std::string& name) {
  for (auto& container : *object_->mutable_spec()->mutable_containers()) {
    if (!container.image().empty()) continue;
    container.set_image(name);
    return *this;
  }
  return container({}).image(name);
}
PodBuilder& PodBuilder::host_port(int port, const std::string& protocol, const std::string& ip) {
  auto& wire = *object_->mutable_spec()->mutable_containers(0)->add_ports();
  wire.set_host_port(port);
  wire.set_container_port(port);
  if (!protocol.empty()) wire.set_protocol(protocol);
  if (!ip.empty()) wire.set_host_ip(ip);
  return *this;
}
PodBuilder& PodBuilder::toleration(const std::string& key,
                                   const std::string& op,
                                   const std::string& value,
                                   const std::string& effect) {
  auto& toleration = *object_->mutable_spec()->add_tolerations();
  toleration.set_key(key);
  toleration.set_operator_(op);
  toleration.set_value(value);
  toleration.set_effect(effect);
  return *this;
}
PodBuilder& PodBuilder::node_selector(const std::string& key, const std::string& value) {
  (*object_->mutable_spec()->mutable_node_selector())[key] = value;
  return *this;
}
PodBuilder& PodBuilder::node_affinity(std::string_view json) {
  return merge(R"({"spec":{"affinity":{"nodeAffinity":)" + std::string(json) + "}}}");
}
PodBuilder& PodBuilder::near(const std::string& topology_key, const Others& others) {
  auto& affinity = *object_->mutable_spec()->mutable_affinity()->mutable_pod_affinity();
  put(others, topology_key, *affinity.add_required_during_scheduling_ignored_during_execution());
  return *this;
}
PodBuilder& PodBuilder::away(const std::string& topology_key, const Others& others) {
  auto& affinity = *object_->mutable_spec()->mutable_affinity()->mutable_pod_anti_affinity();
  put(others, topology_key, *affinity.add_required_during_scheduling_ignored_during_execution());
  return *this;
}
PodBuilder& PodBuilder::likes(int weight, const std::string& topology_key, const Others& others) {
  auto& affinity = *object_->mutable_spec()->mutable_affinity()->mutable_pod_affinity();
  put(weight, others, topology_key, *affinity.add_preferred_during_scheduling_ignored_during_execution());
  return *this;
}
PodBuilder& PodBuilder::dislikes(int weight, const std::string& topology_key, const Others& others) {
  auto& affinity = *object_->mutable_spec()->mutable_affinity()->mutable_pod_anti_affinity();
  put(weight, others, topology_key, *affinity.add_preferred_during_scheduling_ignored_during_execution());
  return *this;
}
PodBuilder& PodBuilder::spread(const Spread& how) {
  auto& wire = *object_->mutable_spec()->add_topology_spread_constraints();
  wire.set_max_skew(how.max_skew);
  wire.set_topology_key(how.topology_key);
  wire.set_when_unsatisfiable(how.hard ? "DoNotSchedule" : "ScheduleAnyway");
  if (how.labels) put(*how.labels, *wire.mutable_label_selector());
  if (how.min_domains > 0) wire.set_min_domains(how.min_domains);
  if (!how.affinity_policy.empty()) wire.set_node_affinity_policy(how.affinity_policy);
  if (!how.taints_policy.empty()) wire.set_node_taints_policy(how.taints_policy);
  for (const std::string& key : how.match_label_keys) wire.add_match_label_keys(key);
  return *this;
}
PodBuilder& PodBuilder::priority(int value) {
  object_->mutable_spec()->set_priority(value);
  return *this;
}
PodBuilder& PodBuilder::never_preempts() {
  object_->mutable_spec()->set_preemption_policy("Never");
  return *this;
}
PodBuilder& PodBuilder::gate(const std::string& name) {
  object_->mutable_spec()->add_scheduling_gates()->set_name(name);
  return *this;
}
PodBuilder& PodBuilder::nominated(const std::string& node) {
  object_->mutable_status()->set_nominated_node_name(node);
  return *this;
}
PodBuilder& PodBuilder::started(std::int64_t seconds) {
  object_->mutable_status()->mutable_start_time()->set_seconds(seconds);
  return *this;
}
PodBuilder& PodBuilder::terminating() {
  object_->mutable_metadata()->mutable_deletion_timestamp()->set_seconds(1);
  return *this;
}
PodBuilder& PodBuilder::being_preempted() {
  auto& condition = *object_->mutable_status()->add_conditions();
  condition.set_type("DisruptionTarget");
  condition.set_status("True");
  condition.set_reason("PreemptionByScheduler");
  return terminating();
}
PodBuilder& PodBuilder::owner(const std::string& api_version, const std::string& kind, const std::string& name) {
  auto& owner = *object_->mutable_metadata()->add_owner_references();
  owner.set_api_version(api_version);
  owner.set_kind(kind);
  owner.set_name(name);
  owner.set_controller(true);
  return *this;
}
PodBuilder& PodBuilder::merge(std::string_view json) {
  merge_json(json);
  return *this;
}

// --- Namespaces and PodDisruptionBudgets ---

NamespaceBuilder::NamespaceBuilder(const std::string& name, const Texts& labels) {
  object_->mutable_metadata()->set_name(name);
  for (const auto& [key, value] : labels) (*object_->mutable_metadata()->mutable_labels())[key] = value;
}

BudgetBuilder::BudgetBuilder(const std::string& name, std::optional<Texts> labels, int disruptions_allowed) {
  object_->mutable_metadata()->set_name(name);
  if (labels) put(*labels, *object_->mutable_spec()->mutable_selector());
  object_->mutable_status()->set_disruptions_allowed(disruptions_allowed);
  in("default");
}
BudgetBuilder& BudgetBuilder::in(const std::string& ns) {
  object_->mutable_metadata()->set_namespace_(ns);
  return *this;
}
BudgetBuilder& BudgetBuilder::disrupted(const std::string& pod) {
  (*object_->mutable_status()->mutable_disrupted_pods())[pod].set_seconds(1);
  return *this;
}

}  // namespace rescheduler::cluster::testing
