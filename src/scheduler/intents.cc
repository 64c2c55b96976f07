#include "scheduler/intents.h"

#include <algorithm>

#include "cluster/objects/pods.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::scheduler {

void Intents::set(const std::vector<Intent>& intents) {
  std::map<std::string, Held> next;
  for (const Intent& intent : intents) {
    auto selector = kube::LabelSelector::parse(intent.selector);
    if (!selector || selector->is_everything()) continue;  // an empty selector would match the pods of every workload
    std::string taken_by;
    if (const auto before = intents_.find(intent.id); before != intents_.end()) taken_by = before->second.taken_by;
    next.emplace(intent.id, Held{intent, std::move(*selector), std::move(taken_by)});
  }
  intents_ = std::move(next);
}

const std::string& Intents::uid_of(const api::Pod& pod) { return pod.metadata().uid(); }

// Prefers an intent that this pod has taken, then a free intent, then any match. The caller checks whether the pod that
// took the intent still exists.
Intents::Held* Intents::find(const api::Pod& pod) {
  const auto& meta = pod.metadata();
  if (cluster::controller_of(meta) == nullptr) return nullptr;
  Held* best = nullptr;
  for (auto& [id, held] : intents_) {
    if (held.intent.ns != meta.namespace_()) continue;
    if (!held.intent.pod.empty() && held.intent.pod != meta.name()) continue;
    if (!held.selector.matches(meta.labels())) continue;
    if (held.taken_by == meta.uid()) return &held;
    if (best == nullptr || (!best->taken_by.empty() && held.taken_by.empty())) best = &held;
  }
  return best;
}

}  // namespace rescheduler::scheduler
