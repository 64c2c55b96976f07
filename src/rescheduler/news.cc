#include "rescheduler/news.h"

#include <fmt/core.h>

namespace rescheduler::rescheduling {
namespace {

using kube::EventRecord;
using kube::EventType;
using kube::ObjectRef;
using migration::MoveResult;

std::string version_of(const std::string& kind) {
  if (kind == "Deployment" || kind == "ReplicaSet" || kind == "StatefulSet" || kind == "DaemonSet") return "apps/v1";
  if (kind == "Job" || kind == "CronJob") return "batch/v1";
  return "v1";
}

ObjectRef node_ref(const std::string& name) {
  ObjectRef ref;
  ref.api_version = "v1";
  ref.kind = "Node";
  ref.name = name;
  ref.uid = name;  // as kubelets have it: whoever describes a node looks for this
  return ref;
}

}  // namespace

ObjectRef ref_to(const migration::Lineage& lineage) {
  ObjectRef ref;
  ref.api_version = version_of(lineage.kind);
  ref.kind = lineage.kind;
  ref.ns = lineage.ns;
  ref.name = lineage.name;
  ref.uid = lineage.uid;
  return ref;
}

std::vector<EventRecord> news_of(const migration::MoveOutcome& outcome) {
  const migration::MoveOrder& order = outcome.order;
  const bool done = outcome.result == MoveResult::Succeeded || outcome.result == MoveResult::Elsewhere;
  if (outcome.result == MoveResult::Stale) return {};  // nothing was done, and there is nobody to tell
  EventRecord record;
  record.type = done ? EventType::Normal : EventType::Warning;
  record.reason = done ? "Rescheduled" : "ReschedulingFailed";
  record.action = "Rescheduling";
  if (done) {
    record.note =
        fmt::format("{}/{} moved from {} to {}{}: {} ({})", order.ns, order.pod, order.source, outcome.landed,
                    outcome.result == MoveResult::Elsewhere ? fmt::format(" (meant for {})", order.target) : "",
                    order.reason, order.strategy);
  } else {
    record.note = fmt::format("{}/{} was not moved from {} to {}: {} ({})", order.ns, order.pod, order.source,
                              order.target, outcome.message, order.strategy);
  }
  std::vector<EventRecord> all;
  ObjectRef pod;
  pod.api_version = "v1";
  pod.kind = "Pod";
  pod.ns = order.ns;
  pod.name = order.pod;
  pod.uid = order.uid;
  record.regarding = pod;
  all.push_back(record);
  if (!order.lineage.kind.empty() && order.lineage.kind != "Pod") {
    record.regarding = ref_to(order.lineage);
    all.push_back(record);
  }
  record.regarding = node_ref(order.source);
  all.push_back(record);
  if (done && outcome.landed != order.source) {
    record.regarding = node_ref(outcome.landed);
    all.push_back(record);
  }
  return all;
}

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
