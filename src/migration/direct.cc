// A pod of nobody is made again on the target, from a manifest in the record. The copy is ready before the original
// goes; where two may not live at once the original goes first, and comes back if the copy does not come up.
#include <fmt/format.h>

#include "migration/protocol.h"

namespace rescheduler::migration {
namespace {

constexpr std::chrono::minutes kRollback{10};  // for the original to come back, before we say that it did not

Step stop(const api::Migration& migration, const Seen& seen, MoveResult result, std::string why) {
  return steps::conclude(migration, seen, result, std::move(why));
}

Step do_to(Do what, const SeenPod& pod, std::string node = {}) {
  Step step;
  step.what = what;
  step.pod = pod;
  step.node = std::move(node);
  return step;
}

// Brings a copy from its creation to readiness; nothing: it is ready.
std::optional<Step> bring_up(const api::Migration& migration,
                             const std::optional<SeenPod>& pod,
                             const std::string& name,
                             const std::string& node) {
  if (!pod) {
    Step step;
    step.what = Do::CreateCopy;
    step.name = name;
    step.node = node;
    return step;
  }
  if (pod->leaving) return steps::wait();
  if (pod->mark == migration.metadata().name() && pod->gated) {
    if (pod->nominated != node) return do_to(Do::Nominate, *pod, node);
    return do_to(Do::ReleaseCopy, *pod);
  }
  if (!pod->ready) return steps::wait();
  return std::nullopt;
}

std::optional<Step> note_copy(const api::Migration& migration, const Seen& seen) {
  if (!seen.copy || migration.status().replacement_uid() == seen.copy->uid) return std::nullopt;
  api::MigrationStatus status =
      noting(migration, "Replacement", fmt::format("{} stands in", seen.copy->name), seen.now);
  status.set_replacement(seen.copy->name);
  status.set_replacement_uid(seen.copy->uid);
  return steps::write(std::move(status));
}

Step prepare(const api::Migration& migration, const Seen& seen) {
  if (!seen.source || seen.source->leaving) return stop(migration, seen, MoveResult::Stale, "the pod went by itself");
  if (seen.called_off) return stop(migration, seen, MoveResult::Refused, "called off");
  if (seen.now >= deadline_of(migration)) return stop(migration, seen, MoveResult::Refused, "its time is over");
  if (!seen.target_problem.empty()) return stop(migration, seen, MoveResult::Refused, seen.target_problem);
  const bool first = !seen.source->no_second_copy.empty();
  api::MigrationStatus status = entering(migration, first ? Phase::Retiring : Phase::Creating, "", seen.now);
  status.set_delete_first(first);
  Step step = steps::write(std::move(status));
  step.pod = *seen.source;  // whoever writes it puts the manifest of this very pod in, and the copy's name
  return step;
}

Step create_before(const api::Migration& migration, const Seen& seen) {
  const api::MigrationStatus& status = migration.status();
  if (!seen.source || seen.source->leaving) {
    return stop(migration, seen, MoveResult::Stale, "the pod was taken away meanwhile");
  }
  if (seen.called_off) return stop(migration, seen, MoveResult::Failed, "called off");
  if (seen.refusal && seen.refusal->for_good) return stop(migration, seen, MoveResult::Failed, seen.refusal->message);
  if (seen.now >= deadline_of(migration)) {
    return stop(migration, seen, MoveResult::Failed, "the copy was not ready in time");
  }
  if (seen.copy_name_taken) {
    return stop(migration, seen, MoveResult::Failed, fmt::format("another pod has the name {}", status.copy()));
  }
  if (!seen.copy && status.has_replacement_uid()) {
    return stop(migration, seen, MoveResult::Failed, "another client deleted the copy");
  }
  if (auto step = note_copy(migration, seen)) return std::move(*step);
  if (seen.copy && seen.copy->over) return stop(migration, seen, MoveResult::Failed, "the copy ended");
  if (auto step = bring_up(migration, seen.copy, status.copy(), migration.spec().target())) return std::move(*step);
  api::MigrationStatus ready = entering(migration, Phase::Retiring,
                                        fmt::format("{} is ready on {}", seen.copy->name, seen.copy->node), seen.now);
  ready.set_landed(seen.copy->node);
  return steps::write(std::move(ready));
}

Step landed(const api::Migration& migration, const Seen& seen, const std::string& node) {
  const bool reached = node == migration.spec().target();
  api::MigrationStatus status =
      concluding(migration, reached ? MoveResult::Succeeded : MoveResult::Elsewhere,
                 fmt::format("{} is ready{} on {}", migration.status().copy(), reached ? "" : ", but", node), seen.now);
  status.set_landed(node);
  return steps::write(std::move(status));
}

Step retire_after(const api::Migration& migration, const Seen& seen) {
  if (!seen.source) return landed(migration, seen, migration.status().landed());
  if (seen.source->leaving) return steps::wait();
  if (!seen.copy || seen.copy->leaving || !seen.copy->ready) {
    return stop(migration, seen, MoveResult::Failed, "the copy did not stay ready");
  }
  if (seen.refusal && seen.refusal->for_good) return stop(migration, seen, MoveResult::Failed, seen.refusal->message);
  if (seen.now >= deadline_of(migration)) {
    return stop(migration, seen, MoveResult::Failed, "the original could not be removed in time");
  }
  return do_to(Do::Evict, *seen.source);
}

Step retire_first(const api::Migration& migration, const Seen& seen) {
  if (!seen.source) {
    api::MigrationStatus status = entering(migration, Phase::Creating, "", seen.now);
    set_time(*status.mutable_evicted(), seen.now);
    return steps::write(std::move(status));
  }
  if (seen.source->leaving) return steps::wait();
  if (seen.called_off) return stop(migration, seen, MoveResult::Refused, "called off");
  if (seen.refusal && seen.refusal->for_good) return stop(migration, seen, MoveResult::Refused, seen.refusal->message);
  if (seen.now >= deadline_of(migration)) return stop(migration, seen, MoveResult::Refused, "its time is over");
  return do_to(Do::Evict, *seen.source);
}

Step create_after(const api::Migration& migration, const Seen& seen) {
  if (auto step = note_copy(migration, seen)) return std::move(*step);
  if (!seen.copy && migration.status().has_replacement_uid()) {
    return stop(migration, seen, MoveResult::Failed, "another client deleted the copy");
  }
  const bool failed =
      seen.copy_name_taken || (seen.copy && seen.copy->over) || (seen.refusal && seen.refusal->for_good);
  if (failed || seen.now >= deadline_of(migration)) {
    return steps::write(entering(migration, Phase::RollingBack,
                                 failed ? "the copy did not come up" : "the copy was not ready in time", seen.now));
  }
  if (auto step = bring_up(migration, seen.copy, migration.status().copy(), migration.spec().target())) {
    return std::move(*step);
  }
  return landed(migration, seen, seen.copy->node);
}

Step roll_back(const api::Migration& migration, const Seen& seen) {
  if (seen.copy) return seen.copy->leaving ? steps::wait() : do_to(Do::DeletePod, *seen.copy);
  const std::string& why = migration.status().message();
  if (auto step = bring_up(migration, seen.restored, migration.spec().pod(), migration.spec().source())) {
    const bool late = seen.now >= deadline_of(migration) + kRollback;
    const bool hopeless = seen.refusal && seen.refusal->for_good;
    if (!late && !hopeless) return std::move(*step);
    return stop(migration, seen, MoveResult::Failed, why + "; the original is not ready either");
  }
  api::MigrationStatus status = concluding(migration, MoveResult::Failed, why + "; the original is back", seen.now);
  status.set_landed(seen.restored->node);
  status.set_replacement(seen.restored->name);
  return steps::write(std::move(status));
}

}  // namespace

Step next_direct(const api::Migration& migration, const Seen& seen, const MigrationSettings& /*settings*/) {
  const bool first = migration.status().delete_first();
  switch (phase_of(migration)) {
    case Phase::Creating: return first ? create_after(migration, seen) : create_before(migration, seen);
    case Phase::Retiring: return first ? retire_first(migration, seen) : retire_after(migration, seen);
    case Phase::RollingBack: return roll_back(migration, seen);
    default: return prepare(migration, seen);
  }
}

}  // namespace rescheduler::migration
