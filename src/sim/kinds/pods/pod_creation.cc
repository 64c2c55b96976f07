// What the API server and its built-in admission plugins do with a new pod.
#include <algorithm>

#include <fmt/format.h>

#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/meta.pb.h"
#include "kube/proto/scheduling.pb.h"
#include "kube/value/quantity.h"
#include "sim/kinds/pods/pod_rules.h"

namespace rescheduler::sim {
namespace {

constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
constexpr std::string_view kUnreachable = "node.kubernetes.io/unreachable";
constexpr std::int64_t kTolerationSeconds = 300;

// --- priority ---

struct Priority {
  std::string class_name;
  std::int32_t value = 0;
  std::string preemption_policy;
};

Priority of_class(const api::PriorityClass& found) {
  return {found.metadata().name(), found.value(),
          found.has_preemption_policy() ? found.preemption_policy() : "PreemptLowerPriority"};
}

Priority default_priority(const RuleContext& context) {
  Priority priority{{}, 0, "PreemptLowerPriority"};
  if (!context.each) return priority;
  bool found = false;
  context.each("scheduling.k8s.io", "priorityclasses", [&](const Message& message) {
    const auto& candidate = static_cast<const api::PriorityClass&>(message);
    if (!candidate.global_default() || (found && candidate.value() >= priority.value)) return;
    priority = of_class(candidate);
    found = true;
  });
  return priority;
}

bool resolve(const std::string& name, const RuleContext& context, Priority& priority) {
  const ObjectPtr found = context.find ? context.find("scheduling.k8s.io", "priorityclasses", "", name) : nullptr;
  if (found) {
    priority = of_class(static_cast<const api::PriorityClass&>(*found));
    return true;
  }
  // Every cluster has these two classes, also if they are not in the store.
  if (name == "system-cluster-critical") {
    priority = {name, 2'000'000'000, "PreemptLowerPriority"};
  } else if (name == "system-node-critical") {
    priority = {name, 2'000'001'000, "PreemptLowerPriority"};
  } else {
    return false;
  }
  return true;
}

void admit_priority(api::PodSpec& spec, const RuleContext& context, Faults& faults) {
  Priority priority;
  if (spec.priority_class_name().empty()) {
    priority = default_priority(context);
    if (!priority.class_name.empty()) spec.set_priority_class_name(priority.class_name);
  } else if (!resolve(spec.priority_class_name(), context, priority)) {
    faults.deny(fmt::format("no PriorityClass with name {} was found", spec.priority_class_name()));
    return;
  }
  if (spec.has_priority() && spec.priority() != priority.value) {
    faults.deny(
        fmt::format("the integer value of priority ({}) must not be provided in pod spec; priority admission "
                    "controller computed {} from the given PriorityClass name",
                    spec.priority(), priority.value));
    return;
  }
  if (spec.has_preemption_policy() && spec.preemption_policy() != priority.preemption_policy) {
    faults.deny(
        fmt::format("the string value of PreemptionPolicy ({}) must not be provided in pod spec; priority "
                    "admission controller computed {} from the given PriorityClass name",
                    spec.preemption_policy(), priority.preemption_policy));
    return;
  }
  spec.set_priority(priority.value);
  spec.set_preemption_policy(std::move(priority.preemption_policy));
}

// --- tolerations ---

// Like the admission plugin DefaultTolerationSeconds: compares key and effect, ignores operator and value.
bool mentions(const api::PodSpec& spec, std::string_view taint) {
  return std::ranges::any_of(spec.tolerations(), [&](const api::Toleration& toleration) {
    return (toleration.key() == taint || toleration.key().empty())
           && (toleration.effect() == "NoExecute" || toleration.effect().empty());
  });
}

void tolerate_for_a_while(api::PodSpec& spec, std::string_view taint) {
  if (mentions(spec, taint)) return;
  auto& added = *spec.add_tolerations();
  added.set_key(std::string(taint));
  added.set_operator_("Exists");
  added.set_effect("NoExecute");
  added.set_toleration_seconds(kTolerationSeconds);
}

// --- quality of service ---

enum class Qos { BestEffort, Burstable, Guaranteed };

Qos qos_of(const api::ResourceRequirements& resources, const std::string& name) {
  const auto request = resources.requests().find(name);
  const auto limit = resources.limits().find(name);
  const auto amount = [](const auto& found, const auto& end) {
    if (found == end) return kube::Quantity();
    return kube::Quantity::parse(found->second.string()).value_or(kube::Quantity());
  };
  const kube::Quantity requested = amount(request, resources.requests().end());
  if (requested != amount(limit, resources.limits().end())) return Qos::Burstable;
  return requested.is_zero() ? Qos::BestEffort : Qos::Guaranteed;
}

Qos qos_of(const api::ResourceRequirements& resources) {
  if (resources.requests().empty() && resources.limits().empty()) return Qos::BestEffort;
  const Qos cpu = qos_of(resources, "cpu");
  return cpu == qos_of(resources, "memory") ? cpu : Qos::Burstable;
}

// --- matchLabelKeys ---

template <class Term>
void select_by_key(Term& term,
                   const google::protobuf::RepeatedPtrField<std::string>& keys,
                   std::string_view op,
                   const StringMap& labels) {
  for (const std::string& key : keys) {
    const auto label = labels.find(key);
    if (label == labels.end()) continue;
    auto& added = *term.mutable_label_selector()->add_match_expressions();
    added.set_key(key);
    added.set_operator_(std::string(op));
    added.add_values(label->second);
  }
}

template <class Affinity>
void select_by_own_labels(Affinity& affinity, const StringMap& labels) {
  const auto fill = [&](api::PodAffinityTerm& term) {
    if (!term.has_label_selector()) return;
    select_by_key(term, term.match_label_keys(), "In", labels);
    select_by_key(term, term.mismatch_label_keys(), "NotIn", labels);
  };
  for (auto& term : *affinity.mutable_required_during_scheduling_ignored_during_execution()) fill(term);
  for (auto& weighted : *affinity.mutable_preferred_during_scheduling_ignored_during_execution()) {
    fill(*weighted.mutable_pod_affinity_term());
  }
}

// matchLabelKeys means "the pod's own value of this label". The server writes the value into the selector.
void select_by_own_labels(api::Pod& pod) {
  auto& spec = *pod.mutable_spec();
  const StringMap& labels = pod.metadata().labels();
  if (spec.has_affinity() && spec.affinity().has_pod_affinity()) {
    select_by_own_labels(*spec.mutable_affinity()->mutable_pod_affinity(), labels);
  }
  if (spec.has_affinity() && spec.affinity().has_pod_anti_affinity()) {
    select_by_own_labels(*spec.mutable_affinity()->mutable_pod_anti_affinity(), labels);
  }
  for (auto& constraint : *spec.mutable_topology_spread_constraints()) {
    if (constraint.has_label_selector()) select_by_key(constraint, constraint.match_label_keys(), "In", labels);
  }
}

}  // namespace

std::string_view qos_class_of(const api::PodSpec& spec) {
  const auto name_of = [](Qos qos) -> std::string_view {
    return qos == Qos::Guaranteed ? "Guaranteed" : qos == Qos::Burstable ? "Burstable" : "BestEffort";
  };
  if (!spec.resources().requests().empty() || !spec.resources().limits().empty()) {
    return name_of(qos_of(spec.resources()));
  }
  bool first = true;
  Qos pod = Qos::BestEffort;
  for (const auto* containers : {&spec.init_containers(), &spec.containers()}) {
    for (const auto& container : *containers) {
      const Qos its = qos_of(container.resources());
      if (its == Qos::Burstable || (!first && its != pod)) return name_of(Qos::Burstable);
      pod = its;
      first = false;
    }
  }
  return name_of(pod);
}

void add_default_tolerations(api::PodSpec& spec) {
  tolerate_for_a_while(spec, kNotReady);
  tolerate_for_a_while(spec, kUnreachable);
}

void copy_topology(const api::Node& node, api::Pod& pod) {
  for (const std::string_view key : {"topology.kubernetes.io/region", "topology.kubernetes.io/zone"}) {
    const auto found = node.metadata().labels().find(key);
    if (found == node.metadata().labels().end()) continue;
    (*pod.mutable_metadata()->mutable_labels())[found->first] = found->second;
  }
}

void admit_pod(api::Pod& pod, const RuleContext& context, Faults& faults) {
  auto& spec = *pod.mutable_spec();
  admit_priority(spec, context, faults);
  add_default_tolerations(spec);
  if (spec.service_account_name().empty()) {
    spec.set_service_account_name("default");
    spec.set_service_account("default");
  }
  if (spec.node_name().empty() || !context.find) return;
  if (const ObjectPtr node = context.find("", "nodes", "", spec.node_name())) {
    copy_topology(static_cast<const api::Node&>(*node), pod);
  }
}

void prepare_new_pod(api::Pod& pod, WallTime now) {
  select_by_own_labels(pod);
  auto& status = *pod.mutable_status();
  status.Clear();
  status.set_phase("Pending");
  status.set_qos_class(std::string(qos_class_of(pod.spec())));
  if (pod.spec().scheduling_gates().empty()) return;
  auto& condition = *status.add_conditions();
  condition.set_type("PodScheduled");
  condition.set_status("False");
  condition.set_reason("SchedulingGated");
  condition.set_message("Scheduling is blocked due to non-empty scheduling gates");
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch());
  condition.mutable_last_transition_time()->set_seconds(seconds.count());
}

}  // namespace rescheduler::sim
