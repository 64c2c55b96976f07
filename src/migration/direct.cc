// A bare pod is recreated on the target from a manifest in the record. The copy is ready before the original is
// evicted. If two instances must not run at once, the original is evicted first and recreated if the copy does not
// become ready. A copy that another client deletes stays deleted: the pod is gone, as any deleted bare pod.
#include <fmt/format.h>

#include "kube/value/time.h"
#include "migration/protocol.h"

namespace rescheduler::migration {
namespace {

constexpr std::chrono::minutes kRollback{
    10};  // time for the recreated original to become ready, before the rollback is reported as failed

Step stop(const api::Migration& migration, const ObservedState& observed, MoveResult result, std::string why) {
  return steps::conclude(migration, observed, result, std::move(why));
}

Step do_to(StepType what, const ObservedPod& pod, std::string node = {}) {
  Step step;
  step.what = what;
  step.pod = pod;
  step.node = std::move(node);
  return step;
}

// The next step of a copy on its way from creation to readiness; nullopt: the copy is ready.
std::optional<Step> bring_up(const api::Migration& migration,
                             const std::optional<ObservedPod>& pod,
                             const std::string& name,
                             const std::string& node) {
  if (!pod) {
    Step step;
    step.what = StepType::CreateCopy;
    step.name = name;
    step.node = node;
    return step;
  }
  if (pod->leaving) return steps::wait();
  if (pod->mark == migration.metadata().name() && pod->gated) {
    if (pod->nominated != node) return do_to(StepType::Nominate, *pod, node);
    return do_to(StepType::ReleaseCopy, *pod);
  }
  if (!pod->ready) return steps::wait();
  return std::nullopt;
}

std::optional<Step> note_copy(const api::Migration& migration, const ObservedState& observed) {
  if (!observed.copy || migration.status().replacement_uid() == observed.copy->uid) return std::nullopt;
  api::MigrationStatus status =
      noting(migration, "Replacement", fmt::format("{} is the replacement pod", observed.copy->name), observed.now);
  status.set_replacement(observed.copy->name);
  status.set_replacement_uid(observed.copy->uid);
  return steps::write(std::move(status));
}

Step prepare(const api::Migration& migration, const ObservedState& observed) {
  if (!observed.source || observed.source->leaving)
    return stop(migration, observed, MoveResult::Stale, "the pod was deleted or ended before the move removed it");
  if (observed.cancelled) return stop(migration, observed, MoveResult::Refused, "cancelled");
  if (observed.now >= deadline_of(migration))
    return stop(migration, observed, MoveResult::Refused, "the deadline passed");
  if (!observed.target_problem.empty()) return stop(migration, observed, MoveResult::Refused, observed.target_problem);
  const bool first = !observed.source->no_second_copy.empty();
  api::MigrationStatus status = entering(migration, first ? Phase::Retiring : Phase::Creating, "", observed.now);
  status.set_delete_first(first);
  Step step = steps::write(std::move(status));
  step.pod = *observed.source;  // StepExecutor::write adds the manifest of this pod and the name of the copy
  return step;
}

Step create_before(const api::Migration& migration, const ObservedState& observed) {
  const api::MigrationStatus& status = migration.status();
  if (!observed.source || observed.source->leaving) {
    return stop(migration, observed, MoveResult::Stale, "the pod was deleted before its copy was ready");
  }
  if (observed.cancelled) return stop(migration, observed, MoveResult::Failed, "cancelled");
  if (observed.refusal && observed.refusal->for_good)
    return stop(migration, observed, MoveResult::Failed, observed.refusal->message);
  if (observed.now >= deadline_of(migration)) {
    return stop(migration, observed, MoveResult::Failed, "the copy was not ready in time");
  }
  if (observed.copy_name_taken) {
    return stop(migration, observed, MoveResult::Failed, fmt::format("another pod has the name {}", status.copy()));
  }
  if (!observed.copy && status.has_replacement_uid()) {
    return stop(migration, observed, MoveResult::Failed, "another client deleted the copy");
  }
  if (auto step = note_copy(migration, observed)) return std::move(*step);
  if (observed.copy && observed.copy->over) return stop(migration, observed, MoveResult::Failed, "the copy ended");
  if (auto step = bring_up(migration, observed.copy, status.copy(), migration.spec().target())) return std::move(*step);
  if (result_on(migration, observed.copy->node) == MoveResult::Failed) {
    return steps::land(migration, observed, observed.copy->name, observed.copy->node);  // the original stays
  }
  api::MigrationStatus ready =
      entering(migration, Phase::Retiring, fmt::format("{} is ready on {}", observed.copy->name, observed.copy->node),
               observed.now);
  ready.set_landed(observed.copy->node);
  return steps::write(std::move(ready));
}

Step retire_after(const api::Migration& migration, const ObservedState& observed) {
  if (!observed.source) return steps::land(migration, observed, migration.status().copy(), migration.status().landed());
  if (observed.source->leaving) return steps::wait();
  if (!observed.copy || observed.copy->leaving || !observed.copy->ready) {
    return stop(migration, observed, MoveResult::Failed, "the copy did not stay ready");
  }
  if (observed.refusal && observed.refusal->for_good)
    return stop(migration, observed, MoveResult::Failed, observed.refusal->message);
  if (observed.now >= deadline_of(migration)) {
    return stop(migration, observed, MoveResult::Failed, "the original pod could not be removed in time");
  }
  return do_to(StepType::Evict, *observed.source);
}

Step retire_first(const api::Migration& migration, const ObservedState& observed) {
  if (!observed.source) {
    api::MigrationStatus status = entering(migration, Phase::Creating, "", observed.now);
    kube::set_time(*status.mutable_evicted(), observed.now);
    return steps::write(std::move(status));
  }
  if (observed.source->leaving) return steps::wait();
  if (observed.cancelled) return stop(migration, observed, MoveResult::Refused, "cancelled");
  if (observed.refusal && observed.refusal->for_good)
    return stop(migration, observed, MoveResult::Refused, observed.refusal->message);
  if (observed.now >= deadline_of(migration))
    return stop(migration, observed, MoveResult::Refused, "the deadline passed");
  return do_to(StepType::Evict, *observed.source);
}

Step create_after(const api::Migration& migration, const ObservedState& observed) {
  if (auto step = note_copy(migration, observed)) return std::move(*step);
  if (!observed.copy && migration.status().has_replacement_uid()) {
    return stop(migration, observed, MoveResult::Failed, "another client deleted the copy");
  }
  const bool failed = observed.copy_name_taken || (observed.copy && observed.copy->over)
                      || (observed.refusal && observed.refusal->for_good);
  if (failed || observed.now >= deadline_of(migration)) {
    return steps::write(entering(migration, Phase::RollingBack,
                                 failed ? "the copy did not start" : "the copy was not ready in time", observed.now));
  }
  if (auto step = bring_up(migration, observed.copy, migration.status().copy(), migration.spec().target())) {
    return std::move(*step);
  }
  return steps::land(migration, observed, observed.copy->name, observed.copy->node);
}

Step roll_back(const api::Migration& migration, const ObservedState& observed) {
  if (observed.copy) return observed.copy->leaving ? steps::wait() : do_to(StepType::DeletePod, *observed.copy);
  const std::string& why = migration.status().message();
  if (auto step = bring_up(migration, observed.restored, migration.spec().pod(), source_of(migration))) {
    const bool late = observed.now >= deadline_of(migration) + kRollback;
    const bool permanent = observed.refusal && observed.refusal->for_good;
    if (!late && !permanent) return std::move(*step);
    return stop(migration, observed, MoveResult::Failed, why + "; the original pod is not ready either");
  }
  api::MigrationStatus status =
      concluded_status(migration, MoveResult::Failed, why + "; the original pod was created again", observed.now);
  status.set_landed(observed.restored->node);
  status.set_replacement(observed.restored->name);
  return steps::write(std::move(status));
}

}  // namespace

Step next_direct(const api::Migration& migration,
                 const ObservedState& observed,
                 const MigrationSettings& /*settings*/) {
  const bool first = migration.status().delete_first();
  switch (phase_of(migration)) {
    case Phase::Creating: return first ? create_after(migration, observed) : create_before(migration, observed);
    case Phase::Retiring: return first ? retire_first(migration, observed) : retire_after(migration, observed);
    case Phase::RollingBack: return roll_back(migration, observed);
    default: return prepare(migration, observed);
  }
}

}  // namespace rescheduler::migration
