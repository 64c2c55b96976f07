#include <algorithm>
#include <set>

#include "cluster/pod_spec/compile_parts.h"
#include "kube/proto/core_container.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/core_volume.pb.h"
#include "kube/value/wire_selectors.h"

namespace rescheduler::cluster {
namespace {

void add_amounts(const ResourceList& amounts, PodSignature& key) {
  key.add(amounts.cpu);
  key.add(amounts.memory);
  key.add(amounts.ephemeral_storage);
  key.add(amounts.others.size());
  for (const auto& [name, amount] : amounts.others) {
    key.add(name);
    key.add(amount);
  }
}

void compile_requests(const api::Pod& pod,
                      RequestsOf which,
                      Interner& interner,
                      NodeRequirements& into,
                      PodSignature& key) {
  into.requests = requests_of(pod, which, interner.symbols);
  add_amounts(into.requests.plain, key);
  key.add(into.requests.nonzero_cpu);
  key.add(into.requests.nonzero_memory);
  key.add(into.requests.scored_cpu);
  key.add(into.requests.scored_memory);
}

Toleration compile_toleration(const api::Toleration& wire, SymbolTable& symbols) {
  return {symbols.intern(wire.key()), symbols.intern(wire.value()), symbols.intern(wire.effect()),
          toleration_operator(wire.operator_())};
}

void compile_tolerations(const api::PodSpec& spec, Interner& interner, NodeRequirements& into, PodSignature& key) {
  key.add(spec.tolerations().size());
  for (const api::Toleration& wire : spec.tolerations()) {
    const Toleration& one = into.tolerations.emplace_back(compile_toleration(wire, interner.symbols));
    key.add(one.key);
    key.add(one.value);
    key.add(one.effect);
    key.add(one.op);
  }
}

void add_term(const api::NodeSelectorTerm& term, PodSignature& key) {
  const auto add_all = [&key](const auto& expressions) {
    key.add(expressions.size());
    for (const auto& one : expressions) {
      key.add(one.key());
      key.add(one.operator_());
      key.add(one.values().size());
      for (const std::string& value : one.values()) key.add(value);
    }
  };
  add_all(term.match_expressions());
  add_all(term.match_fields());
}

// The node names that a term allows, if it selects by name. Every requirement on the name must hold.
std::optional<std::set<std::string>> named_by(const kube::NodeSelectorTerm& term) {
  std::optional<std::set<std::string>> names;
  for (const kube::Requirement& condition : term.on_name()) {
    if (condition.op() != kube::SelectorOp::In) continue;
    std::set<std::string> these(condition.values().begin(), condition.values().end());
    if (names) std::erase_if(these, [&](const std::string& name) { return !names->contains(name); });
    names = std::move(these);
  }
  return names;
}

// Pods of a DaemonSet name their node, so no other node must be examined. The result is known only if every term
// selects by name.
std::optional<std::vector<std::string>> named_nodes(const api::NodeSelector& wire) {
  std::set<std::string> all;
  for (const api::NodeSelectorTerm& term : wire.node_selector_terms()) {
    const auto compiled = kube::compile_term(term);
    if (!compiled) return std::nullopt;
    const auto names = named_by(*compiled);
    if (!names) return std::nullopt;
    all.insert(names->begin(), names->end());
  }
  if (wire.node_selector_terms().empty()) return std::nullopt;
  return std::vector<std::string>(all.begin(), all.end());
}

void compile_affinity(const api::PodSpec& spec, Interner& interner, NodeRequirements& into, PodSignature& key) {
  for (const auto& [name, value] : spec.node_selector()) {
    into.node_selector.emplace_back(interner.symbols.intern(name), interner.symbols.intern(value));
  }
  std::ranges::sort(into.node_selector);
  key.add(into.node_selector.size());
  for (const auto& [name, value] : into.node_selector) {
    key.add(name);
    key.add(value);
  }
  const api::NodeAffinity& affinity = spec.affinity().node_affinity();
  key.add(affinity.has_required_during_scheduling_ignored_during_execution());
  if (affinity.has_required_during_scheduling_ignored_during_execution()) {
    const auto& required = affinity.required_during_scheduling_ignored_during_execution();
    key.add(required.node_selector_terms().size());
    for (const auto& term : required.node_selector_terms()) add_term(term, key);
    into.required = kube::compile_node_selector(required);
    into.named_nodes = named_nodes(required);
  }
  key.add(affinity.preferred_during_scheduling_ignored_during_execution().size());
  for (const auto& preferred : affinity.preferred_during_scheduling_ignored_during_execution()) {
    key.add(preferred.weight());
    add_term(preferred.preference(), key);
    if (preferred.weight() == 0) continue;
    auto term = kube::compile_term(preferred.preference());
    if (term) into.preferred.push_back({preferred.weight(), std::move(*term)});
  }
}

bool is_sidecar(const api::Container& container) { return container.restart_policy() == "Always"; }

void compile_ports(const api::PodSpec& spec, Interner& interner, NodeRequirements& into, PodSignature& key) {
  const auto take = [&](const api::Container& container) {
    for (const api::ContainerPort& wire : container.ports()) {
      if (wire.host_port() <= 0) continue;
      HostPort port;
      port.ip = wire.host_ip() == "0.0.0.0" ? Symbol::Empty : interner.symbols.intern(wire.host_ip());
      port.protocol = interner.symbols.intern(wire.protocol().empty() ? std::string_view("TCP") : wire.protocol());
      port.port = wire.host_port();
      into.ports.push_back(port);
    }
  };
  for (const auto& container : spec.init_containers()) {
    if (is_sidecar(container)) take(container);
  }
  for (const auto& container : spec.containers()) take(container);
  key.add(into.ports.size());
  for (const HostPort& port : into.ports) {
    key.add(port.ip);
    key.add(port.protocol);
    key.add(port.port);
  }
}

// Nodes report images with a tag.
std::string with_tag(std::string_view image) {
  const auto colon = image.rfind(':');
  const auto slash = image.rfind('/');
  const bool tagged = colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash);
  return tagged ? std::string(image) : std::string(image) + ":latest";
}

void compile_images(const api::PodSpec& spec, Interner& interner, NodeRequirements& into, PodSignature& key) {
  for (const auto& container : spec.init_containers())
    into.images.push_back(interner.symbols.intern(with_tag(container.image())));
  for (const auto& container : spec.containers())
    into.images.push_back(interner.symbols.intern(with_tag(container.image())));
  for (const auto& volume : spec.volumes()) {
    if (!volume.volume_source().has_image()) continue;
    into.volume_images.push_back(interner.symbols.intern(with_tag(volume.volume_source().image().reference())));
  }
  for (const auto* images : {&into.images, &into.volume_images}) {
    key.add(images->size());
    for (const Symbol image : *images) key.add(image);
  }
}

bool restarts_all_containers(const api::PodSpec& spec) {
  const auto any = [](const auto& containers) {
    return std::ranges::any_of(containers, [](const api::Container& container) {
      return std::ranges::any_of(container.restart_policy_rules(), [](const api::ContainerRestartRule& rule) {
        return rule.action() == "RestartAllContainers";
      });
    });
  };
  return any(spec.containers()) || any(spec.init_containers());
}

void compile_features(const api::PodSpec& spec, Interner& interner, NodeRequirements& into, PodSignature& key) {
  if (restarts_all_containers(spec))
    into.features.push_back(interner.symbols.intern("RestartAllContainersOnContainerExits"));
  if (spec.host_network() && spec.has_host_users() && !spec.host_users()) {
    into.features.push_back(interner.symbols.intern("UserNamespacesHostNetworkSupport"));
  }
  std::ranges::sort(into.features);
  key.add(into.features.size());
  for (const Symbol feature : into.features) key.add(feature);
}

}  // namespace

bool NodeRequirements::has_no_requests() const {
  const ResourceList& plain = requests.plain;
  return plain.cpu == 0 && plain.memory == 0 && plain.ephemeral_storage == 0 && plain.others.empty();
}

NodeRequirements compile_requirements(const api::Pod& pod, RequestsOf which, Interner& interner, PodSignature& key) {
  NodeRequirements requirements;
  compile_requests(pod, which, interner, requirements, key);
  compile_tolerations(pod.spec(), interner, requirements, key);
  compile_affinity(pod.spec(), interner, requirements, key);
  compile_ports(pod.spec(), interner, requirements, key);
  compile_images(pod.spec(), interner, requirements, key);
  compile_features(pod.spec(), interner, requirements, key);
  if (which == RequestsOf::Incoming) requirements.node_name = pod.spec().node_name();
  key.add(requirements.node_name);
  return requirements;
}

}  // namespace rescheduler::cluster
