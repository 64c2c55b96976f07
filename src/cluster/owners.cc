#include "cluster/owners.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "cluster/interner.h"
#include "cluster/objects/pods.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/value/wire_selectors.h"

namespace rescheduler::cluster {
namespace {

std::string key_of(std::string_view kind, std::string_view ns, std::string_view name) {
  return fmt::format("{}/{}/{}", kind, ns, name);
}

std::string_view group_of(std::string_view api_version) {
  const auto slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view{} : api_version.substr(0, slash);
}

// "v1 ReplicationController", "apps ReplicaSet", "apps StatefulSet"; other owners are ignored.
bool is_known_owner(const api::OwnerReference& owner) {
  const auto group = group_of(owner.api_version());
  if (owner.kind() == "ReplicationController") return group.empty();
  return group == "apps" && (owner.kind() == "ReplicaSet" || owner.kind() == "StatefulSet");
}

bool selects(const std::vector<std::pair<std::string, std::string>>& selector, const WireLabels& labels) {
  return std::ranges::all_of(selector, [&](const auto& wanted) {
    const auto found = labels.find(wanted.first);
    return found != labels.end() && found->second == wanted.second;
  });
}

}  // namespace

void Owners::upsert_service(std::string_view ns, std::string_view name, const WireLabels& selector) {
  remove_service(ns, name);
  if (selector.empty()) return;  // such a service does not select pods by labels
  Service service{std::string(name), {selector.begin(), selector.end()}};
  services_.write()[std::string(ns)].push_back(std::move(service));
}

void Owners::remove_service(std::string_view ns, std::string_view name) {
  if (!services_->contains(std::string(ns))) return;
  auto& services = services_.write();
  const auto known = services.find(std::string(ns));
  std::erase_if(known->second, [&](const Service& service) { return service.name == name; });
  if (known->second.empty()) services.erase(known);
}

void Owners::upsert_workload(std::string_view kind,
                             std::string_view ns,
                             std::string_view name,
                             const api::LabelSelector& selector) {
  auto compiled = kube::compile_selector(selector);
  workloads_.write().insert_or_assign(key_of(kind, ns, name),
                                      compiled ? std::move(*compiled) : kube::LabelSelector::nothing());
}

void Owners::upsert_replication_controller(std::string_view ns, std::string_view name, const WireLabels& selector) {
  std::vector<kube::Requirement> requirements;
  for (const auto& [key, value] : selector) {
    if (auto one = kube::Requirement::make(key, kube::SelectorOp::Equals, {value}))
      requirements.push_back(std::move(*one));
  }
  workloads_.write().insert_or_assign(key_of("ReplicationController", ns, name),
                                      kube::LabelSelector::all_of(std::move(requirements)));
}

void Owners::remove_workload(std::string_view kind, std::string_view ns, std::string_view name) {
  workloads_.write().erase(key_of(kind, ns, name));
}

std::optional<SelectorId> Owners::siblings_of(const api::Pod& pod) const {
  const auto& meta = pod.metadata();
  std::map<std::string, std::string> merged;
  if (const auto known = services_->find(meta.namespace_()); known != services_->end()) {
    for (const Service& service : known->second) {
      if (!selects(service.selector, meta.labels())) continue;
      for (const auto& [key, value] : service.selector) merged[key] = value;
    }
  }
  std::vector<kube::Requirement> requirements;
  for (const auto& [key, value] : merged) {
    if (auto one = kube::Requirement::make(key, kube::SelectorOp::Equals, {value}))
      requirements.push_back(std::move(*one));
  }
  const api::OwnerReference* owner = controller_of(meta);
  if (owner != nullptr && is_known_owner(*owner)) {
    const auto known = workloads_->find(key_of(owner->kind(), meta.namespace_(), owner->name()));
    if (known != workloads_->end()) {
      const auto own = known->second.requirements();
      requirements.insert(requirements.end(), own.begin(), own.end());
    }
  }
  if (requirements.empty()) return std::nullopt;
  return interner_.selectors.intern(kube::LabelSelector::all_of(std::move(requirements)));
}

}  // namespace rescheduler::cluster
