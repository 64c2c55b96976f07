#include "cluster/budgets.h"

#include <algorithm>

#include "cluster/interner.h"
#include "kube/proto/policy.pb.h"
#include "kube/value/wire_selectors.h"

namespace rescheduler::cluster {

void Budgets::upsert(const api::PodDisruptionBudget& object) {
  Budget budget;
  budget.name = object.metadata().name();
  budget.ns = interner_.symbols.intern(object.metadata().namespace_());
  auto selector = kube::LabelSelector::nothing();
  if (object.spec().has_selector()) {
    if (auto compiled = kube::compile_selector(object.spec().selector())) selector = std::move(*compiled);
  }
  budget.selector = interner_.selectors.intern(std::move(selector));
  budget.disruptions_allowed = object.status().disruptions_allowed();
  budget.current_healthy = object.status().current_healthy();
  budget.desired_healthy = object.status().desired_healthy();
  budget.always_lets_unhealthy_go = object.spec().unhealthy_pod_eviction_policy() == "AlwaysAllow";
  budget.outdated = object.status().observed_generation() < object.metadata().generation();
  for (const auto& [pod, when] : object.status().disrupted_pods()) budget.disrupted.insert(pod);

  remove(object.metadata().namespace_(), object.metadata().name());
  budgets_.write().push_back(std::move(budget));
}

void Budgets::remove(std::string_view ns, std::string_view name) {
  const auto symbol = interner_.symbols.find(ns);
  if (!symbol) return;
  std::erase_if(budgets_.write(), [&](const Budget& budget) { return budget.ns == *symbol && budget.name == name; });
}

bool Budgets::covers(const Budget& budget, const AssignedPod& pod) const {
  if (budget.ns != pod.ns || pod.labels == LabelSetId::None) return false;
  if (interner_.selectors.selector(budget.selector).is_everything()) return false;
  return interner_.selectors.matches(budget.selector, pod.labels);
}

}  // namespace rescheduler::cluster
