// Adds one replica until the new pod is ready, then removes one; the old pod has the lowest deletion cost.
#include <algorithm>

#include <fmt/format.h>

#include "kube/value/time.h"
#include "migration/intent.h"
#include "migration/protocol.h"

namespace rescheduler::migration {
namespace {

constexpr std::chrono::seconds kPatience{30};  // for the ReplicaSet controller to remove a pod

std::optional<Step> stopped(const api::Migration& migration, const ObservedState& observed, MoveResult as) {
  const auto stop = [&](MoveResult result, std::string why) {
    return steps::conclude(migration, observed, result, std::move(why));
  };
  if (!observed.workload || observed.workload->leaving) return stop(MoveResult::Stale, "the workload is gone");
  if (observed.cancelled) return stop(as, "cancelled");
  if (observed.refusal && observed.refusal->for_good) return stop(as, observed.refusal->message);
  if (observed.now >= deadline_of(migration)) return stop(as, "the deadline passed");
  return std::nullopt;
}

Step prepare(const api::Migration& migration, const ObservedState& observed) {
  if (!observed.source || observed.source->leaving) {
    return steps::conclude(migration, observed, MoveResult::Stale,
                           "the pod was deleted or ended before the move removed it");
  }
  if (auto step = stopped(migration, observed, MoveResult::Refused)) return std::move(*step);
  if (!observed.target_problem.empty()) {
    return steps::conclude(migration, observed, MoveResult::Refused, observed.target_problem);
  }
  if (observed.workload->autoscaled) {
    return steps::conclude(migration, observed, MoveResult::Refused,
                           "an autoscaler now sets the replicas of the workload");
  }
  if (!observed.workload->settled) return steps::wait();
  api::MigrationStatus status = entering(migration, Phase::Surging, "", observed.now);
  status.mutable_surge()->set_before(observed.workload->desired);
  status.mutable_surge()->set_during(observed.workload->desired + 1);
  note_known(status, observed);
  return steps::write(std::move(status));
}

Step surge(const api::Migration& migration, const ObservedState& observed, const MigrationSettings& settings) {
  const api::MigrationSurge& surge = migration.status().surge();
  const std::string& name = migration.metadata().name();
  if (!observed.source || observed.source->leaving) {
    return steps::conclude(migration, observed, MoveResult::Stale,
                           "the pod was deleted or ended before the move removed it");
  }
  if (auto step = stopped(migration, observed, MoveResult::Failed)) return std::move(*step);
  Step step;
  if (observed.source->mark != name) {
    step.what = StepType::MarkPod;
    step.pod = *observed.source;
    return step;
  }
  const bool ours = observed.workload->mark == name && observed.workload->surged_to.has_value();
  if (!ours && surge.done()) {
    return steps::conclude(migration, observed, MoveResult::Failed,
                           "another client removed the move's annotation from the workload");
  }
  if (!ours && marked_by_another(migration, observed)) return steps::wait();
  if (!ours) {
    if (observed.workload->desired != surge.before())
      return prepare(migration, observed);  // with the new number of replicas
    step.what = StepType::MarkWorkload;
    step.node = avoided_by(migration, settings);
    step.replicas = surge.during();
    return step;
  }
  if (!surge.done()) {
    api::MigrationStatus status = noting(
        migration, "Surged", fmt::format("{} replicas instead of {}", surge.during(), surge.before()), observed.now);
    status.mutable_surge()->set_done(true);
    return steps::write(std::move(status));
  }
  if (observed.workload->desired != surge.during()) {
    return steps::conclude(migration, observed, MoveResult::Failed,
                           fmt::format("another client set the replicas to {}; rescheduler leaves them unchanged",
                                       observed.workload->desired));
  }
  const ObservedPod* replacement = replacement_in(migration, observed);
  if (replacement == nullptr) return steps::wait();
  if (auto follow = follow_replacement(migration, observed, *replacement, settings)) return std::move(*follow);
  if (!replacement->ready || replacement->node.empty()) return steps::wait();
  if (result_on(migration, replacement->node) == MoveResult::Failed) {
    return steps::land(migration, observed, replacement->name, replacement->node);  // the old pod stays
  }
  api::MigrationStatus status = entering(
      migration, Phase::Retiring, fmt::format("{} is ready on {}", replacement->name, replacement->node), observed.now);
  status.set_landed(replacement->node);
  return steps::write(std::move(status));
}

// The controller deletes pods that are not ready before the pod with the lowest deletion cost.
bool all_ready(const ObservedState& observed) {
  return std::ranges::all_of(observed.pods,
                             [](const ObservedPod& pod) { return pod.ready || pod.leaving || pod.over; });
}

Step retire(const api::Migration& migration, const ObservedState& observed) {
  const api::MigrationSurge& surge = migration.status().surge();
  if (!observed.source || observed.source->leaving) {
    return steps::land(migration, observed, migration.status().replacement(), migration.status().landed());
  }
  const auto stop = [&](MoveResult result, std::string why) {
    return steps::conclude(migration, observed, result, std::move(why));
  };
  if (!observed.workload || observed.workload->leaving) return stop(MoveResult::Stale, "the workload is gone");
  if (observed.refusal && observed.refusal->for_good) return stop(MoveResult::Failed, observed.refusal->message);
  const bool late = observed.now >= deadline_of(migration);
  const bool ours = observed.workload->mark == migration.metadata().name() && observed.workload->surged_to.has_value();
  if (ours) {
    if (observed.workload->desired != surge.during()) {
      return stop(MoveResult::Failed,
                  fmt::format("another client set the replicas to {}; rescheduler leaves them unchanged",
                              observed.workload->desired));
    }
    if (!all_ready(observed) || !observed.workload->settled) {
      return late ? stop(MoveResult::Failed, "not all replicas were ready in time") : steps::wait();
    }
    Step step;
    step.what = StepType::Retire;
    step.replicas = surge.before();
    return step;
  }
  const auto entered = kube::wall_time(migration.status().steps(migration.status().steps_size() - 1).at());
  if (observed.now > entered + kPatience && late) return stop(MoveResult::Failed, "another pod was removed instead");
  if (observed.now > entered + 2 * kPatience) return stop(MoveResult::Failed, "another pod was removed instead");
  return steps::wait();
}

}  // namespace

Step next_make_before_break(const api::Migration& migration,
                            const ObservedState& observed,
                            const MigrationSettings& settings) {
  switch (phase_of(migration)) {
    case Phase::Surging: return surge(migration, observed, settings);
    case Phase::Retiring: return retire(migration, observed);
    default: return prepare(migration, observed);
  }
}

}  // namespace rescheduler::migration
