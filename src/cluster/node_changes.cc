#include "cluster/node_changes.h"

namespace rescheduler::cluster {

Changes changes_between(const Node& before, const Node& after) {
  Changes changes;
  if (before.allocatable != after.allocatable || before.allowed_pods != after.allowed_pods) {
    changes.add(Change::NodeAllocatable);
  }
  if (before.labels != after.labels) changes.add(Change::NodeLabel);
  if (before.taints != after.taints || (before.unschedulable && !after.unschedulable)) changes.add(Change::NodeTaint);
  if (before.conditions != after.conditions) changes.add(Change::NodeCondition);
  if (before.annotations_hash != after.annotations_hash) changes.add(Change::NodeAnnotation);
  if (before.features != after.features) changes.add(Change::NodeFeature);
  return changes;
}

Changes changes_between(const PlacedPod& before, const PlacedPod& after) {
  Changes changes;
  if (before.labels != after.labels) changes.add(Change::PodLabel);
  const Amounts& had = before.form->needs->requests.plain;
  const Amounts& has = after.form->needs->requests.plain;
  if (has.falls_short_of(had)) changes.add(Change::PodScaleDown);
  if (had.falls_short_of(has)) changes.add(Change::PodScaleUp);
  return changes;
}

}  // namespace rescheduler::cluster
