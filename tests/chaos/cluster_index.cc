#include "chaos/cluster_index.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "kube/proto/apps.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/policy.pb.h"
#include "kube/value/int_or_string.h"
#include "kube/value/quantity.h"
#include "kube/value/wire_selectors.h"

namespace rescheduler::test {
namespace {

template <class Map>
std::string value_of(const Map& map, const std::string& key) {
  const auto found = map.find(key);
  return found == map.end() ? std::string() : found->second;
}

std::int64_t amount_of(const api::Quantity& quantity) {
  const auto parsed = kube::Quantity::parse(quantity.string());
  return parsed ? static_cast<std::int64_t>(std::llround(parsed->to_double() * 1000)) : 0;
}

template <class Conditions>
bool is_true(const Conditions& conditions, std::string_view type) {
  return std::ranges::any_of(conditions, [&](const auto& one) { return one.type() == type && one.status() == "True"; });
}

std::int64_t scaled(const api::IntOrString& value, int of) {
  const auto amount = value.type() == 0 ? kube::IntOrString::from_int(value.int_val())
                                        : kube::IntOrString::from_string(value.str_val());
  const auto share = amount.scaled(of, kube::IntOrString::Rounding::Up);
  return share ? *share : of;
}

template <class T>
WorkloadFacts workload_facts(const T& object, std::string kind) {
  return {std::move(kind), object.spec().has_replicas() ? object.spec().replicas() : 1};
}

}  // namespace

void add(ResourceAmounts& to, const ResourceAmounts& more) {
  for (const auto& [resource, amount] : more) to[resource] += amount;
}

PodFacts facts_of(const api::Pod& pod) {
  PodFacts facts;
  facts.name = pod.metadata().name();
  facts.uid = pod.metadata().uid();
  facts.app = value_of(pod.metadata().labels(), "app");
  facts.node = pod.spec().node_name();
  facts.revision = value_of(pod.metadata().labels(), "pod-template-hash");
  if (facts.revision.empty()) facts.revision = value_of(pod.metadata().labels(), "controller-revision-hash");
  facts.requests["pods"] = 1000;
  for (const auto& container : pod.spec().containers()) {
    for (const auto& [resource, amount] : container.resources().requests()) {
      facts.requests[resource] += amount_of(amount);
    }
  }
  facts.bare =
      std::ranges::none_of(pod.metadata().owner_references(), [](const auto& one) { return one.controller(); });
  facts.ready = is_true(pod.status().conditions(), "Ready");
  facts.leaving = pod.metadata().has_deletion_timestamp();
  facts.finished = pod.status().phase() == "Succeeded" || pod.status().phase() == "Failed";
  facts.evicted = std::ranges::any_of(pod.status().conditions(), [](const auto& one) {
    return one.type() == "DisruptionTarget" && one.reason() == "EvictionByEvictionAPI" && one.status() == "True";
  });
  return facts;
}

void ClusterIndex::apply(const sim::Change& change) {
  const sim::Kind* kind = &change.kind();
  const auto is = [&]<class T>(const T*) { return kind == &server_.kinds().of<T>(); };
  const bool gone = change.what == sim::Change::What::Deleted;
  if (is(static_cast<const api::Pod*>(nullptr))) pod_changed(*change.after->as<api::Pod>(), gone);
  if (is(static_cast<const api::Node*>(nullptr))) node_changed(*change.after->as<api::Node>());
  if (is(static_cast<const api::Deployment*>(nullptr))) {
    const auto object = change.after->as<api::Deployment>();
    workloads_[object->metadata().name()] = workload_facts(*object, "Deployment");
  }
  if (is(static_cast<const api::StatefulSet*>(nullptr))) {
    const auto object = change.after->as<api::StatefulSet>();
    workloads_[object->metadata().name()] = workload_facts(*object, "StatefulSet");
  }
}

void ClusterIndex::pod_changed(const api::Pod& pod, bool gone) {
  if (gone) {
    pods_.erase(pod.metadata().uid());
    return;
  }
  PodFacts facts = facts_of(pod);
  if (facts.bare) workloads_.try_emplace(facts.app, WorkloadFacts{"Pod", 1});
  pods_.insert_or_assign(facts.uid, std::move(facts));
}

void ClusterIndex::node_changed(const api::Node& node) {
  NodeFacts& facts = nodes_[node.metadata().name()];
  facts.allocatable.clear();
  for (const auto& [resource, amount] : node.status().allocatable()) facts.allocatable[resource] = amount_of(amount);
  const auto since = [this](std::optional<WallTime>& when, bool so) {
    if (!so) when.reset();
    if (so && !when) when = server_.agenda().wall_now();
  };
  since(facts.cordoned, node.spec().unschedulable());
  since(facts.unready, !is_true(node.status().conditions(), "Ready"));
}

const PodFacts* ClusterIndex::pod(const std::string& uid) const {
  const auto found = pods_.find(uid);
  return found == pods_.end() ? nullptr : &found->second;
}

const WorkloadFacts* ClusterIndex::workload(const std::string& app) const {
  const auto found = workloads_.find(app);
  return found == workloads_.end() ? nullptr : &found->second;
}

const NodeFacts* ClusterIndex::node(const std::string& name) const {
  const auto found = nodes_.find(name);
  return found == nodes_.end() ? nullptr : &found->second;
}

Replicas ClusterIndex::replicas(const std::string& app) const {
  Replicas replicas;
  std::set<std::string> revisions;
  for (const auto& [uid, pod] : pods_) {
    if (pod.app != app) continue;
    if (pod.present()) ++replicas.present;
    if (pod.present()) revisions.insert(pod.revision);
    if (pod.available()) ++replicas.available;
  }
  replicas.one_revision = revisions.size() <= 1;
  return replicas;
}

std::vector<std::string> ClusterIndex::bare_apps() const {
  std::vector<std::string> apps;
  for (const auto& [app, facts] : workloads_) {
    if (facts.kind == "Pod") apps.push_back(app);
  }
  return apps;
}

std::map<std::string, int> ClusterIndex::budgets(const std::string& app) const {
  std::map<std::string, int> found;
  const WorkloadFacts* facts = workload(app);
  if (facts == nullptr) return found;
  const std::map<std::string, std::string, std::less<>> labels{{"app", app}};
  server_.store().for_each(server_.kinds().of<api::PodDisruptionBudget>(), "", "", [&](const sim::VersionPtr& version) {
    const auto budget = version->as<api::PodDisruptionBudget>();
    const auto selector = kube::compile_selector(budget->spec().selector());
    if (!budget->spec().has_selector() || !selector || !selector->matches(labels)) return true;
    const api::PodDisruptionBudgetSpec& spec = budget->spec();
    const std::int64_t least = spec.has_max_unavailable()
                                   ? facts->desired - scaled(spec.max_unavailable(), facts->desired)
                                   : scaled(spec.min_available(), facts->desired);
    found[budget->metadata().name()] = static_cast<int>(std::max<std::int64_t>(0, least));
    return true;
  });
  return found;
}

ResourceAmounts ClusterIndex::requested(const std::string& node) const {
  ResourceAmounts sum;
  for (const auto& [uid, pod] : pods_) {
    if (pod.node == node && !pod.finished) add(sum, pod.requests);
  }
  return sum;
}

bool ClusterIndex::fits(const std::string& name, const ResourceAmounts& more) const {
  const NodeFacts* facts = node(name);
  if (facts == nullptr) return false;
  ResourceAmounts sum = requested(name);
  add(sum, more);
  return std::ranges::all_of(sum, [&](const auto& one) {
    const auto has = facts->allocatable.find(one.first);
    return has != facts->allocatable.end() && one.second <= has->second;
  });
}

}  // namespace rescheduler::test
