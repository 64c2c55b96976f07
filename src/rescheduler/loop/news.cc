#include "rescheduler/loop/news.h"

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
  ref.uid = name;  // as kubelets have it: whoever describes a node looks for this
  return ref;
}

}  // namespace

EventRecord news_of(const NodeNews& news) {
  EventRecord record;
  record.regarding = node_ref(news.node);
  record.type = news.warning ? EventType::Warning : EventType::Normal;
  record.reason = news.reason;
  record.action = "Maintenance";
  record.note = news.note;
  return record;
}

}  // namespace rescheduler::rescheduling
