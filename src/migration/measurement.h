// The effect of a move on its two nodes: their load before the move, and after the load samples include it. The values
// are written to the record as they become known, so that a new leader can add the rest.
//
//   Preparing: {"load":{"source":{"node":"a","before":{"cpu":0.81}},"target":{...}}}
//   at the end: also "seconds" and "unavailableReplicaSeconds"; after `settle`: also "after" beside each "before".
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "migration/record.h"

namespace rescheduler::migration {

// The load of a node, as a JSON object of shares by resource; empty: unknown.
using NodeMeter = std::function<std::string(const std::string& node)>;

// Empty: unknown.
std::string measured_before(const api::Migration& migration, const NodeMeter& meter);
// Adds the end values to the values of measured_before().
std::string measured_at_end(const api::Migration& migration);
// Adds the measurement to a status before it is written: measured_before() in Preparing, measured_at_end() at the end.
void note_measured(const api::Migration& migration, const NodeMeter& meter, api::MigrationStatus& status);
// Adds the load after the move. Nullopt: the pod was not moved, the time is too early or too late, the values are
// written already, or the load is unknown.
std::optional<std::string> measured_after(const api::Migration& migration,
                                          const NodeMeter& meter,
                                          std::chrono::nanoseconds settle,
                                          WallTime now);

}  // namespace rescheduler::migration
