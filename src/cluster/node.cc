#include "cluster/node.h"

#include <algorithm>
#include <array>

#include <boost/container_hash/hash.hpp>

#include "base/check.h"
#include "cluster/assigned_pod.h"
#include "cluster/interner.h"
#include "cluster/objects/annotations.h"
#include "cluster/objects/nodes.h"
#include "kube/proto/core_node.pb.h"
#include "kube/value/quantity.h"

namespace rescheduler::cluster {
namespace {

// A quantity that the API server would reject counts as absent.
void read_allocatable(const google::protobuf::Map<std::string, api::Quantity>& wire, SymbolTable& symbols, Node& into) {
  for (const auto& [name, text] : wire) {
    const auto amount = kube::Quantity::parse(text.string());
    if (!amount) continue;
    if (name == "cpu") {
      into.allocatable.cpu = amount->milli_value();
    } else if (name == "memory") {
      into.allocatable.memory = amount->value();
    } else if (name == "ephemeral-storage") {
      into.allocatable.ephemeral_storage = amount->value();
    } else if (name == "pods") {
      into.allowed_pods = amount->value();
    } else if (is_counted_resource(name)) {
      into.allocatable.set_other(symbols.intern(name), amount->value());
    }
  }
}

void read_images(const api::NodeStatus& status, SymbolTable& symbols, Node& into) {
  for (const api::ContainerImage& image : status.images()) {
    for (const std::string& name : image.names()) into.images.push_back({symbols.intern(name), image.size_bytes()});
  }
  std::ranges::sort(into.images, {}, [](const NodeImage& image) { return std::pair(image.name, image.size); });
  const auto repeated = std::ranges::unique(into.images, {}, &NodeImage::name);
  into.images.erase(repeated.begin(), repeated.end());
}

std::uint64_t hash_of(const google::protobuf::Map<std::string, std::string>& annotations) {
  std::uint64_t sum = annotations.size();  // a sum, because the map has no order
  for (const auto& [key, value] : annotations) {
    std::size_t one = 0;
    boost::hash_combine(one, key);
    boost::hash_combine(one, value);
    sum += one;
  }
  return sum;
}

// Names of Kubernetes 1.37 (NodeLifecycleConditions): the node is being drained, or will be soon.
constexpr std::array<std::string_view, 3> kLifecycle{"MaintenanceInProgress", "DrainInProgress",
                                                     "GracefulNodeShutdownInProgress"};

NodeStatus status_of(const api::Node& object) {
  NodeStatus status;
  status.ready = !reports_not_ready(object);  // a node written by hand has no condition Ready, and counts as ready
  status.maintenance = requests_maintenance(object.metadata());
  status.drain_allows = drain_allowance_of(object.metadata()).classes;
  status.zone = zone_of(object);
  for (const api::NodeCondition& condition : object.status().conditions()) {
    if (condition.status() == "True" && std::ranges::find(kLifecycle, condition.type()) != kLifecycle.end()) {
      status.shutdown = condition.type();
    }
  }
  return status;
}

}  // namespace

Symbol Node::label(Symbol key) const {
  const auto place = std::ranges::lower_bound(labels, key, {}, &Label::first);
  return place == labels.end() || place->first != key ? Symbol::Empty : place->second;
}

bool Node::has_label(Symbol key) const { return std::ranges::binary_search(labels, key, {}, &Label::first); }

Node compile_node(const api::Node& object, Interner& interner) {
  SymbolTable& symbols = interner.symbols;
  Node node;
  node.name = object.metadata().name();
  for (const auto& [key, value] : object.metadata().labels())
    node.labels.emplace_back(symbols.intern(key), symbols.intern(value));
  std::ranges::sort(node.labels);
  for (const api::Taint& taint : object.spec().taints()) {
    node.taints.push_back({symbols.intern(taint.key()), symbols.intern(taint.value()), symbols.intern(taint.effect())});
  }
  node.unschedulable = object.spec().unschedulable();
  read_allocatable(object.status().allocatable(), symbols, node);
  read_images(object.status(), symbols, node);
  for (const std::string& feature : object.status().declared_features())
    node.features.push_back(symbols.intern(feature));
  std::ranges::sort(node.features);
  for (const api::NodeCondition& condition : object.status().conditions()) {
    node.conditions.emplace_back(symbols.intern(condition.type()), symbols.intern(condition.status()));
  }
  std::ranges::sort(node.conditions);
  node.annotations_hash = hash_of(object.metadata().annotations());
  node.status = status_of(object);
  return node;
}

kube::LabelLookup::Answer NodeLabels::operator()(std::string_view key) const {
  const auto symbol = symbols_.find(key);
  if (!symbol) return std::nullopt;
  const auto place = std::ranges::lower_bound(node_.labels, *symbol, {}, &Label::first);
  if (place == node_.labels.end() || place->first != *symbol) return std::nullopt;
  return std::string_view(symbols_.text(place->second));
}

void NodeInfo::add_pod(PodIndex pod, const CompiledPodSpec& compiled_spec) {
  pods.push_back(pod);
  count(compiled_spec);
}

void NodeInfo::add_pod(std::shared_ptr<const AssignedPod> hypothetical_pod) {
  count(*hypothetical_pod->compiled_spec);
  hypothetical_pods.push_back(std::move(hypothetical_pod));
}

void NodeInfo::count(const CompiledPodSpec& compiled_spec) {
  const NodeRequirements& requirements = *compiled_spec.requirements;
  requested += requirements.requests.plain;
  nonzero_cpu += requirements.requests.nonzero_cpu;
  nonzero_memory += requirements.requests.nonzero_memory;
  ports.insert(ports.end(), requirements.ports.begin(), requirements.ports.end());
}

void NodeInfo::remove_pod(PodIndex pod, const CompiledPodSpec& compiled_spec) {
  const NodeRequirements& requirements = *compiled_spec.requirements;
  const auto place = std::ranges::find(pods, pod);
  RESCHEDULER_CHECK(place != pods.end(), "a pod leaves a node it is not on");
  *place = pods.back();
  pods.pop_back();
  requested -= requirements.requests.plain;
  nonzero_cpu -= requirements.requests.nonzero_cpu;
  nonzero_memory -= requirements.requests.nonzero_memory;
  for (const HostPort& port : requirements.ports) ports.erase(std::ranges::find(ports, port));
}

}  // namespace rescheduler::cluster
