#include "rescheduling/loop/node_activity.h"

namespace rescheduler::rescheduling {
namespace {

using kube::EventRecord;
using kube::EventType;
using kube::ObjectRef;

ObjectRef node_ref(const std::string& name) {
  ObjectRef ref;
  ref.api_version = "v1";
  ref.kind = "Node";
  ref.name = name;
  ref.uid = name;  // as kubelets set it: `kubectl describe node` searches for this uid
  return ref;
}

}  // namespace

EventRecord event_of(const NodeActivity& activity) {
  EventRecord record;
  record.regarding = node_ref(activity.node);
  record.type = activity.warning ? EventType::Warning : EventType::Normal;
  record.reason = activity.reason;
  record.action = "Maintenance";
  record.note = activity.note;
  return record;
}

}  // namespace rescheduler::rescheduling
