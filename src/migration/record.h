// A Migration read and written: phases, orders, steps.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "migration/migrator.h"
#include "migration/proto/migration.pb.h"

namespace rescheduler::migration {

//                        .--> Evicting --> Replacing --.
//   Pending -> Preparing +--> Surging ---> Retiring ---+--> CleaningUp -> Succeeded | Elsewhere | Refused | Failed |
//   Stale
//                        '--> Creating --> Retiring ---'
//                             (or Retiring -> Creating [-> RollingBack], where two copies may not live)
// From every phase before CleaningUp there is a way straight to it.
enum class Phase : std::uint8_t {
  Pending,
  Preparing,
  Evicting,
  Replacing,
  Surging,
  Retiring,
  Creating,
  RollingBack,
  CleaningUp,
  Ended,  // in one of the results
};
std::string_view to_string(Phase phase);
Phase phase_of(const api::Migration& migration);
inline bool has_ended(const api::Migration& migration) { return phase_of(migration) == Phase::Ended; }

std::string_view name_of(MoveResult result);  // "Succeeded", as a phase
MoveResult result_of(const api::Migration& migration);
MoveMode mode_of(std::string_view text);  // Automatic when it is nothing known

api::Migration to_migration(const MoveRequest& request, const std::string& name);
MoveRequest to_move_request(const api::Migration& migration);
MoveOutcome to_outcome(const api::Migration& migration);
// Fits into a label: of the pod's name as much as there is room for, and what makes it unique.
std::string migration_name(std::string_view pod, std::uint64_t unique);

std::string key_of(const api::Migration& migration);  // ns/name
WallTime deadline_of(const api::Migration& migration);

WallTime to_wall(const api::MicroTime& time);
WallTime to_wall(const api::Time& time);
void set_time(api::MicroTime& into, WallTime time);

// The status with the next phase, a step that says so, and the conditions that follow from it.
api::MigrationStatus entering(const api::Migration& migration, Phase phase, std::string message, WallTime now);
// The same without another phase: something was learnt.
api::MigrationStatus noting(const api::Migration& migration, std::string step, std::string message, WallTime now);
// To CleaningUp, with what has come of it.
api::MigrationStatus concluding(const api::Migration& migration, MoveResult result, std::string message, WallTime now);
// From CleaningUp to the end, or straight from Pending.
api::MigrationStatus ended(const api::Migration& migration, MoveResult result, std::string message, WallTime now);

}  // namespace rescheduler::migration
