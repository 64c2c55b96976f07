// One replica more until the new one serves; then one less, and the old one is the first to go.
#include <algorithm>

#include <fmt/format.h>

#include "migration/protocol.h"

namespace rescheduler::migration {
namespace {

constexpr std::chrono::seconds kPatience{30};  // of the ReplicaSet controller, to remove a pod

std::optional<Step> stopped(const api::Migration& migration, const Seen& seen, MoveResult as) {
  const auto stop = [&](MoveResult result, std::string why) {
    return steps::conclude(migration, seen, result, std::move(why));
  };
  if (!seen.workload || seen.workload->leaving) return stop(MoveResult::Stale, "the workload is gone");
  if (seen.called_off) return stop(as, "called off");
  if (seen.refusal && seen.refusal->for_good) return stop(as, seen.refusal->message);
  if (seen.now >= deadline_of(migration)) return stop(as, "its time is over");
  return std::nullopt;
}

Step prepare(const api::Migration& migration, const Seen& seen) {
  if (!seen.source || seen.source->leaving) {
    return steps::conclude(migration, seen, MoveResult::Stale, "the pod went by itself");
  }
  if (auto step = stopped(migration, seen, MoveResult::Refused)) return std::move(*step);
  if (!seen.target_problem.empty()) {
    return steps::conclude(migration, seen, MoveResult::Refused, seen.target_problem);
  }
  if (seen.workload->autoscaled) {
    return steps::conclude(migration, seen, MoveResult::Refused, "an autoscaler owns its number of replicas now");
  }
  if (!seen.workload->settled) return steps::wait();
  api::MigrationStatus status = entering(migration, Phase::Surging, "", seen.now);
  status.mutable_surge()->set_before(seen.workload->desired);
  status.mutable_surge()->set_during(seen.workload->desired + 1);
  note_known(status, seen);
  return steps::write(std::move(status));
}

Step surge(const api::Migration& migration, const Seen& seen, const MigrationSettings& settings) {
  const api::MigrationSurge& surge = migration.status().surge();
  const std::string& name = migration.metadata().name();
  if (!seen.source || seen.source->leaving) {
    return steps::conclude(migration, seen, MoveResult::Stale, "the pod went by itself");
  }
  if (auto step = stopped(migration, seen, MoveResult::Failed)) return std::move(*step);
  Step step;
  if (seen.source->mark != name) {
    step.what = Do::MarkPod;
    step.pod = *seen.source;
    return step;
  }
  const bool ours = seen.workload->mark == name && seen.workload->surged_to.has_value();
  if (!ours && surge.done()) {
    return steps::conclude(migration, seen, MoveResult::Failed,
                           "another client removed the move's annotation from the workload");
  }
  if (!ours && marked_by_another(migration, seen)) return steps::wait();
  if (!ours) {
    if (seen.workload->desired != surge.before()) return prepare(migration, seen);  // with the new number
    step.what = Do::MarkWorkload;
    step.replicas = surge.during();
    return step;
  }
  if (!surge.done()) {
    api::MigrationStatus status =
        noting(migration, "Surged", fmt::format("{} replicas instead of {}", surge.during(), surge.before()), seen.now);
    status.mutable_surge()->set_done(true);
    return steps::write(std::move(status));
  }
  if (seen.workload->desired != surge.during()) {
    return steps::conclude(
        migration, seen, MoveResult::Failed,
        fmt::format("another client set the replicas to {}; they stay at that", seen.workload->desired));
  }
  const SeenPod* replacement = replacement_in(migration, seen);
  if (replacement == nullptr) return steps::wait();
  if (auto follow = follow_replacement(migration, seen, *replacement, settings)) return std::move(*follow);
  if (!replacement->ready || replacement->node.empty()) return steps::wait();
  api::MigrationStatus status = entering(
      migration, Phase::Retiring, fmt::format("{} is ready on {}", replacement->name, replacement->node), seen.now);
  status.set_landed(replacement->node);
  return steps::write(std::move(status));
}

// The controller removes those that are not ready before the one that is marked.
bool all_ready(const Seen& seen) {
  return std::ranges::all_of(seen.pods, [](const SeenPod& pod) { return pod.ready || pod.leaving || pod.over; });
}

Step retire(const api::Migration& migration, const Seen& seen) {
  const api::MigrationSurge& surge = migration.status().surge();
  const std::string& landed = migration.status().landed();
  if (!seen.source || seen.source->leaving) {
    const bool reached = landed == migration.spec().target();
    return steps::conclude(
        migration, seen, reached ? MoveResult::Succeeded : MoveResult::Elsewhere,
        fmt::format("{} is ready{} on {}", migration.status().replacement(), reached ? "" : ", but", landed));
  }
  const auto stop = [&](MoveResult result, std::string why) {
    return steps::conclude(migration, seen, result, std::move(why));
  };
  if (!seen.workload || seen.workload->leaving) return stop(MoveResult::Stale, "the workload is gone");
  if (seen.refusal && seen.refusal->for_good) return stop(MoveResult::Failed, seen.refusal->message);
  const bool late = seen.now >= deadline_of(migration);
  const bool ours = seen.workload->mark == migration.metadata().name() && seen.workload->surged_to.has_value();
  if (ours) {
    if (seen.workload->desired != surge.during()) {
      return stop(MoveResult::Failed,
                  fmt::format("another client set the replicas to {}; they stay at that", seen.workload->desired));
    }
    if (!all_ready(seen) || !seen.workload->settled) {
      return late ? stop(MoveResult::Failed, "not all replicas were ready in time") : steps::wait();
    }
    Step step;
    step.what = Do::Retire;
    step.replicas = surge.before();
    return step;
  }
  const auto entered = to_wall(migration.status().steps(migration.status().steps_size() - 1).at());
  if (seen.now > entered + kPatience && late) return stop(MoveResult::Failed, "another pod was removed in its place");
  if (seen.now > entered + 2 * kPatience) return stop(MoveResult::Failed, "another pod was removed in its place");
  return steps::wait();
}

}  // namespace

Step next_make_before_break(const api::Migration& migration, const Seen& seen, const MigrationSettings& settings) {
  switch (phase_of(migration)) {
    case Phase::Surging: return surge(migration, seen, settings);
    case Phase::Retiring: return retire(migration, seen);
    default: return prepare(migration, seen);
  }
}

}  // namespace rescheduler::migration
