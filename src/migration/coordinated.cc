// The controller of the workload replaces the pod: the pod is evicted, and the replacement gets the target node.
#include <algorithm>

#include <fmt/format.h>

#include "kube/value/time.h"
#include "migration/intent.h"
#include "migration/protocol.h"

namespace rescheduler::migration {
namespace {

// A controller replaces an evicted pod within milliseconds. If no replacement exists after this time and the workload
// has all its replicas, it needs none.
constexpr std::chrono::seconds kPatience{15};

// Reasons to stop before anything is done to the pod.
std::optional<Step> stopped_short(const api::Migration& migration,
                                  const ObservedState& observed,
                                  const MigrationSettings& settings) {
  const auto stop = [&](MoveResult result, std::string why) {
    return steps::conclude(migration, observed, result, std::move(why));
  };
  if (!observed.workload || observed.workload->leaving) return stop(MoveResult::Stale, "the workload is gone");
  if (observed.cancelled) return stop(MoveResult::Refused, "cancelled");
  if (observed.refusal && observed.refusal->for_good) return stop(MoveResult::Refused, observed.refusal->message);
  if (observed.budgets.matching > 1) {
    return stop(MoveResult::Refused, "several PodDisruptionBudgets match the pod: the Eviction API refuses such a pod");
  }
  if (observed.now >= deadline_of(migration)) {
    std::string why = "the deadline passed";
    if (observed.refusal) why += ": " + observed.refusal->message;
    return stop(MoveResult::Refused, std::move(why));
  }
  // The reasons for the mode may have changed: a single replica must not be evicted, because no pod would serve.
  const ModeChoice choice = choose_mode(migration, observed, settings);
  if (!choice.refused.empty()) return stop(MoveResult::Refused, choice.refused);
  if (choice.mode != MoveMode::Coordinated) {
    return stop(MoveResult::Refused, fmt::format("the workload has changed, and its pods now move in mode {}: {}",
                                                 to_string(choice.mode), choice.why));
  }
  return std::nullopt;
}

Step prepare(const api::Migration& migration, const ObservedState& observed, const MigrationSettings& settings) {
  if (!observed.source || observed.source->leaving) {
    return steps::conclude(migration, observed, MoveResult::Stale,
                           "the pod was deleted or ended before the move removed it");
  }
  if (auto stopped = stopped_short(migration, observed, settings)) return std::move(*stopped);
  if (!observed.target_problem.empty()) {
    return steps::conclude(migration, observed, MoveResult::Refused, observed.target_problem);
  }
  const std::string& name = migration.metadata().name();
  const std::string& budget = migration.status().budget();
  if (marked_by_another(migration, observed)) return steps::wait();
  Step step;
  if (settings.coordination && observed.workload->mark != name) {
    step.what = StepType::MarkWorkload;
    step.node = avoided_by(migration, settings);
    return step;
  }
  if (settings.protect_unprotected && observed.budgets.matching == 0 && budget.empty()) {
    api::MigrationStatus status = noting(
        migration, "Budget", "no PodDisruptionBudget protects the workload: a temporary one is created", observed.now);
    status.set_budget(observed.workload->name + "-rescheduler-pdb");
    return steps::write(std::move(status));
  }
  // Two PodDisruptionBudgets would block every eviction: the temporary one is deleted as soon as another exists.
  if (!budget.empty() && observed.budgets.own && observed.budgets.matching > 0) {
    step.what = StepType::DeleteBudget;
    return step;
  }
  if (!budget.empty() && !observed.budgets.own && observed.budgets.matching == 0) {
    step.what = StepType::CreateBudget;
    step.name = budget;
    return step;
  }
  if (!budget.empty() && observed.budgets.own && !observed.budgets.own_counts) return steps::wait();
  if (!observed.workload->settled) return steps::wait();  // a rollout replaces pods by itself
  if (!budget_problem(observed, settings).empty()) return steps::wait();
  if (!observed.preflight_passed) {
    step.what = StepType::Preflight;
    step.pod = *observed.source;
    return step;
  }
  api::MigrationStatus status = entering(migration, Phase::Evicting, "", observed.now);
  note_known(status, observed);
  return steps::write(std::move(status));
}

Step evict(const api::Migration& migration, const ObservedState& observed, const MigrationSettings& settings) {
  if (!observed.source || observed.source->leaving) {
    api::MigrationStatus status = entering(migration, Phase::Replacing, "", observed.now);
    kube::set_time(*status.mutable_evicted(), observed.now);
    return steps::write(std::move(status));
  }
  if (auto stopped = stopped_short(migration, observed, settings)) return std::move(*stopped);
  // The workload may have changed since Preparing.
  if (!observed.workload->settled || !budget_problem(observed, settings).empty()) return steps::wait();
  Step step;
  step.what = StepType::Evict;
  step.pod = *observed.source;
  return step;
}

Step replace(const api::Migration& migration, const ObservedState& observed, const MigrationSettings& settings) {
  const ObservedPod* replacement = replacement_in(migration, observed);
  if (replacement != nullptr) {
    if (auto step = follow_replacement(migration, observed, *replacement, settings)) return std::move(*step);
    if (replacement->ready && !replacement->node.empty()) {
      return steps::land(migration, observed, replacement->name, replacement->node);
    }
  }
  const auto stop = [&](MoveResult result, std::string why) {
    return steps::conclude(migration, observed, result, std::move(why));
  };
  if (!observed.workload || observed.workload->leaving) return stop(MoveResult::Stale, "the workload is gone");
  const auto since = observed.now - kube::wall_time(migration.status().evicted());
  const auto live =
      std::ranges::count_if(observed.pods, [](const ObservedPod& pod) { return !pod.leaving && !pod.over; });
  const bool wants_none = observed.workload->desired >= 0 && live >= observed.workload->desired;
  if (replacement == nullptr && wants_none && since > kPatience) {
    return stop(MoveResult::Stale, "the workload was scaled down and needs no replacement");
  }
  if (observed.now >= deadline_of(migration) && since > settings.least_deadline) {
    return stop(MoveResult::Failed, replacement == nullptr
                                        ? std::string("no replacement pod was created in time")
                                        : fmt::format("{} was not ready in time", replacement->name));
  }
  return steps::wait();
}

}  // namespace

Step next_coordinated(const api::Migration& migration,
                      const ObservedState& observed,
                      const MigrationSettings& settings) {
  switch (phase_of(migration)) {
    case Phase::Evicting: return evict(migration, observed, settings);
    case Phase::Replacing: return replace(migration, observed, settings);
    default: return prepare(migration, observed, settings);
  }
}

}  // namespace rescheduler::migration
