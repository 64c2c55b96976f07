// The workload's own controller replaces the pod: it is evicted, and its replacement steered.
#include <algorithm>

#include <fmt/format.h>

#include "migration/protocol.h"

namespace rescheduler::migration {
namespace {

// After an eviction a controller takes milliseconds to replace the pod. One that has not by then does not want to.
constexpr std::chrono::seconds kPatience{15};

// What ends it while nothing has been done to the pod yet.
std::optional<Step> stopped_short(const api::Migration& migration,
                                  const Seen& seen,
                                  const MigrationSettings& settings) {
  const auto stop = [&](MoveResult result, std::string why) {
    return steps::conclude(migration, seen, result, std::move(why));
  };
  if (!seen.workload || seen.workload->leaving) return stop(MoveResult::Stale, "the workload is gone");
  if (seen.called_off) return stop(MoveResult::Refused, "called off");
  if (seen.refusal && seen.refusal->for_good) return stop(MoveResult::Refused, seen.refusal->message);
  if (seen.budgets.matching > 1) {
    return stop(MoveResult::Refused, "several PodDisruptionBudgets match the pod: Kubernetes refuses to evict it");
  }
  if (seen.now >= deadline_of(migration)) {
    std::string why = "its time is over";
    if (seen.refusal) why += ": " + seen.refusal->message;
    return stop(MoveResult::Refused, std::move(why));
  }
  // What the mode was chosen by may be another by now: while a single replica is replaced nobody serves.
  const ModeChoice choice = choose_mode(migration, seen, settings);
  if (!choice.refused.empty()) return stop(MoveResult::Refused, choice.refused);
  if (choice.mode != MoveMode::Coordinated) {
    return stop(MoveResult::Refused, fmt::format("the workload has changed, and its pods move by {} now: {}",
                                                 to_string(choice.mode), choice.why));
  }
  return std::nullopt;
}

Step prepare(const api::Migration& migration, const Seen& seen, const MigrationSettings& settings) {
  if (!seen.source || seen.source->leaving) {
    return steps::conclude(migration, seen, MoveResult::Stale, "the pod went by itself");
  }
  if (auto stopped = stopped_short(migration, seen, settings)) return std::move(*stopped);
  if (!seen.target_problem.empty()) {
    return steps::conclude(migration, seen, MoveResult::Refused, seen.target_problem);
  }
  const std::string& name = migration.metadata().name();
  const std::string& budget = migration.status().budget();
  if (marked_by_another(migration, seen)) return steps::wait();
  Step step;
  if (seen.workload->mark != name) {
    step.what = Do::MarkWorkload;
    return step;
  }
  if (settings.protect_unprotected && seen.budgets.matching == 0 && budget.empty()) {
    api::MigrationStatus status =
        noting(migration, "Budget", "nothing protects the workload: a budget until it is done", seen.now);
    status.set_budget(seen.workload->name + "-rescheduler-pdb");
    return steps::write(std::move(status));
  }
  // Two would block every eviction: ours goes as soon as somebody else's is there.
  if (!budget.empty() && seen.budgets.own && seen.budgets.matching > 0) {
    step.what = Do::DeleteBudget;
    return step;
  }
  if (!budget.empty() && !seen.budgets.own && seen.budgets.matching == 0) {
    step.what = Do::CreateBudget;
    step.name = budget;
    return step;
  }
  if (!budget.empty() && seen.budgets.own && !seen.budgets.own_counts) return steps::wait();
  if (!seen.workload->settled) return steps::wait();  // a rollout moves pods by itself
  if (!budget_problem(seen, settings).empty()) return steps::wait();
  if (!seen.preflight_passed) {
    step.what = Do::Preflight;
    step.pod = *seen.source;
    return step;
  }
  api::MigrationStatus status = entering(migration, Phase::Evicting, "", seen.now);
  note_known(status, seen);
  return steps::write(std::move(status));
}

Step evict(const api::Migration& migration, const Seen& seen, const MigrationSettings& settings) {
  if (!seen.source || seen.source->leaving) {
    api::MigrationStatus status = entering(migration, Phase::Replacing, "", seen.now);
    set_time(*status.mutable_evicted(), seen.now);
    return steps::write(std::move(status));
  }
  if (auto stopped = stopped_short(migration, seen, settings)) return std::move(*stopped);
  // The state that made the decision may be another by now.
  if (!seen.workload->settled || !budget_problem(seen, settings).empty()) return steps::wait();
  Step step;
  step.what = Do::Evict;
  step.pod = *seen.source;
  return step;
}

Step replace(const api::Migration& migration, const Seen& seen, const MigrationSettings& settings) {
  const SeenPod* replacement = replacement_in(migration, seen);
  if (replacement != nullptr) {
    if (auto step = follow_replacement(migration, seen, *replacement, settings)) return std::move(*step);
    if (replacement->ready && !replacement->node.empty()) {
      const bool reached = replacement->node == migration.spec().target();
      api::MigrationStatus status =
          concluding(migration, reached ? MoveResult::Succeeded : MoveResult::Elsewhere,
                     reached ? fmt::format("{} is ready on {}", replacement->name, replacement->node)
                             : fmt::format("{} is ready, but on {}", replacement->name, replacement->node),
                     seen.now);
      status.set_landed(replacement->node);
      return steps::write(std::move(status));
    }
  }
  const auto stop = [&](MoveResult result, std::string why) {
    return steps::conclude(migration, seen, result, std::move(why));
  };
  if (!seen.workload || seen.workload->leaving) return stop(MoveResult::Stale, "the workload is gone");
  const auto since = seen.now - to_wall(migration.status().evicted());
  const auto live = std::ranges::count_if(seen.pods, [](const SeenPod& pod) { return !pod.leaving && !pod.over; });
  const bool wants_none = seen.workload->desired >= 0 && live >= seen.workload->desired;
  if (replacement == nullptr && wants_none && since > kPatience) {
    return stop(MoveResult::Stale, "the workload wants no replacement: it was scaled down");
  }
  if (seen.now >= deadline_of(migration) && since > settings.least_deadline) {
    return stop(MoveResult::Failed, replacement == nullptr
                                        ? std::string("no replacement came in time")
                                        : fmt::format("{} was not ready in time", replacement->name));
  }
  return steps::wait();
}

}  // namespace

Step next_coordinated(const api::Migration& migration, const Seen& seen, const MigrationSettings& settings) {
  switch (phase_of(migration)) {
    case Phase::Evicting: return evict(migration, seen, settings);
    case Phase::Replacing: return replace(migration, seen, settings);
    default: return prepare(migration, seen, settings);
  }
}

}  // namespace rescheduler::migration
