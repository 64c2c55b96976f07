// Who owns what after a write: the rules of managed fields, apart from where the objects come from.
#pragma once

#include <vector>

#include <boost/json/fwd.hpp>

#include "sim/patch/managed_fields.h"
#include "sim/patch/place.h"
#include "sim/patch/typed_sets.h"

namespace rescheduler::sim {

// What nobody owns: the object's type, and the metadata that the server alone writes.
const FieldSet& never_owned();

struct OwnershipConflict {
  FieldManager manager;
  FieldPath path;
};
// The fields that managers other than `writer` own and that the write sets to something else.
std::vector<OwnershipConflict> conflicts(const ManagedFields& managed,
                                         const FieldManager& writer,
                                         const Differences& changes);

// Fields that changed or went are taken from every manager but `writer` (null: from all); who has none left goes.
void take_away(ManagedFields& managed, const FieldManager* writer, const Differences& changes);

// The merged object without what `applier` applied the last time, does not apply now, and nobody else owns.
// `managed` holds already what it owns now.
boost::json::value pruned(const boost::json::value& merged,
                          const ManagedFields& managed,
                          const FieldSet& last_applied,
                          const Place& place);

// Kubernetes keeps ten updaters apart; the oldest beyond that share one name.
void cap_updaters(ManagedFields& managed);

}  // namespace rescheduler::sim
