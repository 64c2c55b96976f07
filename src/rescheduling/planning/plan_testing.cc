#include "rescheduling/planning/plan_testing.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/check.h"
#include "config/configuration.h"
#include "kube/codec/json.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/policy.pb.h"
#include "placement/registry.h"
#include "placement/testing.h"
#include "rescheduling/planning/pod_inventory.h"

namespace rescheduler::rescheduling::testing {

using placement::Point;

PodBuilder running(const std::string& name, const std::string& owner) {
  PodBuilder pod(name);
  pod.started(kNow - 3600).label("app", owner).uid(name);
  pod.merge(fmt::format(R"({{"metadata": {{"ownerReferences": [{{"apiVersion": "apps/v1", "kind": "ReplicaSet",
      "name": "{0}", "uid": "{0}", "controller": true}}]}}}})",
                        owner));
  pod.merge(R"({"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}})");
  return pod;
}

PodBuilder changed(const api::Pod& pod, const std::function<void(api::Pod&)>& change) {
  class Open : public PodBuilder {
   public:
    explicit Open(const api::Pod& from) : PodBuilder("x") { *object_ = from; }
    api::Pod& object() { return *object_; }
  };
  Open open(pod);
  change(open.object());
  return open;
}

PlanBench::PlanBench() {
  request.now = WallTime{std::chrono::seconds{kNow}};
  request.caps = {.total = 0, .per_node = 0, .per_namespace = 0, .per_workload = 0};
}

PlanBench& PlanBench::add(const NodeBuilder& node) {
  snapshot.upsert(node.get());
  return *this;
}

PlanBench& PlanBench::add(const PodBuilder& pod) {
  snapshot.upsert(pod.get());
  pods_.insert_or_assign(pod.get().metadata().uid(), pod);
  return *this;
}

PlanBench& PlanBench::add(const BudgetBuilder& budget) {
  snapshot.upsert(budget.get());
  return *this;
}

PlanBench& PlanBench::node(const std::string& name, double cpu, double memory) {
  add(cluster::testing::node(name).condition("Ready", "True"));
  return uses(name, cpu, memory);
}

PlanBench& PlanBench::uses(const std::string& node, double cpu, double memory) {
  cluster::NodeLoad load;
  load.used[cluster::kCpuLoad] = cpu;
  load.used[cluster::kMemoryLoad] = memory;
  snapshot.cluster().set_load(*snapshot.cluster().find_node(node), load);
  return *this;
}

PlanBench& PlanBench::pod_uses(const std::string& uid, double cores, double bytes) {
  snapshot.set_pod_usage(uid, {cores, bytes});
  return *this;
}

PlanBench& PlanBench::pods(const std::string& owner,
                           int count,
                           const std::string& node,
                           const std::string& cpu,
                           const std::string& memory) {
  for (int i = 0; i < count; ++i) {
    add(running(fmt::format("{}-{}-{}", owner, node, i), owner).requests(cpu, memory).on(node));
  }
  return *this;
}

PlanBench& PlanBench::workload(const std::string& kind, const std::string& name, int replicas) {
  const std::string json =
      fmt::format(R"({{"metadata": {{"name": "{0}", "namespace": "default", "uid": "{0}"}}, "spec": {{{1}}}}})", name,
                  replicas < 0 ? std::string{} : fmt::format(R"("replicas": {})", replicas));
  const auto* type = kube::find_type("apps/v1", kind);
  auto object = type->make();
  RESCHEDULER_CHECK(kube::from_json(json, *object).has_value(), "invalid test object of kind {}", kind);
  snapshot.upsert(*object);
  return *this;
}

PlanBench& PlanBench::by_requests() {
  measured_ = false;
  return *this;
}

// Sets the load summary as usage/ does.
void PlanBench::look() {
  cluster::LoadSummary load_summary;
  load_summary.basis = measured_ ? cluster::LoadBasis::Usage : cluster::LoadBasis::Requests;
  load_summary.source = measured_ ? "test" : "requests";
  for (std::size_t r = 0; r < load_summary.resources.size(); ++r) {
    double sum = 0;
    double known = 0;
    for (const cluster::NodeIndex at : snapshot.cluster().existing_nodes()) {
      const cluster::NodeLoad& one = snapshot.cluster().node(at).load;
      if (!one.knows(r)) continue;
      sum += one.predicted(r);
      known += 1;
    }
    if (known > 0) load_summary.mean[r] = sum / known;
  }
  snapshot.cluster().set_load_summary(load_summary);
}

