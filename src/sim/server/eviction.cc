#include "sim/server/eviction.h"

#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "kube/proto/core_pod.pb.h"
#include "kube/proto/meta.pb.h"
#include "kube/proto/policy.pb.h"
#include "sim/server/conditions.h"
#include "sim/server/server.h"

namespace rescheduler::sim {
namespace {

constexpr std::string_view kWouldViolate = "Cannot evict pod as it would violate the pod's disruption budget.";

StatusError with_cause(StatusError refusal, std::string message) {
  refusal.causes.push_back({"DisruptionBudget", std::move(message), ""});
  return refusal;
}

StatusError not_yet_processed(std::string_view budget) {
  return with_cause(too_many_requests(kWouldViolate, 10),
                    fmt::format("The disruption budget {} is still being processed by the server.", budget));
}

StatusError budget_broken(std::string_view budget, std::string_view why, std::string_view cause) {
  StatusError refusal{403, "Forbidden", fmt::format("poddisruptionbudget.policy \"{}\" is forbidden: {}", budget, why)};
  refusal.group = "policy";
  refusal.kind = "poddisruptionbudget";  // the real server uses the singular here
  refusal.name = budget;
  return with_cause(std::move(refusal),
                    fmt::format("The disruption budget {} does not allow evicting pods currently: {}", budget, cause));
}

const api::Condition* disruption_allowed(const api::PodDisruptionBudget& budget) {
  for (const api::Condition& condition : budget.status().conditions()) {
    if (condition.type() == "DisruptionAllowed") return &condition;
  }
  return nullptr;
}

std::string why_none_left(const api::PodDisruptionBudget& budget) {
  const std::string& name = budget.metadata().name();
  const api::PodDisruptionBudgetStatus& status = budget.status();
  const api::Condition* condition = disruption_allowed(budget);
  const bool explained = condition && condition->status() == "False" && !condition->message().empty();
  if (explained && condition->reason() == "SyncFailed") {
    return fmt::format("The disruption budget {} does not allow evicting pods currently because it failed sync: {}",
                       name, condition->message());
  }
  if (status.current_healthy() <= status.desired_healthy()) {
    return fmt::format("The disruption budget {} needs {} healthy pods and has {} currently", name,
                       status.desired_healthy(), status.current_healthy());
  }
  if (explained) {
    return fmt::format("The disruption budget {} does not allow evicting pods currently ({}): {}", name,
                       condition->reason(), condition->message());
  }
  return fmt::format("The disruption budget {} does not allow evicting pods currently", name);
}

bool lets_unready_go(const api::PodDisruptionBudget& budget) {
  if (budget.spec().unhealthy_pod_eviction_policy() == "AlwaysAllow") return true;
  const api::PodDisruptionBudgetStatus& status = budget.status();
  return status.current_healthy() >= status.desired_healthy() && status.desired_healthy() > 0;
}

}  // namespace

bool needs_no_budget(const api::Pod& pod) {
  return is_finished(pod) || pod.status().phase() == "Pending" || pod.metadata().has_deletion_timestamp();
}

ApiResult<EvictionCost> eviction_cost(const api::Pod& pod,
                                      const std::vector<const api::PodDisruptionBudget*>& budgets) {
  if (needs_no_budget(pod) || budgets.empty()) return EvictionCost::None;
  if (budgets.size() > 1) {
    // A Status without a reason, as in the real server.
    return refuse(
        {500, "", "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."});
  }
  const api::PodDisruptionBudget& budget = *budgets.front();
  if (!is_ready(pod) && lets_unready_go(budget)) return EvictionCost::None;

  const std::string& name = budget.metadata().name();
  const api::PodDisruptionBudgetStatus& status = budget.status();
  if (status.observed_generation() < budget.metadata().generation()) return refuse(not_yet_processed(name));
  if (status.disruptions_allowed() < 0) {
    return refuse(budget_broken(name, "pdb disruptions allowed is negative", "pdb disruptions allowed is negative"));
  }
  if (status.disrupted_pods().size() > kMostDisruptedPods) {
    return refuse(budget_broken(name, "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
                                "too many pending evictions not confirmed by PDB controller"));
  }
  if (status.disruptions_allowed() == 0) {
    StatusError none_left{429, "TooManyRequests", std::string(kWouldViolate)};  // without a retry time
    return refuse(with_cause(std::move(none_left), why_none_left(budget)));
  }
  return EvictionCost::Disruption;
}

void set_disruption_allowed(api::PodDisruptionBudget& budget, WallTime now) {
  api::PodDisruptionBudgetStatus& status = *budget.mutable_status();
  const bool some = status.disruptions_allowed() > 0;
  set_condition(*status.mutable_conditions(),
                {"DisruptionAllowed", some ? "True" : "False", some ? "SufficientPods" : "InsufficientPods"},
                status.observed_generation(), now);
}

void spend_disruption(api::PodDisruptionBudget& budget, std::string_view pod, WallTime now) {
  api::PodDisruptionBudgetStatus& status = *budget.mutable_status();
  status.set_disruptions_allowed(status.disruptions_allowed() - 1);
  if (status.disruptions_allowed() == 0) set_disruption_allowed(budget, now);
  (*status.mutable_disrupted_pods())[std::string(pod)] = stamp(now);
}

namespace {

using BudgetPtr = std::shared_ptr<const api::PodDisruptionBudget>;

std::vector<BudgetPtr> budgets_of(const Server& server, const api::Pod& pod) {
  std::vector<BudgetPtr> found;
  const Kind& kind = server.kinds().of<api::PodDisruptionBudget>();
  server.store().for_each(kind, pod.metadata().namespace_(), "", [&](const VersionPtr& version) {
    auto budget = version->as<api::PodDisruptionBudget>();
    // A missing selector selects nothing.
    if (budget->spec().has_selector() && selector_from(budget->spec().selector()).matches(pod.metadata().labels())) {
      found.push_back(std::move(budget));
    }
    return true;
  });
  return found;
}

// With the message of the real server, which names the kind "Pod" here.
std::optional<StatusError> precondition_fault(const api::Pod& pod, const api::Preconditions& wanted) {
  const api::ObjectMeta& metadata = pod.metadata();
  std::string why;
  if (!wanted.uid().empty() && wanted.uid() != metadata.uid()) {
    why = fmt::format(
        "the UID in the precondition ({}) does not match the UID in record ({}). The object might have been deleted "
        "and then recreated",
        wanted.uid(), metadata.uid());
  } else if (!wanted.resource_version().empty() && wanted.resource_version() != metadata.resource_version()) {
    why = fmt::format(
        "the ResourceVersion in the precondition ({}) does not match the ResourceVersion in record ({}). The object "
        "might have been modified",
        wanted.resource_version(), metadata.resource_version());
  }
  if (why.empty()) return std::nullopt;
  StatusError refusal{409, "Conflict",
                      fmt::format("Operation cannot be fulfilled on Pod \"{}\": {}", metadata.name(), why)};
  refusal.kind = "Pod";
  refusal.name = metadata.name();
  return refusal;
}

ApiResult<void> mark_and_delete(Server& server, const api::Pod& pod, api::DeleteOptions options, bool dry_run) {
  const std::string& ns = pod.metadata().namespace_();
  const std::string& name = pod.metadata().name();
  if (!dry_run) {
    if (auto fault = precondition_fault(pod, options.preconditions())) return refuse(*std::move(fault));
    const WallTime now = server.agenda().wall_now();
    const auto marked = server.modify_status<api::Pod>(
        ns, name,
        [now](api::Pod& changed) {
          set_condition(*changed.mutable_status(),
                        {"DisruptionTarget", "True", "EvictionByEvictionAPI", "Eviction API: evicting"}, now);
        },
        {.manager = "kube-apiserver"});
    if (!marked) return refuse(marked.error());
    if (options.preconditions().has_resource_version()) {
      options.mutable_preconditions()->set_resource_version((*marked)->metadata().resource_version());
    }
  }
  const auto removed = server.remove(server.kinds().of<api::Pod>(), ns, name, options, dry_run);
  if (!removed) return refuse(removed.error());
  return {};
}

}  // namespace

ApiResult<void> Server::evict(std::string_view ns,
                              std::string_view pod_name,
                              const api::Eviction& eviction,
                              bool dry_run) {
  if (eviction.metadata().name() != pod_name) {
    return refuse(bad_request("name in URL does not match name in Eviction object"));
  }
  const api::DeleteOptions& options = eviction.delete_options();
  dry_run = dry_run || !options.dry_run().empty();
  const auto pod = find<api::Pod>(ns, pod_name);
  if (!pod) return refuse(not_found(kinds_.of<api::Pod>(), pod_name));

  if (!needs_no_budget(*pod)) {
    const std::vector<BudgetPtr> budgets = budgets_of(*this, *pod);
    std::vector<const api::PodDisruptionBudget*> asked;
    for (const BudgetPtr& budget : budgets) asked.push_back(budget.get());
    const auto cost = eviction_cost(*pod, asked);
    if (!cost) return refuse(cost.error());
    // As in the real server, the disruption is used before the preconditions are checked. An eviction with the wrong
    // uid uses one until the disruption controller forgets it.
    if (*cost == EvictionCost::Disruption && !dry_run) {
      const WallTime now = agenda_.wall_now();
      const auto spent = modify_status<api::PodDisruptionBudget>(
          ns, budgets.front()->metadata().name(),
          [&](api::PodDisruptionBudget& budget) { spend_disruption(budget, pod_name, now); },
          {.manager = "kube-apiserver"});
      if (!spent) return refuse(spent.error());
    }
  }
  return mark_and_delete(*this, *pod, options, dry_run);
}

}  // namespace rescheduler::sim
