#include "sim/controllers/disruption/disruption.h"

#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "kube/events/event_record.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/policy.pb.h"
#include "kube/value/time.h"
#include "sim/controllers/pods/owner_scale.h"
#include "sim/server/conditions.h"
#include "sim/server/eviction.h"

namespace rescheduler::sim {
namespace {

using kube::EventType;

// How long an entry of disruptedPods counts, and how long DisruptionTarget stays on a pod that does not terminate.
constexpr std::chrono::minutes kDeletionTimeout{2};
constexpr std::chrono::minutes kStaleMark{2};
constexpr std::string_view kReporter = "controllermanager";

kube::IntOrString to_value(const api::IntOrString& value) {
  return value.type() == 0 ? kube::IntOrString::from_int(value.int_val())
                           : kube::IntOrString::from_string(value.str_val());
}

BudgetDemand demand_of(const api::PodDisruptionBudgetSpec& spec) {
  BudgetDemand demand;
  if (spec.has_min_available()) demand.min_available = to_value(spec.min_available());
  if (spec.has_max_unavailable()) demand.max_unavailable = to_value(spec.max_unavailable());
  return demand;
}

struct Announced {
  std::map<std::string, api::Time> pods{};  // not timed out
  std::optional<WallTime> recheck{};
};

Announced still_announced(const api::PodDisruptionBudgetStatus& status,
                          const std::vector<const PodView*>& pods,
                          WallTime now) {
  Announced announced;
  for (const PodView* pod : pods) {
    if (pod->terminating()) continue;
    const auto found = status.disrupted_pods().find(std::string(pod->name()));
    if (found == status.disrupted_pods().end()) continue;
    const WallTime until = kube::wall_time(found->second) + kDeletionTimeout;
    if (until < now) continue;
    announced.pods.emplace(pod->name(), found->second);
    if (!announced.recheck || until < *announced.recheck) announced.recheck = until;
  }
  return announced;
}

int count_healthy(const std::vector<const PodView*>& pods, const Announced& announced) {
  int healthy = 0;
  for (const PodView* pod : pods) {
    if (pod->terminating() || announced.pods.contains(std::string(pod->name()))) continue;
    if (pod->ready()) ++healthy;
  }
  return healthy;
}

// The condition DisruptionTarget, not set by the kubelet, on a pod that is neither terminating nor finished.
const api::PodCondition* mark_of(const api::Pod& pod) {
  if (pod.metadata().has_deletion_timestamp() || is_finished(pod)) return nullptr;
  const api::PodCondition* mark = find_condition(pod.status(), "DisruptionTarget");
  return mark && mark->status() == "True" && mark->reason() != "TerminationByKubelet" ? mark : nullptr;
}

}  // namespace

DisruptionController::DisruptionController(const ControllerScope& scope)
    : server_(scope.server),
      pods_(scope.pods),
      events_(scope.events),
      queue_(server_.agenda(), scope.lag, [this](const std::string& key) { reconcile(key); }),
      stale_marks_(server_.agenda(), scope.lag, [this](const std::string& key) { forget_stale_mark(key); }) {
  const Kind& budgets = server_.kinds().of<api::PodDisruptionBudget>();
  on_pods_ = pods_.subscribe([this](const PodView* before, const PodView* after) { pod_changed(before, after); });
  on_pod_writes_ =
      server_.store().subscribe(&server_.kinds().of<api::Pod>(), [this](const Change& change) { pod_written(change); });
  on_budgets_ = server_.store().subscribe(&budgets, [this](const Change& change) { budget_changed(change); });
  server_.store().for_each(budgets, "", "", [this](const VersionPtr& version) {
    budget_changed(Change{version->number(), Change::What::Added, nullptr, version});
    return true;
  });
}

void DisruptionController::budget_changed(const Change& change) {
  const auto budget = change.after->as<api::PodDisruptionBudget>();
  const api::ObjectMeta& metadata = budget->metadata();
  auto& known = selectors_[metadata.namespace_()];
  if (change.what == Change::What::Deleted) {
    known.erase(metadata.name());
    if (known.empty()) selectors_.erase(metadata.namespace_());
    return;
  }
  known.insert_or_assign(metadata.name(), budget->spec().has_selector() ? selector_from(budget->spec().selector())
                                                                        : kube::LabelSelector::nothing());
  queue_.add(key_of(metadata.namespace_(), metadata.name()));
}

void DisruptionController::pod_changed(const PodView* before, const PodView* after) {
  const auto space = selectors_.find((after ? after : before)->ns());
  if (space == selectors_.end()) return;
  for (const auto& [name, selector] : space->second) {
    if ((before && selector.matches(before->labels().lookup()))
        || (after && selector.matches(after->labels().lookup()))) {
      queue_.add(key_of(space->first, name));
    }
  }
}

void DisruptionController::pod_written(const Change& change) {
  if (change.what == Change::What::Deleted) return;
  const auto pod = change.after->as<api::Pod>();
  const api::PodCondition* mark = mark_of(*pod);
  if (!mark) return;
  const auto age = server_.agenda().wall_now() - kube::wall_time(mark->last_transition_time());
  stale_marks_.add_after(key_of(pod->metadata().namespace_(), pod->metadata().name()), kStaleMark - age);
}

void DisruptionController::forget_stale_mark(const std::string& key) {
  const auto [ns, name] = split_key(key);
  const auto pod = server_.find<api::Pod>(ns, name);
  const api::PodCondition* mark = pod ? mark_of(*pod) : nullptr;
  if (!mark) return;
  const WallTime now = server_.agenda().wall_now();
  const auto age = now - kube::wall_time(mark->last_transition_time());
  if (age < kStaleMark) {
    stale_marks_.add_after(key, kStaleMark - age);
    return;
  }
  const auto cleared = server_.modify_status<api::Pod>(
      ns, name,
      [now](api::Pod& changed) { set_condition(*changed.mutable_status(), {"DisruptionTarget", "False"}, now); },
      {.manager = "kube-controller-manager"});
  if (!cleared) stale_marks_.add_after_failure(key);
}

Result<int> DisruptionController::scale_of_controllers(const api::PodDisruptionBudget& budget, const Pods& pods) {
  std::map<std::string, int, std::less<>> scales;  // by uid of the scaled object
  std::map<std::string_view, bool> asked;          // by uid of the owner
  bool unmanaged = false;
  for (const PodView* pod : pods) {
    if (!pod->owner()) {
      unmanaged = true;
      continue;
    }
    if (!asked.emplace(pod->owner_uid(), true).second) continue;
    const auto found = controller_scale(server_, pod->ns(), *pod->owner());
    if (!found) return fail(found.error());
    if (!*found) return fail(Errc::NotFound, "found no controllers for pod \"{}\"", pod->name());
    scales[(*found)->uid] = (*found)->replicas;
  }
  if (unmanaged) {
    events_.note(kube::ref_to(budget), EventType::Warning, "UnmanagedPods", "",
                 "Some pods that this PodDisruptionBudget selects have no controller, so its status cannot be "
                 "calculated correctly; an integer in .spec.minAvailable takes them into account.",
                 kReporter);
  }
  int sum = 0;
  for (const auto& [uid, replicas] : scales) sum += replicas;
  return sum;
}

void DisruptionController::reconcile(const std::string& key) {
  const auto [ns, name] = split_key(key);
  const auto budget = server_.find<api::PodDisruptionBudget>(ns, name);
  if (!budget) return;
  const auto space = selectors_.find(ns);
  const Pods pods = pods_.select(ns, space->second.at(name));
  if (pods.empty()) {
    events_.note(kube::ref_to(*budget), EventType::Normal, "NoPods", "", "No matching pods found", kReporter);
  }
  const BudgetDemand demand = demand_of(budget->spec());
  const Result<int> scale = needs_controllers(demand) ? scale_of_controllers(*budget, pods) : Result<int>(0);
  if (!scale) return fail_safe(*budget, scale.error().message);
  const WallTime now = server_.agenda().wall_now();
  const Announced announced = still_announced(budget->status(), pods, now);
  const auto figures = budget_figures(demand, *scale, static_cast<int>(pods.size()), count_healthy(pods, announced));
  if (!figures) return fail_safe(*budget, figures.error().message);

  const auto written = server_.modify_status<api::PodDisruptionBudget>(
      ns, name,
      [&](api::PodDisruptionBudget& changed) {
        api::PodDisruptionBudgetStatus& status = *changed.mutable_status();
        status.set_current_healthy(figures->current_healthy);
        status.set_desired_healthy(figures->desired_healthy);
        status.set_expected_pods(figures->expected);
        status.set_disruptions_allowed(figures->allowed);
        status.set_observed_generation(changed.metadata().generation());
        status.clear_disrupted_pods();
        for (const auto& [pod, since] : announced.pods) (*status.mutable_disrupted_pods())[pod] = since;
        set_disruption_allowed(changed, now);
      },
      {.manager = "kube-controller-manager"});
  if (!written) return queue_.add_after_failure(key);
  queue_.forget_failures(key);
  // One second later, because at the exact time the entry still counts.
  if (announced.recheck) queue_.add_after(key, *announced.recheck - now + std::chrono::seconds{1});
}

void DisruptionController::fail_safe(const api::PodDisruptionBudget& budget, const std::string& why) {
  events_.note(kube::ref_to(budget), EventType::Warning, "CalculateExpectedPodCountFailed", "",
               fmt::format("Failed to calculate the number of expected pods: {}", why), kReporter);
  const api::ObjectMeta& metadata = budget.metadata();
  const WallTime now = server_.agenda().wall_now();
  const auto written = server_.modify_status<api::PodDisruptionBudget>(
      metadata.namespace_(), metadata.name(),
      [&](api::PodDisruptionBudget& changed) {
        api::PodDisruptionBudgetStatus& status = *changed.mutable_status();
        status.set_disruptions_allowed(0);
        set_condition(*status.mutable_conditions(), {"DisruptionAllowed", "False", "SyncFailed", why},
                      status.observed_generation(), now);
      },
      {.manager = "kube-controller-manager"});
  if (!written) queue_.add_after_failure(key_of(metadata.namespace_(), metadata.name()));
}

}  // namespace rescheduler::sim