Plan PlanBench::plan(const std::vector<Strategy>& strategies) {
  look();
  config::Profile profile{placement::testing::standard_profile()};
  config::set_settings(profile, args);
  profile.at(Point::Filter).push_back({"Rescheduler"});
  auto framework = placement::Framework::make(profile, placement::Registry::standard());
  RESCHEDULER_CHECK(framework.has_value(), "the standard profile is invalid");
  framework_ = std::move(*framework);
  request.args = &args;
  request.framework = framework_.get();
  request.strategies = strategies;
  return make_plan(snapshot, request);
}

void PlanBench::carry_out(const PlannedMove& move) {
  const PodInventory inventory(snapshot);
  const cluster::PodIndex index = *snapshot.cluster().find_pod(move.uid);
  const cluster::Amounts carried = inventory.usage_of(index);
  const bool was_measured = !std::isnan(snapshot.usage_of(index).cores);
  PodBuilder pod =
      changed(pods_.at(move.uid), [&](api::Pod& object) { object.mutable_spec()->set_node_name(move.target); });
  const auto shift = [&](const std::string& name, double factor) {
    const cluster::NodeIndex at = *snapshot.cluster().find_node(name);
    cluster::NodeLoad load = snapshot.cluster().node(at).load;
    for (const std::size_t r : {cluster::kCpuLoad, cluster::kMemoryLoad}) {
      load.used[r] += factor * carried[r] / std::max(whole_of(*snapshot.cluster().node(at).node, r), 1.0);
    }
    snapshot.cluster().set_load(at, load);
  };
  add(pod);
  shift(move.source, -1);
  shift(move.target, +1);
  // The pod has the same usage on the target node.
  if (measured_ || was_measured) pod_uses(move.uid, carried[cluster::kCpuLoad] / 1000, carried[cluster::kMemoryLoad]);
}

void PlanBench::carry_out(const Plan& plan) {
  // Keeps the loads that were apportioned before the first move.
  const PodInventory inventory(snapshot);
  if (measured_) {
    for (cluster::PodIndex pod{0}; pod < snapshot.cluster().pods().size(); ++pod) {
      const auto& placed = snapshot.cluster().pod(pod);
      if (placed.uid.empty()) continue;
      const cluster::Amounts& carried = inventory.usage_of(pod);
      pod_uses(placed.uid, carried[cluster::kCpuLoad] / 1000, carried[cluster::kMemoryLoad]);
    }
  }
  for (const PlannedMove& move : plan.moves) carry_out(move);
}

std::vector<std::string> moves_of(const Plan& plan) {
  std::vector<std::string> texts;
  for (const PlannedMove& move : plan.moves) {
    texts.push_back(fmt::format("{} {} -> {}", move.pod, move.source, move.target));
  }
  return texts;
}

std::map<std::string, std::string> refusals_of(const Plan& plan) {
  std::map<std::string, std::string> codes;
  for (const UnmovedPod& one : plan.refused) codes[one.pod] = one.code;
  return codes;
}

std::string text_of(const Snapshot& snapshot) {
  const cluster::Cluster& cluster = snapshot.cluster();
  std::string text;
  for (const cluster::NodeIndex index : cluster.existing_nodes()) {
    const cluster::NodeInfo& node = cluster.node(index);
    std::vector<std::string> pods;
    for (const cluster::PodIndex pod : node.pods) pods.push_back(cluster.pod(pod).uid);
    std::ranges::sort(pods);
    text += fmt::format("{}: cpu {} memory {} others {} ports {} nonzero {} {} load", node.node->name,
                        node.requested.cpu, node.requested.memory, node.requested.others.size(), node.ports.size(),
                        node.nonzero_cpu, node.nonzero_memory);
    for (std::size_t i = 0; i < cluster::kMostLoads; ++i)
      text += fmt::format(" {}+{}", node.load.used[i], node.load.reserved[i]);
    for (const std::string& pod : pods) text += " " + pod;
    text += "\n";
  }
  for (cluster::PodIndex pod{0}; pod < cluster.pods().size(); ++pod) {
    const auto& placed = cluster.pod(pod);
    if (!placed.uid.empty()) text += fmt::format("{} on {}\n", placed.uid, placed.node);
  }
  return text;
}

}  // namespace rescheduler::rescheduling::testing
