#include "sim/scenario/pod_needs.h"

#include <algorithm>
#include <utility>

#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/value/label_selector.h"
#include "kube/value/quantity.h"

namespace rescheduler::sim {
namespace {

constexpr std::string_view kUnschedulable = "node.kubernetes.io/unschedulable";

std::int64_t amount(const std::string& text, bool milli) {
  const auto quantity = kube::Quantity::parse(text);
  if (!quantity) return 0;  // the server has refused it long before
  return milli ? quantity->milli_value() : quantity->value();
}

template <class Quantities>
Amounts amounts_of(const Quantities& quantities) {
  Amounts amounts;
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

void raise(Amounts& to, const Amounts& at_least) {
  to.cpu = std::max(to.cpu, at_least.cpu);
  to.memory = std::max(to.memory, at_least.memory);
  for (const auto& [name, value] : at_least.others) to.others[name] = std::max(to.others[name], value);
}

template <class Requirements>
std::vector<kube::SelectorExpression> expressions_of(const Requirements& requirements) {
  std::vector<kube::SelectorExpression> expressions;
  for (const auto& requirement : requirements) {
    expressions.push_back(
        {requirement.key(), requirement.operator_(), {requirement.values().begin(), requirement.values().end()}});
  }
  return expressions;
}

Result<kube::NodeSelector> selector_of(const api::NodeSelector& required) {
  std::vector<kube::NodeSelectorTerm> terms;
  for (const auto& term : required.node_selector_terms()) {
    auto made =
        kube::NodeSelectorTerm::from(expressions_of(term.match_expressions()), expressions_of(term.match_fields()));
    if (!made) return fail(std::move(made.error()));
    terms.push_back(std::move(*made));
  }
  return kube::NodeSelector(std::move(terms));
}

}  // namespace

Amounts& Amounts::operator+=(const Amounts& more) {
  cpu += more.cpu;
  memory += more.memory;
  pods += more.pods;
  for (const auto& [name, value] : more.others) others[name] += value;
  return *this;
}

Amounts& Amounts::operator-=(const Amounts& less) {
  cpu -= less.cpu;
  memory -= less.memory;
  pods -= less.pods;
  for (const auto& [name, value] : less.others) others[name] -= value;
  return *this;
}

Amounts requests_of(const api::Pod& pod) {
  Amounts sum;
  Amounts sidecars;  // init containers that go on running; later init containers need room beside them
  Amounts largest;
  for (const auto& container : pod.spec().init_containers()) {
    Amounts own = amounts_of(container.resources().requests());
    if (container.restart_policy() == "Always") {
      sidecars += own;
      sum += own;
      raise(largest, sidecars);
    } else {
      own += sidecars;
      raise(largest, own);
    }
  }
  for (const auto& container : pod.spec().containers()) sum += amounts_of(container.resources().requests());
  raise(sum, largest);
  sum += amounts_of(pod.spec().overhead());
  sum.pods = 1;
  return sum;
}

bool NodeRoom::has_room_for(const Amounts& request) const {
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
    if (taint.effect() != "PreferNoSchedule") room.taints.push_back({taint.key(), taint.value(), taint.effect()});
  }
  if (node.spec().unschedulable()) room.taints.push_back({std::string(kUnschedulable), {}, "NoSchedule"});
  return room;
}

PodNeeds::PodNeeds(const api::Pod& pod) : requests_(requests_of(pod)) {
  const auto& spec = pod.spec();
  selector_.insert(spec.node_selector().begin(), spec.node_selector().end());
  const auto& affinity = spec.affinity().node_affinity();
  if (affinity.has_required_during_scheduling_ignored_during_execution()) {
    auto selector = selector_of(affinity.required_during_scheduling_ignored_during_execution());
    impossible_ = !selector;
    if (selector) affinity_ = std::move(*selector);
  }
  for (const auto& toleration : spec.tolerations()) {
    tolerations_.push_back(
        {toleration.key(), toleration.value(), toleration.effect(), toleration.operator_() == "Exists"});
  }
}

bool PodNeeds::tolerates(const NodeRoom::Taint& taint) const {
  return std::ranges::any_of(tolerations_, [&taint](const Toleration& toleration) {
    if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
    if (toleration.key.empty()) return toleration.any_value;
    return toleration.key == taint.key && (toleration.any_value || toleration.value == taint.value);
  });
}

bool PodNeeds::may_go_to(const NodeRoom& node) const {
  if (impossible_) return false;
  for (const auto& [key, value] : selector_) {
    const auto found = node.labels.find(key);
    if (found == node.labels.end() || found->second != value) return false;
  }
  if (affinity_ && !affinity_->matches(node.labels, node.name)) return false;
  return std::ranges::all_of(node.taints, [this](const NodeRoom::Taint& taint) { return tolerates(taint); });
}

}  // namespace rescheduler::sim
