#include "dashboard/cluster_view.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <fmt/format.h>

#include "base/check.h"
#include "cluster/labels.h"
#include "cluster/objects/annotations.h"
#include "cluster/objects/nodes.h"
#include "cluster/objects/pods.h"
#include "cluster/pod_requests.h"
#include "kube/codec/json_words.h"
#include "kube/codec/protobuf.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/value/quantity.h"
#include "kube/value/time.h"
#include "rescheduling/recovery/attribution.h"

namespace rescheduler::dashboard {
namespace {

std::size_t hash_of(std::string_view uid) { return std::hash<std::string_view>{}(uid); }

using rescheduling::recovery::NodeQuarantine;

// Labels that name the node group: first the usual labels that users set, then those of cloud providers and Karpenter.
constexpr std::array kPoolLabels = {"rescheduler.io/pool",
                                    "node-pool",
                                    "nodepool",
                                    "pool",
                                    "cloud.google.com/gke-nodepool",
                                    "eks.amazonaws.com/nodegroup",
                                    "kubernetes.azure.com/agentpool",
                                    "karpenter.sh/nodepool"};

// Reasons for which a container waits because of an error. To wait for another reason (ContainerCreating) is normal.
constexpr std::array<std::string_view, 8> kTroubles = {
    "CrashLoopBackOff",     "ImagePullBackOff",           "ErrImagePull",      "InvalidImageName",
    "CreateContainerError", "CreateContainerConfigError", "RunContainerError", "OOMKilled"};

bool is_trouble(std::string_view reason) { return std::ranges::find(kTroubles, reason) != kTroubles.end(); }

// The reason why a container does not run, else the phase.
std::string phase_of(const api::Pod& pod) {
  if (pod.metadata().has_deletion_timestamp()) return "Terminating";
  for (const auto* statuses : {&pod.status().init_container_statuses(), &pod.status().container_statuses()}) {
    for (const api::ContainerStatus& status : *statuses) {
      const std::string& reason = status.state().waiting().reason();
      if (is_trouble(reason)) return reason;
    }
  }
  if (!pod.status().reason().empty() && pod.status().phase() == "Failed") return pod.status().reason();
  return pod.status().phase().empty() ? "Pending" : pod.status().phase();
}

QuarantineView quarantine_of(const api::Node& node, WallTime now) {
  const auto standing = rescheduling::recovery::quarantine_status_of(node, now);
  if (standing.quarantine == NodeQuarantine::None) return {};
  QuarantineView view{std::string(to_string(standing.quarantine)), standing.until, {}};
  const auto record = node.metadata().annotations().find(std::string(rescheduling::recovery::kQuarantineRecord));
  if (record == node.metadata().annotations().end()) return view;
  boost::json::error_code fault;
  const boost::json::value value = boost::json::parse(record->second, fault);
  if (fault || !value.is_object()) return view;
  const boost::json::value* why = value.get_object().if_contains("why");
  if (why != nullptr && why->is_string()) view.why = std::string(why->get_string());
  return view;
}

std::int64_t amount(const api::NodeStatus& status, const std::string& resource, bool milli) {
  const auto found = status.allocatable().find(resource);
  if (found == status.allocatable().end()) return 0;
  const auto parsed = kube::Quantity::parse(found->second.string());
  if (!parsed) return 0;
  return milli ? parsed->milli_value() : parsed->value();
}

std::string encode_details(const api::Node& node) {
  api::Node details;
  *details.mutable_metadata()->mutable_labels() = node.metadata().labels();
  *details.mutable_spec()->mutable_taints() = node.spec().taints();
  *details.mutable_status()->mutable_conditions() = node.status().conditions();
  *details.mutable_status()->mutable_allocatable() = node.status().allocatable();
  std::string bytes = kube::encode_bare(details);
  bytes.shrink_to_fit();
  return bytes;
}

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : cluster::kUnknownLoad;
}

}  // namespace

api::Node details_of(const NodeEntry& node) {
  api::Node details;
  const auto decoded = kube::decode_bare(node.details, details, kube::UnknownFields::Keep);
  RESCHEDULER_CHECK(decoded.has_value(), "the details of node {}: {}", node.name, decoded.error().message);
  return details;
}

std::string_view NodeEntry::state() const {
  if (!ready) return "notReady";
  if (quarantine.state == "quarantined") return "quarantined";
  if (maintenance) return "maintenance";
  return unschedulable ? "cordoned" : "ready";
}

ClusterView::ClusterView(const std::vector<config::NodePool>& pools) {
  for (const config::NodePool& pool : pools) {
    if (auto selector = kube::LabelSelector::parse(pool.selector)) pools_.emplace_back(pool.name, std::move(*selector));
  }
}

std::string ClusterView::pool_of(const api::Node& node) const {
  const auto& labels = node.metadata().labels();
  for (const auto& [name, selector] : pools_) {
    if (selector.matches(labels)) return name;
  }
  for (const char* key : kPoolLabels) {
    if (const auto found = labels.find(key); found != labels.end()) return found->second;
  }
  return {};
}

