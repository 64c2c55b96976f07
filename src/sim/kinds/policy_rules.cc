// PodDisruptionBudgets, priority classes, autoscalers and leases.
#include <fmt/format.h>

#include "kube/proto/autoscaling.pb.h"
#include "kube/proto/coordination.pb.h"
#include "kube/proto/policy.pb.h"
#include "kube/proto/scheduling.pb.h"
#include "sim/kinds/rules.h"
#include "sim/kinds/typed_rules.h"

namespace rescheduler::sim {
namespace {

constexpr std::int32_t kHighestUserPriority = 1'000'000'000;

// --- PodDisruptionBudget ---

void check_budget(const api::PodDisruptionBudget& budget, Faults& faults) {
  const auto& spec = budget.spec();
  const At at("spec");
  if (spec.has_min_available() && spec.has_max_unavailable()) {
    faults.invalid("spec", json_of(static_cast<const Message&>(spec)),
                   "minAvailable and maxUnavailable cannot be both set");
  }
  if (spec.has_min_available()) {
    check_count_or_percent(spec.min_available(), at.child("minAvailable"), faults);
    check_at_most_100_percent(spec.min_available(), at.child("minAvailable"), faults);
  }
  if (spec.has_max_unavailable()) {
    check_count_or_percent(spec.max_unavailable(), at.child("maxUnavailable"), faults);
    check_at_most_100_percent(spec.max_unavailable(), at.child("maxUnavailable"), faults);
  }
  check_selector(spec.selector(), at.child("selector"), faults);
  if (spec.has_unhealthy_pod_eviction_policy()) {
    const std::string& policy = spec.unhealthy_pod_eviction_policy();
    if (policy != "AlwaysAllow" && policy != "IfHealthyBudget") {
      faults.not_supported("spec.unhealthyPodEvictionPolicy", policy, {"AlwaysAllow", "IfHealthyBudget"});
    }
  }
}

void prepare_budget(api::PodDisruptionBudget& budget, const RuleContext&, Faults&) {
  auto& status = *budget.mutable_status();
  status.Clear();
  // Go writes these numbers even if they are zero.
  status.set_current_healthy(0);
  status.set_desired_healthy(0);
  status.set_disruptions_allowed(0);
  status.set_expected_pods(0);
}

void check_budget_status(const api::PodDisruptionBudget&, const api::PodDisruptionBudget& after, Faults& faults) {
  const auto& status = after.status();
  const At at("status");
  check_not_negative(status.disruptions_allowed(), at.child("disruptionsAllowed"), faults);
  check_not_negative(status.current_healthy(), at.child("currentHealthy"), faults);
  check_not_negative(status.desired_healthy(), at.child("desiredHealthy"), faults);
  check_not_negative(status.expected_pods(), at.child("expectedPods"), faults);
}

// --- PriorityClass ---

bool is_system_class(const api::PriorityClass& priority) {
  const std::string& name = priority.metadata().name();
  if (priority.global_default()) return false;
  return (name == "system-cluster-critical" && priority.value() == 2'000'000'000)
         || (name == "system-node-critical" && priority.value() == 2'000'001'000);
}

void check_priority_class(const api::PriorityClass& priority, Faults& faults) {
  const std::string& name = priority.metadata().name();
  if (name.starts_with("system-")) {
    if (!is_system_class(priority)) {
      faults.forbidden(
          "metadata.name",
          fmt::format("priority class names with 'system-' prefix are reserved for system use only. error: "
                      "{} is not a known system priority class",
                      name));
    }
  } else if (priority.value() > kHighestUserPriority) {
    faults.forbidden("value",
                     fmt::format("maximum allowed value of a user defined priority is {}", kHighestUserPriority));
  }
  if (priority.has_preemption_policy()) {
    check_one_of(priority.preemption_policy(), {"PreemptLowerPriority", "Never"}, At("preemptionPolicy"), faults);
  }
}

void admit_priority_class(api::PriorityClass& priority, const RuleContext& context, Faults& faults) {
  if (!priority.global_default() || !context.each) return;
  context.each("scheduling.k8s.io", "priorityclasses", [&](const Message& message) {
    const auto& other = static_cast<const api::PriorityClass&>(message);
    if (!other.global_default() || other.metadata().name() == priority.metadata().name()) return;
    faults.deny(fmt::format("PriorityClass {} is already marked as default. Only one default can exist",
                            other.metadata().name()));
  });
}

void check_priority_class_update(const api::PriorityClass& before, const api::PriorityClass& after, Faults& faults) {
  if (before.value() != after.value()) faults.forbidden("value", "may not be changed in an update.");
  check_immutable(before.preemption_policy(), after.preemption_policy(), At("preemptionPolicy"), faults);
}

// --- HorizontalPodAutoscaler ---

void check_autoscaler(const api::HorizontalPodAutoscaler& autoscaler, Faults& faults) {
  const auto& spec = autoscaler.spec();
  if (spec.min_replicas() < 1) {
    faults.invalid("spec.minReplicas", fmt::format("{}", spec.min_replicas()), "must be greater than or equal to 1");
  }
  if (spec.max_replicas() == 0) {
    faults.required("spec.maxReplicas", "must be set and greater than 0");
  } else if (spec.max_replicas() < 0) {
    faults.invalid("spec.maxReplicas", fmt::format("{}", spec.max_replicas()), "must be greater than or equal to 1");
  }
  if (spec.max_replicas() < spec.min_replicas()) {
    faults.invalid("spec.maxReplicas", fmt::format("{}", spec.max_replicas()),
                   "must be greater than or equal to `minReplicas`");
  }
  if (spec.scale_target_ref().kind().empty()) faults.required("spec.scaleTargetRef.kind");
  if (spec.scale_target_ref().name().empty()) faults.required("spec.scaleTargetRef.name");
}

// --- Lease ---

void check_lease(const api::Lease& lease, Faults& faults) {
  const auto& spec = lease.spec();
  if (spec.has_lease_duration_seconds() && spec.lease_duration_seconds() <= 0) {
    faults.invalid("spec.leaseDurationSeconds", fmt::format("{}", spec.lease_duration_seconds()),
                   "must be greater than 0");
  }
  check_not_negative(spec.lease_transitions(), At("spec.leaseTransitions"), faults);
  if (!spec.preferred_holder().empty() && spec.strategy().empty()) {
    faults.forbidden("spec.preferredHolder", "may only be specified if `strategy` is defined");
  }
}

}  // namespace

KindRules disruption_budget_rules() {
  using Budget = api::PodDisruptionBudget;
  KindRules rules;
  add_status_rules<Budget>(rules);
  add_generation<Budget>(rules);
  rules.on_create = on<Budget>(prepare_budget);
  rules.validate = on<Budget>(check_budget);
  rules.validate_status_update = on_both<Budget>(check_budget_status);
  return rules;
}

KindRules priority_class_rules() {
  KindRules rules;
  rules.defaults = on<api::PriorityClass>([](api::PriorityClass& priority) {
    if (!priority.has_preemption_policy()) priority.set_preemption_policy("PreemptLowerPriority");
  });
  rules.admit = on<api::PriorityClass>(admit_priority_class);
  rules.validate = on<api::PriorityClass>(check_priority_class);
  rules.validate_update = on_both<api::PriorityClass>(check_priority_class_update);
  // A PriorityClass has a generation, but the generation never grows.
  rules.spec_differs = [](const Message&, const Message&) { return false; };
  return rules;
}

KindRules autoscaler_rules() {
  using Autoscaler = api::HorizontalPodAutoscaler;
  KindRules rules;
  add_status_rules<Autoscaler>(rules);
  rules.defaults = on<Autoscaler>([](Autoscaler& autoscaler) {
    if (!autoscaler.spec().has_min_replicas()) autoscaler.mutable_spec()->set_min_replicas(1);
  });
  rules.validate = on<Autoscaler>(check_autoscaler);
  return rules;
}

KindRules lease_rules() {
  KindRules rules;
  rules.validate = on<api::Lease>(check_lease);
  return rules;
}

}  // namespace rescheduler::sim
