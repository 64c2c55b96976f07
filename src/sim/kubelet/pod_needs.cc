#include "sim/kubelet/pod_needs.h"

#include <algorithm>
#include <utility>

#include "cluster/pod_requests.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/value/label_selector.h"
#include "kube/value/quantity.h"
#include "kube/value/wire_selectors.h"

namespace rescheduler::sim {
namespace {

constexpr std::string_view kUnschedulable = "node.kubernetes.io/unschedulable";

std::int64_t amount(const std::string& text, bool milli) {
  const auto quantity = kube::Quantity::parse(text);
  if (!quantity) return 0;  // the server rejects such a value
  return milli ? quantity->milli_value() : quantity->value();
}

template <class Quantities>
PodResources amounts_of(const Quantities& quantities) {
  PodResources amounts;
  for (const auto& [name, quantity] : quantities) {
    if (name == "cpu") {
      amounts.cpu = amount(quantity.string(), true);
    } else if (name == "memory") {
      amounts.memory = amount(quantity.string(), false);
    } else if (name == "pods") {
      amounts.pods = amount(quantity.string(), false);
    } else {
      amounts.others[name] = amount(quantity.string(), false);
    }
  }
  return amounts;
}

}  // namespace

PodResources& PodResources::operator+=(const PodResources& more) {
  cpu += more.cpu;
  memory += more.memory;
  pods += more.pods;
  for (const auto& [name, value] : more.others) others[name] += value;
  return *this;
}

PodResources& PodResources::operator-=(const PodResources& less) {
  cpu -= less.cpu;
  memory -= less.memory;
  pods -= less.pods;
  for (const auto& [name, value] : less.others) others[name] -= value;
  return *this;
}

PodResources requests_of(const api::Pod& pod) {
  cluster::SymbolTable symbols;
  const cluster::ResourceList asked = cluster::requests_of(pod, cluster::RequestsOf::Incoming, symbols).plain;
  PodResources amounts{.cpu = asked.cpu, .memory = asked.memory, .pods = 1};
  if (asked.ephemeral_storage != 0) amounts.others.emplace("ephemeral-storage", asked.ephemeral_storage);
  for (const auto& [name, amount] : asked.others) amounts.others.emplace(symbols.text(name), amount);
  return amounts;
}

bool NodeRoom::has_room_for(const PodResources& request) const {
  if (used.pods + request.pods > allocatable.pods) return false;
  if (request.cpu > 0 && used.cpu + request.cpu > allocatable.cpu) return false;
  if (request.memory > 0 && used.memory + request.memory > allocatable.memory) return false;
  return std::ranges::all_of(request.others, [this](const auto& other) {
    const auto& [resource, value] = other;
    if (value == 0) return true;
    const auto has = allocatable.others.find(resource);
    const auto taken = used.others.find(resource);
    return has != allocatable.others.end() && (taken == used.others.end() ? 0 : taken->second) + value <= has->second;
  });
}

NodeRoom room_of(const api::Node& node) {
  NodeRoom room;
  room.name = node.metadata().name();
  room.allocatable = amounts_of(node.status().allocatable());
  room.labels.insert(node.metadata().labels().begin(), node.metadata().labels().end());
  for (const auto& taint : node.spec().taints()) {
    if (taint.effect() != "PreferNoSchedule") room.taints.push_back(cluster::taint_text(taint));
  }
  if (node.spec().unschedulable()) room.taints.push_back({std::string(kUnschedulable), {}, "NoSchedule"});
  return room;
}

PodNeeds::PodNeeds(const api::Pod& pod) : requests_(requests_of(pod)) {
  const auto& spec = pod.spec();
  selector_.insert(spec.node_selector().begin(), spec.node_selector().end());
  const auto& affinity = spec.affinity().node_affinity();
  if (affinity.has_required_during_scheduling_ignored_during_execution()) {
    affinity_ = kube::compile_node_selector(affinity.required_during_scheduling_ignored_during_execution());
  }
  for (const auto& toleration : spec.tolerations()) tolerations_.push_back(cluster::toleration_text(toleration));
}

bool PodNeeds::may_go_to(const NodeRoom& node) const {
  for (const auto& [key, value] : selector_) {
    const auto found = node.labels.find(key);
    if (found == node.labels.end() || found->second != value) return false;
  }
  if (affinity_ && !affinity_->matches(node.labels, node.name)) return false;
  return std::ranges::all_of(
      node.taints, [this](const cluster::TaintText& taint) { return cluster::tolerated(tolerations_, taint); });
}

}  // namespace rescheduler::sim
