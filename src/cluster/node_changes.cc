#include "cluster/node_changes.h"

namespace rescheduler::cluster {

ActionTypes changes_between(const Node& before, const Node& after) {
  ActionTypes changes;
  if (before.allocatable != after.allocatable || before.allowed_pods != after.allowed_pods) {
    changes.add(ActionType::NodeAllocatable);
  }
  if (before.labels != after.labels) changes.add(ActionType::NodeLabel);
  if (before.taints != after.taints || (before.unschedulable && !after.unschedulable))
    changes.add(ActionType::NodeTaint);
  if (before.conditions != after.conditions) changes.add(ActionType::NodeCondition);
  if (before.annotations_hash != after.annotations_hash) changes.add(ActionType::NodeAnnotation);
  if (before.features != after.features) changes.add(ActionType::NodeFeature);
  return changes;
}

ActionTypes changes_between(const AssignedPod& before, const AssignedPod& after) {
  ActionTypes changes;
  if (before.labels != after.labels) changes.add(ActionType::PodLabel);
  const ResourceList& had = before.compiled_spec->requirements->requests.plain;
  const ResourceList& has = after.compiled_spec->requirements->requests.plain;
  if (has.falls_short_of(had)) changes.add(ActionType::PodScaleDown);
  if (had.falls_short_of(has)) changes.add(ActionType::PodScaleUp);
  return changes;
}

}  // namespace rescheduler::cluster
