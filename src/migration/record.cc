#include "migration/record.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "kube/value/time.h"
#include "migration/keys.h"

namespace rescheduler::migration {
namespace {

constexpr std::array<std::string_view, 9> kPhases{"Pending",  "Preparing", "Evicting",    "Replacing", "Surging",
                                                  "Retiring", "Creating",  "RollingBack", "CleaningUp"};
constexpr std::array kResults{MoveResult::Succeeded, MoveResult::Elsewhere, MoveResult::Refused, MoveResult::Failed,
                              MoveResult::Stale};

void set_condition(api::MigrationStatus& status,
                   std::string_view type,
                   std::string_view value,
                   std::string_view reason,
                   std::string_view message,
                   WallTime now) {
  api::Condition* found = nullptr;
  for (api::Condition& condition : *status.mutable_conditions()) {
    if (condition.type() == type) found = &condition;
  }
  if (found == nullptr) {
    found = status.add_conditions();
    found->set_type(std::string(type));
  }
  if (found->status() != value) {
    found->mutable_last_transition_time()->set_seconds(
        std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count());
  }
  found->set_status(std::string(value));
  found->set_reason(std::string(reason));
  found->set_message(std::string(message));
}

}  // namespace

std::string_view to_string(Phase phase) {
  const auto index = static_cast<std::size_t>(phase);
  return index < kPhases.size() ? kPhases[index] : "Ended";
}

std::string_view name_of(MoveResult result) {
  switch (result) {
    case MoveResult::Succeeded: return "Succeeded";
    case MoveResult::Elsewhere: return "Elsewhere";
    case MoveResult::Refused: return "Refused";
    case MoveResult::Failed: return "Failed";
    case MoveResult::Stale: return "Stale";
  }
  return "";
}

Phase phase_of(const api::Migration& migration) {
  const std::string& text = migration.status().phase();
  if (text.empty()) return Phase::Pending;
  const auto found = std::ranges::find(kPhases, text);
  return found == kPhases.end() ? Phase::Ended : static_cast<Phase>(found - kPhases.begin());
}

MoveResult result_of(const api::Migration& migration) {
  const std::string& text = migration.status().result();
  for (const MoveResult result : kResults) {
    if (name_of(result) == text) return result;
  }
  return MoveResult::Failed;
}

MoveMode mode_of(std::string_view text) {
  for (const MoveMode mode : {MoveMode::Coordinated, MoveMode::MakeBeforeBreak, MoveMode::Direct}) {
    if (to_string(mode) == text) return mode;
  }
  return MoveMode::Automatic;
}

std::string migration_name(std::string_view pod, std::uint64_t unique) {
  constexpr std::size_t kRoom = 63 - 1 - 11;  // a label value; eleven base-36 digits hold any number of milliseconds
  std::string suffix;
  for (; unique > 0 && suffix.size() < 11; unique /= 36) suffix += "0123456789abcdefghijklmnopqrstuvwxyz"[unique % 36];
  std::string name(pod.substr(0, kRoom));
  while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.pop_back();
  return fmt::format("{}-{}", name, suffix.empty() ? "0" : suffix);
}

api::Migration to_migration(const MoveRequest& request, const std::string& name) {
  api::Migration made;
  made.mutable_metadata()->set_namespace_(request.ns);
  made.mutable_metadata()->set_name(name);
  api::MigrationSpec& spec = *made.mutable_spec();
  spec.set_pod(request.pod);
  spec.set_pod_uid(request.uid);
  if (!request.lineage.uid.empty()) {
    spec.mutable_lineage()->set_kind(request.lineage.kind);
    spec.mutable_lineage()->set_name(request.lineage.name);
    spec.mutable_lineage()->set_uid(request.lineage.uid);
  }
  if (!request.source.empty()) spec.set_source(request.source);
  spec.set_target(request.target);
  spec.set_strategy(request.strategy);
  spec.set_reason(request.reason);
  spec.set_mode(std::string(to_string(request.mode)));
  spec.set_deadline_seconds(std::max<std::int64_t>(1, request.deadline.count()));
  if (!request.plan.empty()) spec.set_plan(request.plan);
  if (!request.predicted.empty()) spec.set_predicted(request.predicted);
  return made;
}

MoveRequest to_move_request(const api::Migration& migration) {
  const api::MigrationSpec& spec = migration.spec();
  MoveRequest request;
  request.ns = migration.metadata().namespace_();
  request.pod = spec.pod();
  request.uid = spec.pod_uid();
  // The observed workload takes precedence over the lineage in the request.
  const api::MigrationOwner& owner = migration.status().has_workload() ? migration.status().workload() : spec.lineage();
  request.lineage = {owner.kind(), request.ns, owner.name(), owner.uid()};
  request.source = source_of(migration);
  request.target = spec.target();
  request.strategy = spec.strategy();
  request.reason = spec.reason();
  request.mode = mode_of(migration.status().has_mode() ? migration.status().mode() : spec.mode());
  request.plan = spec.plan();
  if (spec.has_deadline_seconds()) request.deadline = std::chrono::seconds{spec.deadline_seconds()};
  request.predicted = spec.predicted();
  return request;
}

MoveOutcome to_outcome(const api::Migration& migration) {
  const api::MigrationStatus& status = migration.status();
  MoveOutcome outcome;
  outcome.request = to_move_request(migration);
  outcome.result = result_of(migration);
  outcome.replacement = status.replacement();
  outcome.landed = status.landed();
  outcome.message = status.message();
  outcome.began = status.has_started() ? kube::wall_time(status.started())
                                       : kube::wall_time(migration.metadata().creation_timestamp());
  outcome.ended = kube::wall_time(status.finished());
  return outcome;
}

MoveOutcome outcome_without_record(const MoveRequest& request, const std::string& why, WallTime now) {
  MoveOutcome outcome;
  outcome.request = request;
  outcome.result = MoveResult::Refused;
  outcome.message = "the record of the migration could not be written: " + why;
  outcome.began = outcome.ended = now;
  return outcome;
}

std::string key_of(const api::Migration& migration) {
  return migration.metadata().namespace_() + "/" + migration.metadata().name();
}

const std::string& source_of(const api::Migration& migration) {
  return migration.spec().source().empty() ? migration.status().source() : migration.spec().source();
}

WallTime deadline_of(const api::Migration& migration) {
  const std::int64_t seconds =
      migration.spec().has_deadline_seconds() ? migration.spec().deadline_seconds() : MoveRequest{}.deadline.count();
  // One year is the maximum; larger values would overflow.
  constexpr std::int64_t kMost = std::int64_t{365} * 24 * 3600;
  const WallTime from = migration.status().has_started() ? kube::wall_time(migration.status().started())
                                                         : kube::wall_time(migration.metadata().creation_timestamp());
  return from + std::chrono::seconds{std::min(seconds, kMost)};
}

api::MigrationStatus noting(const api::Migration& migration, std::string step, std::string message, WallTime now) {
  api::MigrationStatus status = migration.status();
  // Users read the record and etcd stores it, so the number of steps is limited.
  constexpr int kMostSteps = 40;
  if (status.steps_size() < kMostSteps) {
    api::MigrationStep& added = *status.add_steps();
    added.set_name(std::move(step));
    kube::set_time(*added.mutable_at(), now);
    if (!message.empty()) added.set_message(message);
  }
  if (!message.empty()) status.set_message(std::move(message));
  return status;
}

api::MigrationStatus entering(const api::Migration& migration, Phase phase, std::string message, WallTime now) {
  api::MigrationStatus status = noting(migration, std::string(to_string(phase)), message, now);
  status.set_phase(std::string(to_string(phase)));
  set_condition(status, "Progressing", "True", to_string(phase), message, now);
  return status;
}

api::MigrationStatus concluded_status(const api::Migration& migration,
                                      MoveResult result,
                                      std::string message,
                                      WallTime now) {
  api::MigrationStatus status = entering(migration, Phase::CleaningUp, message, now);
  status.set_result(std::string(name_of(result)));
  status.set_message(std::move(message));
  return status;
}

api::MigrationStatus ended(const api::Migration& migration, MoveResult result, std::string message, WallTime now) {
  const std::string name(name_of(result));
  api::MigrationStatus status = noting(migration, name, message, now);
  status.set_phase(name);
  status.set_result(name);
  kube::set_time(*status.mutable_finished(), now);
  set_condition(status, "Progressing", "False", name, message, now);
  set_condition(status, "Complete", has_moved(result) ? "True" : "False", name, message, now);
  return status;
}

}  // namespace rescheduler::migration
