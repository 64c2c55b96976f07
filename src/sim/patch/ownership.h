// The rules of managed fields: which manager owns which fields after a write.
#pragma once

#include <vector>

#include <boost/json/fwd.hpp>

#include "sim/patch/managed_fields.h"
#include "sim/patch/place.h"
#include "sim/patch/typed_sets.h"

namespace rescheduler::sim {

// Fields without an owner: the object's type, and the metadata that only the server writes.
const FieldSet& never_owned();

struct OwnershipConflict {
  FieldManager manager;
  FieldPath path;
};
// Fields that other managers than `writer` own and that the write changes.
std::vector<OwnershipConflict> conflicts(const ManagedFields& managed,
                                         const FieldManager& writer,
                                         const Differences& changes);

// Removes changed and removed fields from every manager except `writer` (null: from all). A manager without fields is
// removed.
void take_away(ManagedFields& managed, const FieldManager* writer, const Differences& changes);

// The merged object without the fields that an applier applied last time and does not apply now, and that no other
// manager owns. `managed` already has the new fields of the applier; `last_applied` has the old ones.
boost::json::value pruned(const boost::json::value& merged,
                          const ManagedFields& managed,
                          const FieldSet& last_applied,
                          const Place& place);

// If there are more than ten entries of updaters, merges the oldest ones of each version under one name, as in
// Kubernetes.
void cap_updaters(ManagedFields& managed);

}  // namespace rescheduler::sim
