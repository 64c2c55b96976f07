// What a move did to its two nodes: how busy they were before it, and how busy they are once it shows. Stands in the
// record as it becomes known, so that whoever leads by then says the rest.
//
//   Preparing: {"load":{"source":{"node":"a","before":{"cpu":0.81}},"target":{...}}}
//   at its end: with "seconds" and "unavailableReplicaSeconds"; after `settle`: with "after" beside each "before".
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "migration/record.h"

namespace rescheduler::migration {

// How busy a node is, as a JSON object of shares by resource; empty: nobody knows.
using NodeMeter = std::function<std::string(const std::string& node)>;

// Empty: nobody knows.
std::string measured_before(const api::Migration& migration, const NodeMeter& meter);
// With what was measured before.
std::string measured_at_end(const api::Migration& migration);
// Puts what is known into a status that is about to be written: either of these, when it is time for it.
void note_measured(const api::Migration& migration, const NodeMeter& meter, api::MigrationStatus& status);
// Nothing: it is not due, it has been said, or nobody knows.
std::optional<std::string> measured_after(const api::Migration& migration,
                                          const NodeMeter& meter,
                                          std::chrono::nanoseconds settle,
                                          WallTime now);

}  // namespace rescheduler::migration
