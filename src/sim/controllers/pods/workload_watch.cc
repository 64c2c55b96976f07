#include "sim/controllers/pods/workload_watch.h"

#include "kube/codec/metadata.h"
#include "kube/proto/meta.pb.h"
#include "sim/server/conditions.h"

namespace rescheduler::sim {

WorkloadWatch::WorkloadWatch(Server& server,
                             PodIndex* pods,
                             const Kind& kind,
                             SelectorOf selector_of_workload,
                             Wake wake)
    : kind_(kind), selector_of_workload_(selector_of_workload), wake_(std::move(wake)) {
  server.store().for_each(kind, "", "", [this](const VersionPtr& version) {
    on_workload(Change{version->number(), Change::What::Added, nullptr, version});
    return true;
  });
  workload_changes_ = server.store().subscribe(&kind, [this](const Change& change) { on_workload(change); });
  if (pods == nullptr) return;
  pod_changes_ = pods->subscribe([this](const PodView* before, const PodView* after) { on_pod(before, after); });
}

const kube::LabelSelector* WorkloadWatch::selector(std::string_view ns, std::string_view name) const {
  const auto space = selectors_.find(ns);
  if (space == selectors_.end()) return nullptr;
  const auto found = space->second.find(name);
  return found == space->second.end() ? nullptr : &found->second;
}

void WorkloadWatch::on_workload(const Change& change) {
  const auto object = change.after->object();
  const api::ObjectMeta& metadata = kube::metadata_of(*object);
  Names& names = selectors_[metadata.namespace_()];
  if (change.what == Change::What::Deleted) {
    names.erase(metadata.name());
    if (names.empty()) selectors_.erase(metadata.namespace_());
  } else {
    names.insert_or_assign(metadata.name(), selector_from(selector_of_workload_(*object)));
  }
  wake_(metadata.namespace_() + "/" + metadata.name());
}

void WorkloadWatch::on_pod(const PodView* before, const PodView* after) {
  const auto wake_owner = [this](const PodView& pod) {
    if (pod.owned_by(kind_.kind)) wake_(std::string(pod.ns()) + "/" + pod.owner()->name);
  };
  if (before != nullptr && (after == nullptr || after->owner_uid() != before->owner_uid())) wake_owner(*before);
  if (after == nullptr) return;
  wake_owner(*after);
  if (after->owner() != nullptr) return;
  const bool relevant = before == nullptr || before->owner() != nullptr || &before->labels() != &after->labels();
  if (!relevant) return;
  for (const std::string& name : selecting(after->ns(), after->labels())) wake_(std::string(after->ns()) + "/" + name);
}

std::vector<std::string> WorkloadWatch::selecting(std::string_view ns, const LabelSet& labels) const {
  std::vector<std::string> names;
  const auto space = selectors_.find(ns);
  if (space == selectors_.end()) return names;
  for (const auto& [name, selector] : space->second) {
    if (selector.matches(labels.lookup())) names.push_back(name);
  }
  return names;
}

}  // namespace rescheduler::sim
