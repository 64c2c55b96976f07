#include <algorithm>

#include <fmt/format.h>

#include "cluster/pod_spec/compile_parts.h"
#include "cluster/volumes/pod_volumes.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/value/wire_selectors.h"

namespace rescheduler::cluster {
namespace {

// The input for compiling the relations of one pod, and the place where errors are recorded.
struct Compiler {
  const api::Pod& pod;
  Interner& interner;
  Namespaces& namespaces;
  PodSignature& key;
  CompiledPodSpec& compiled_spec;

  void unreadable(std::string_view where, const Error& error) const {
    if (compiled_spec.unreadable.empty()) compiled_spec.unreadable = fmt::format("{}: {}", where, error.message);
  }

  // An absent selector selects nothing.
  kube::LabelSelector selector(bool present, const api::LabelSelector& wire, std::string_view where) const {
    if (!present) return kube::LabelSelector::nothing();
    auto compiled = kube::compile_selector(wire);
    if (compiled) return std::move(*compiled);
    unreadable(where, compiled.error());
    return kube::LabelSelector::nothing();
  }

  NamespaceSetId namespaces_of(const api::PodAffinityTerm& wire) const {
    NamespaceSet set;
    for (const std::string& name : wire.namespaces()) set.names.push_back(interner.symbols.intern(name));
    if (wire.has_namespace_selector()) {
      set.selector = interner.selectors.intern(selector(true, wire.namespace_selector(), "namespaceSelector"));
    } else if (set.names.empty()) {
      set.names.push_back(interner.symbols.intern(pod.metadata().namespace_()));
    }
    return namespaces.of(std::move(set));
  }

  AffinityTerm term(const api::PodAffinityTerm& wire) const {
    AffinityTerm made;
    made.namespaces = namespaces_of(wire);
    made.selector =
        interner.selectors.intern(selector(wire.has_label_selector(), wire.label_selector(), "pod affinity"));
    made.topology_key = interner.symbols.intern(wire.topology_key());
    key.add(made.namespaces);
    key.add(made.selector);
    key.add(made.topology_key);
    return made;
  }

  template <class Wire>
  std::vector<AffinityTerm> required(const Wire& wires) const {
    key.add(wires.size());
    std::vector<AffinityTerm> terms;
    for (const auto& wire : wires) terms.push_back(term(wire));
    return terms;
  }

  template <class Wire>
  std::vector<WeightedTerm> preferred(const Wire& wires) const {
    key.add(wires.size());
    std::vector<WeightedTerm> terms;
    for (const auto& wire : wires) {
      key.add(wire.weight());
      terms.push_back({term(wire.pod_affinity_term()), wire.weight()});
    }
    return terms;
  }

  // Adds the pod's own values of matchLabelKeys to the selector. The API server already writes them into the selector
  // of a pod that it creates; adding them again changes nothing.
  kube::LabelSelector with_own_values(kube::LabelSelector base, const api::TopologySpreadConstraint& wire) const {
    if (base.is_nothing() || wire.match_label_keys().empty()) return base;
    std::vector<kube::Requirement> all(base.requirements().begin(), base.requirements().end());
    for (const std::string& name : wire.match_label_keys()) {
      const auto found = pod.metadata().labels().find(name);
      if (found == pod.metadata().labels().end()) continue;
      auto one = kube::Requirement::make(name, kube::SelectorOp::In, {found->second});
      if (one && std::ranges::find(all, *one) == all.end()) all.push_back(std::move(*one));
    }
    return kube::LabelSelector::all_of(std::move(all));
  }

  SpreadConstraint constraint(const api::TopologySpreadConstraint& wire) const {
    SpreadConstraint made;
    made.max_skew = wire.max_skew();
    made.topology_key = interner.symbols.intern(wire.topology_key());
    made.selector = interner.selectors.intern(
        with_own_values(selector(wire.has_label_selector(), wire.label_selector(), "topologySpreadConstraints"), wire));
    made.min_domains = wire.has_min_domains() ? wire.min_domains() : 1;
    made.hard = wire.when_unsatisfiable() != "ScheduleAnyway";
    made.honor_affinity = wire.node_affinity_policy() != "Ignore";
    made.honor_taints = wire.node_taints_policy() == "Honor";
    return made;
  }

  void compile_spread() const {
    key.add(pod.spec().topology_spread_constraints().size());
    for (const auto& wire : pod.spec().topology_spread_constraints()) {
      const SpreadConstraint& made = compiled_spec.spread.emplace_back(constraint(wire));
      key.add(made.max_skew);
      key.add(made.topology_key);
      key.add(made.selector);
      key.add(made.min_domains);
      key.add((made.hard ? 1U : 0U) | (made.honor_affinity ? 2U : 0U) | (made.honor_taints ? 4U : 0U));
    }
  }

  void compile_affinity() const {
    const auto& pods = pod.spec().affinity().pod_affinity();
    const auto& anti = pod.spec().affinity().pod_anti_affinity();
    compiled_spec.affinity = required(pods.required_during_scheduling_ignored_during_execution());
    compiled_spec.anti_affinity = required(anti.required_during_scheduling_ignored_during_execution());
    compiled_spec.preferred_affinity = preferred(pods.preferred_during_scheduling_ignored_during_execution());
    compiled_spec.preferred_anti_affinity = preferred(anti.preferred_during_scheduling_ignored_during_execution());
  }

  void compile_volumes() const {
    PodVolumes volumes = volumes_of(pod, interner);
    append_key(volumes, key.bytes());
    compiled_spec.claims = std::move(volumes.claims);
    compiled_spec.disks = std::move(volumes.disks);
    compiled_spec.migrated = std::move(volumes.migrated);
    compiled_spec.has_inline_csi = volumes.has_inline_csi;
  }
};

}  // namespace

CompiledPodSpec compile_relations(const api::Pod& pod, Interner& interner, Namespaces& namespaces, PodSignature& key) {
  CompiledPodSpec compiled_spec;
  compiled_spec.priority = pod.spec().priority();
  compiled_spec.never_preempts = pod.spec().preemption_policy() == "Never";
  compiled_spec.has_resource_claims = !pod.spec().resource_claims().empty();
  key.add(compiled_spec.priority);
  key.add((compiled_spec.never_preempts ? 1U : 0U) | (compiled_spec.has_resource_claims ? 2U : 0U));
  const Compiler compiler{pod, interner, namespaces, key, compiled_spec};
  compiler.compile_affinity();
  compiler.compile_spread();
  compiler.compile_volumes();
  key.add(compiled_spec.unreadable);
  return compiled_spec;
}

}  // namespace rescheduler::cluster