void ClusterView::upsert(const google::protobuf::Message& object, WallTime now) {
  if (object.GetDescriptor() == api::Pod::descriptor()) return upsert_pod(static_cast<const api::Pod&>(object));
  if (object.GetDescriptor() == api::Node::descriptor()) upsert_node(static_cast<const api::Node&>(object), now);
}

void ClusterView::remove(const google::protobuf::Message& object) {
  if (object.GetDescriptor() == api::Pod::descriptor()) {
    const auto& meta = static_cast<const api::Pod&>(object).metadata();
    const std::string key = meta.namespace_() + "/" + meta.name();
    const auto found = pods_.find(std::string_view(key));
    if (found == pods_.end() || found->uid_hash_ != hash_of(meta.uid())) return;
    count(*found, -1);
    place(*found, -1);
    pods_.erase(found);
    return;
  }
  if (object.GetDescriptor() != api::Node::descriptor()) return;
  const auto found = nodes_.find(static_cast<const api::Node&>(object).metadata().name());
  if (found == nodes_.end() || !found->second.exists) return;
  count(found->second, -1);
  const std::string name = found->first;
  found->second.exists = false;
  dirty_.erase(name);
  gone_.insert(name);  // a viewer can know a node whose row was not published yet: see DashboardModel::nodes()
  found->second.row.clear();
  drop_if_unused(name);
}

void ClusterView::upsert_node(const api::Node& object, WallTime now) {
  NodeEntry& node = at(object.metadata().name());
  if (node.exists) count(node, -1);
  node.exists = true;
  node.details = encode_details(object);
  node.zone = cluster::zone_of(object);
  node.pool = pool_of(object);
  node.ready = cluster::is_ready(object);
  node.unschedulable = object.spec().unschedulable();
  node.maintenance = cluster::requests_maintenance(object.metadata());
  node.quarantine = quarantine_of(object, now);
  node.cpu = amount(object.status(), "cpu", true);
  node.memory = amount(object.status(), "memory", false);
  node.most_pods = amount(object.status(), "pods", false);
  count(node, 1);
  dirty_.insert(node.name);
  gone_.erase(node.name);
}

void ClusterView::upsert_pod(const api::Pod& object) {
  const api::ObjectMeta& meta = object.metadata();
  const std::string key = meta.namespace_() + "/" + meta.name();
  auto entry = pods_.find(std::string_view(key));
  if (entry != pods_.end()) {
    count(*entry, -1);
    place(*entry, -1);
    auto changed = pods_.extract(entry);
    describe(object, changed.value());
    entry = pods_.insert(std::move(changed)).position;
  } else {
    PodEntry added;
    describe(object, added);
    entry = pods_.insert(std::move(added)).first;
  }
  count(*entry, 1);
  place(*entry, 1);
}

void ClusterView::describe(const api::Pod& pod, PodEntry& entry) {
  const api::ObjectMeta& meta = pod.metadata();
  const cluster::WorkloadName owner = cluster::workload_of(pod);
  entry.names_ = fmt::format("{}/{}{}", meta.namespace_(), meta.name(), owner.name);
  entry.ns_size_ = static_cast<std::uint32_t>(meta.namespace_().size());
  entry.key_size_ = static_cast<std::uint32_t>(meta.namespace_().size() + 1 + meta.name().size());
  entry.uid_hash_ = hash_of(meta.uid());
  entry.owner_kind_ = intern(owner.kind);
  entry.node_ = intern(pod.spec().node_name());
  entry.phase_ = intern(phase_of(pod));
  entry.ready = cluster::is_ready(pod);
  entry.over = cluster::is_finished(pod);
  entry.failing = pod.status().phase() == "Failed" || is_trouble(entry.phase());
  const auto requests = cluster::requests_of(pod, cluster::RequestsOf::Placed, symbols_);
  entry.cpu = requests.plain.cpu;
  entry.memory = requests.plain.memory;
  entry.priority = pod.spec().priority();
  entry.created = kube::wall_time(meta.creation_timestamp());
}

void ClusterView::count(const PodEntry& pod, int by) {
  const auto add = [by](std::size_t& to) { to = by > 0 ? to + 1 : to - 1; };
  if (!pod.over) add(counts_.pods);
  if (pod.pending()) add(counts_.pending);
  if (pod.failing) add(counts_.failing);
}

void ClusterView::count(const NodeEntry& node, int by) {
  const auto add = [by](std::size_t& to) { to = by > 0 ? to + 1 : to - 1; };
  add(counts_.nodes);
  if (node.ready) add(counts_.ready);
  if (node.unschedulable) add(counts_.unschedulable);
}

