// Reads and writes a Migration: phases, requests, steps.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "migration/migrator.h"
#include "migration/proto/migration.pb.h"

namespace rescheduler::migration {

//                        .--> Evicting --> Replacing --.
//   Pending -> Preparing +--> Surging ---> Retiring ---+--> CleaningUp -> Ended
//                        '--> Creating --> Retiring ---'
//                             (or Retiring -> Creating [-> RollingBack] if two instances must not run at once)
// In the object Ended is the result: Succeeded, Elsewhere, Refused, Failed or Stale.
// Pending can end directly. From every phase between Pending and CleaningUp there is a transition to CleaningUp.
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
  Ended,  // with one of the results
};
std::string_view to_string(Phase phase);
Phase phase_of(const api::Migration& migration);
inline bool has_ended(const api::Migration& migration) { return phase_of(migration) == Phase::Ended; }

std::string_view name_of(MoveResult result);  // "Succeeded", as a phase
MoveResult result_of(const api::Migration& migration);
MoveMode mode_of(std::string_view text);  // Automatic if the text is unknown

api::Migration to_migration(const MoveRequest& request, const std::string& name);
MoveRequest to_move_request(const api::Migration& migration);
MoveOutcome to_outcome(const api::Migration& migration);
// Of a move whose Migration could not be created.
MoveOutcome outcome_without_record(const MoveRequest& request, const std::string& why, WallTime now);
// Fits into a label value: a prefix of the pod's name, and a unique suffix.
std::string migration_name(std::string_view pod, std::uint64_t unique);

std::string key_of(const api::Migration& migration);  // ns/name
// The node of the pod before the move. A request can omit it; then it is known once the move has begun.
const std::string& source_of(const api::Migration& migration);
WallTime deadline_of(const api::Migration& migration);

// The status in the next phase, with a step entry and the conditions of the phase.
api::MigrationStatus entering(const api::Migration& migration, Phase phase, std::string message, WallTime now);
// The status in the same phase, with a step entry for new information.
api::MigrationStatus noting(const api::Migration& migration, std::string step, std::string message, WallTime now);
// The status in CleaningUp, with the result.
api::MigrationStatus concluded_status(const api::Migration& migration,
                                      MoveResult result,
                                      std::string message,
                                      WallTime now);
// The final status, from CleaningUp or directly from Pending.
api::MigrationStatus ended(const api::Migration& migration, MoveResult result, std::string message, WallTime now);

}  // namespace rescheduler::migration