// A finished pod uses no resources, but the pages still list it.
void ClusterView::place(const PodEntry& pod, int by) {
  if (pod.node().empty()) return;
  NodeEntry& node = at(pod.node());
  const auto at_key = std::ranges::lower_bound(node.pods, pod.key(), {}, &PodEntry::key);
  if (by > 0) {
    node.pods.insert(at_key, &pod);
  } else {
    node.pods.erase(at_key);
  }
  if (!pod.over) {
    node.cpu_requested += by * pod.cpu;
    node.memory_requested += by * pod.memory;
    node.live_pods = by > 0 ? node.live_pods + 1 : node.live_pods - 1;
  }
  if (node.exists) dirty_.insert(pod.node());
  if (by < 0) drop_if_unused(pod.node());
}

NodeEntry& ClusterView::at(std::string_view name) {
  const auto found = nodes_.find(name);
  if (found != nodes_.end()) return found->second;
  NodeEntry& made = nodes_[std::string(name)];
  made.name = name;
  return made;
}

void ClusterView::drop_if_unused(std::string_view name) {
  const auto found = nodes_.find(name);
  if (found != nodes_.end() && !found->second.exists && found->second.pods.empty()) nodes_.erase(found);
}

void ClusterView::loads(const scheduler::LoadUpdate& loads) {
  load_.source = loads.load_summary.source;
  load_.measured = loads.load_summary.basis == cluster::LoadBasis::Usage;
  load_.at = loads.at;
  for (const auto& [name, load] : loads.nodes) {
    const auto found = nodes_.find(name);
    if (found == nodes_.end()) continue;
    found->second.load = load;
    if (found->second.exists) dirty_.insert(name);
  }
}

ClusterView::Changes ClusterView::take_changes() {
  Changes changes;
  changes.gone.assign(gone_.begin(), gone_.end());
  gone_.clear();
  for (const std::string& name : dirty_) {
    const auto found = nodes_.find(name);
    if (found == nodes_.end() || !found->second.exists) continue;
    std::string row = row_json(found->second);
    if (row == found->second.row) continue;
    found->second.row = row;
    changes.rows.push_back(std::move(row));
  }
  dirty_.clear();
  return changes;
}

const NodeEntry* ClusterView::node(std::string_view name) const {
  const auto found = nodes_.find(name);
  return found == nodes_.end() || !found->second.exists ? nullptr : &found->second;
}

const PodEntry* ClusterView::pod(std::string_view key) const {
  const auto found = pods_.find(key);
  return found == pods_.end() ? nullptr : &*found;
}

std::pair<std::vector<const PodEntry*>, std::size_t> ClusterView::find(const PodQuery& query) const {
  std::vector<const PodEntry*> found;
  std::size_t total = 0;
  const auto look = [&](const PodEntry& pod) {
    if (!query.node.empty() && pod.node() != query.node) return;
    if (query.state == "pending" && !pod.pending()) return;
    if (query.state == "failing" && !pod.failing) return;
    if (!query.text.empty() && pod.key().find(query.text) == std::string_view::npos) return;
    ++total;
    if (found.size() < query.limit) found.push_back(&pod);
  };
  if (const NodeEntry* on = query.node.empty() ? nullptr : node(query.node); on != nullptr) {
    for (const PodEntry* pod : on->pods) look(*pod);
  } else {
    for (const PodEntry& pod : pods_) look(pod);
  }
  return {std::move(found), total};
}

cluster::Balance ClusterView::balance(cluster::BalanceWeights weights) const {
  std::vector<double> cpu;
  std::vector<double> memory;
  for (const auto& [name, node] : nodes_) {
    if (!node.exists || !node.ready || node.unschedulable) continue;
    cpu.push_back(load_.measured ? node.load.predicted(cluster::kCpuLoad) : share(node.cpu_requested, node.cpu));
    memory.push_back(load_.measured ? node.load.predicted(cluster::kMemoryLoad)
                                    : share(node.memory_requested, node.memory));
  }
  return cluster::balance_of(cluster::spread_of(cpu), cluster::spread_of(memory), weights);
}

std::string row_json(const NodeEntry& node) {
  using cluster::kCpuLoad;
  using cluster::kMemoryLoad;
  return fmt::format("[{},{},{},\"{}\",{},{},{},{},{},{},{},{}]", kube::json_string(node.name),
                     kube::json_string(node.zone), kube::json_string(node.pool), node.state(), node.live_pods,
                     node.most_pods, kube::json_percent(node.load.used[kCpuLoad]),
                     kube::json_percent(node.load.used[kMemoryLoad]), kube::json_percent(node.load.predicted(kCpuLoad)),
                     kube::json_percent(node.load.predicted(kMemoryLoad)),
                     kube::json_percent(share(node.cpu_requested, node.cpu)),
                     kube::json_percent(share(node.memory_requested, node.memory)));
}

std::string_view node_columns() {
  return R"(["name","zone","pool","state","pods","podsMost","cpu","memory","cpuPredicted","memoryPredicted",)"
         R"("cpuRequested","memoryRequested"])";
}

}  // namespace rescheduler::dashboard
