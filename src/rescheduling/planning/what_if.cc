#include "rescheduling/planning/what_if.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "kube/proto/core_pod.pb.h"
#include "placement/args.h"
#include "placement/plugins/spread_constraints.h"

namespace rescheduler::rescheduling {
namespace {

using cluster::NodeIndex;
using cluster::PodIndex;

// Only the fields that plugins read from the object. Plugins read the rest from the CompiledPodSpec.
api::Pod object_of(const Snapshot& snapshot, PodIndex index) {
  const cluster::Cluster& cluster = snapshot.cluster();
  const cluster::AssignedPod& pod = cluster.pod(index);
  api::Pod object;
  api::ObjectMeta& meta = *object.mutable_metadata();
  meta.set_name(pod.name);
  meta.set_namespace_(cluster.text(pod.ns));
  meta.set_uid(pod.uid);
  for (const auto& [key, value] : cluster.interner().labels.labels(pod.labels)) {
    (*meta.mutable_labels())[cluster.text(key)] = cluster.text(value);
  }
  if (const OwnerPtr& owner = snapshot.facts(index).owner) {
    api::OwnerReference& reference = *meta.add_owner_references();
    reference.set_api_version(owner->api_version);
    reference.set_kind(owner->kind);
    reference.set_name(owner->name);
    reference.set_uid(owner->uid);
    reference.set_controller(true);
  }
  return object;
}

bool has_hard_default(const placement::Framework& framework) {
  const auto* args = framework.args_of<placement::PodTopologySpreadArgs>("PodTopologySpread");
  if (args == nullptr || args->defaulting == placement::SpreadDefaulting::System) return false;
  return std::ranges::any_of(args->default_constraints,
                             [](const auto& one) { return one->when_unsatisfiable() != "ScheduleAnyway"; });
}

}  // namespace

struct WhatIf::PodCycle {
  PodIndex pod;
  api::Pod object;
  placement::PodContext question;
  placement::Cycle cycle;

  PodCycle(Snapshot& snapshot,
           PodIndex index,
           const placement::Framework& framework,
           const placement::NominatedPods& no_nominated_pods)
      : pod(index),
        object(object_of(snapshot, index)),
        question{snapshot.cluster(),
                 object,
                 *snapshot.cluster().pod(index).compiled_spec,
                 snapshot.cluster().pod(index).ns,
                 snapshot.cluster().pod(index).labels,
                 snapshot.cluster().namespaces().of({{snapshot.cluster().pod(index).ns}})},
        cycle(framework, question, no_nominated_pods) {}
};

WhatIf::WhatIf(Snapshot& copy, const PodInventory& inventory, const placement::Framework& framework)
    : snapshot_(copy),
      inventory_(inventory),
      framework_(framework),
      default_spread_is_hard_(has_hard_default(framework)) {}

WhatIf::~WhatIf() = default;

void WhatIf::restore() {
  // Unassigns all moved pods first, so that no pod conflicts with another one in between.
  const std::vector<PodIndex> away = moved();
  for (const PodIndex pod : away) {
    if (now_on(pod) != cluster::kNoNode) unassign(pod);
  }
  for (const PodIndex pod : away) snapshot_.cluster().assign(pod, first_.at(pod));
  for (const auto& [node, load] : loads_) snapshot_.cluster().set_load(node, load);
  if (load_summary_) snapshot_.cluster().set_load_summary(*load_summary_);
  load_summary_.reset();
  first_.clear();
  homes_.clear();
  unassigned_from_.clear();
  loads_.clear();
}

std::vector<PodIndex> WhatIf::moved() const {
  std::vector<PodIndex> away;
  for (const auto& [pod, node] : first_) {
    if (now_on(pod) != node) away.push_back(pod);
  }
  std::ranges::sort(away);
  return away;
}

NodeIndex WhatIf::first_on(PodIndex pod) const {
  const auto found = first_.find(pod);
  return found == first_.end() ? now_on(pod) : found->second;
}

void WhatIf::take_as_start() {
  context_.reset();
  homes_.clear();
  for (const PodIndex pod : moved()) homes_.emplace(pod, now_on(pod));
  if (!loads_.empty()) look_at_loads();
}

// Nodes without a sample are judged by the mean load. The mean changes when load moves from or to such nodes.
void WhatIf::look_at_loads() {
  cluster::LoadSummary load_summary = snapshot_.cluster().load_summary();
  for (std::size_t r = 0; r < std::min(load_summary.resources.size(), cluster::kMostLoads); ++r) {
    double sum = 0;
    double known = 0;
    for (const NodeIndex index : snapshot_.cluster().existing_nodes()) {
      const cluster::NodeLoad& load = snapshot_.cluster().node(index).load;
      if (!load.knows(r)) continue;
      sum += load.predicted(r);
      known += 1;
    }
    if (known > 0) load_summary.mean[r] = sum / known;
  }
  if (!load_summary_) load_summary_ = snapshot_.cluster().load_summary();
  snapshot_.cluster().set_load_summary(load_summary);
}

NodeIndex WhatIf::home_of(PodIndex pod) const {
  const auto found = homes_.find(pod);
  return found == homes_.end() ? first_on(pod) : found->second;
}

void WhatIf::unassign(PodIndex pod) {
  context_.reset();
  const NodeIndex from = now_on(pod);
  first_.try_emplace(pod, from);
  unassigned_from_.insert_or_assign(pod, from);
  snapshot_.cluster().unassign(pod);
  add_load(pod, from, -1);
}

void WhatIf::assign(PodIndex pod, NodeIndex node) {
  context_.reset();
  unassigned_from_.erase(pod);
  snapshot_.cluster().assign(pod, node);
  add_load(pod, node, +1);
}

void WhatIf::move(PodIndex pod, NodeIndex node) {
  unassign(pod);
  assign(pod, node);
}

// With the basis Requests, the load of a node follows from its pods. Measured load must be changed here.
void WhatIf::add_load(PodIndex pod, NodeIndex index, double factor) {
  cluster::Cluster& cluster = snapshot_.cluster();
  const cluster::NodeInfo& node = cluster.node(index);
  if (cluster.load_summary().basis != cluster::LoadBasis::Usage || !node.exists()) return;
  loads_.try_emplace(index, node.load);
  cluster::NodeLoad load = node.load;
  const cluster::Amounts& carried = inventory_.usage_of(pod);
  for (std::size_t i = 0; i < cluster::kMostLoads; ++i) {
    const double whole = whole_of(*node.node, i);
    if (load.knows(i) && whole > 0) load.reserved[i] += factor * carried[i] / whole;
  }
  cluster.set_load(index, load);
}

// Only pods with affinity or spread constraints, or with default spread, need the counts.
bool WhatIf::needs_counts(const cluster::CompiledPodSpec& compiled_spec) const {
  return default_spread_is_hard_ || !compiled_spec.spread.empty() || compiled_spec.has_affinity();
}

placement::Cycle& WhatIf::cycle_for(PodIndex unassigned) {
  if (context_ && context_->pod == unassigned) return context_->cycle;
  context_ = std::make_unique<PodCycle>(snapshot_, unassigned, framework_, no_nominated_pods_);
  if (needs_counts(context_->question.compiled_spec)) framework_.prepare(snapshot_.cluster(), context_->question);
  return context_->cycle;
}

bool WhatIf::admits(PodIndex unassigned, NodeIndex node) {
  RESCHEDULER_CHECK(now_on(unassigned) == cluster::kNoNode, "admits() needs a pod that is unassigned");
  return cycle_for(unassigned).admits(node);
}

bool WhatIf::admits_back(PodIndex unassigned, NodeIndex node) {
  placement::Cycle& cycle = cycle_for(unassigned);
  cycle.leave_out(framework_.find("Rescheduler"));
  const bool may = cycle.admits(node);
  cycle.leave_out(nullptr);
  return may;
}

std::string WhatIf::refusal(PodIndex unassigned, NodeIndex node) {
  placement::Status status;
  if (cycle_for(unassigned).admits(node, &status)) return {};
  return fmt::format("{} ({})", status.message(), status.plugin);
}

placement::Status WhatIf::plugin_status(std::string_view name, PodIndex unassigned, NodeIndex node) {
  const placement::Plugin* plugin = framework_.find(name);
  if (plugin == nullptr) return {};
  const placement::PodContext& context = cycle_for(unassigned).context();
  placement::CycleState state(framework_.plugins().size());
  placement::Status status = plugin->pre_filter(context, state).status;
  if (status.code == placement::Code::Skip) return {};
  if (!status.ok()) return status;
  status.code = plugin->filter(context, state, snapshot_.cluster().node(node), &status.reasons);
  return status;
}

bool WhatIf::violates_spread(PodIndex unassigned, NodeIndex to) {
  using placement::SpreadConstraints;
  const placement::PodContext& context = cycle_for(unassigned).context();
  const cluster::Cluster& cluster = snapshot_.cluster();
  const NodeIndex from = unassigned_from_.at(unassigned);
  for (const cluster::SpreadConstraint& one : context.compiled_spec.spread) {
    if (!one.hard || SpreadConstraints::matches_no_pods(context, one)) continue;
    const cluster::Domains* domains = cluster.topology().find(one.topology_key);
    const cluster::NodeCounts* counts = cluster.counts().matching(SpreadConstraints::match_of(context, one));
    if (domains == nullptr || counts == nullptr || domains->of(from) == domains->of(to)) continue;
    if (!cluster.interner().selectors.matches(one.selector, context.labels)) continue;
    std::map<cluster::Domain, std::int64_t> sums;
    for (const NodeIndex index : cluster.existing_nodes()) {
      const cluster::Domain domain = domains->of(index);
      if (domain == cluster::kNoDomain || !SpreadConstraints::counts_node(context, one, index)) continue;
      const auto found = counts->find(index);
      sums[domain] += found == counts->end() ? 0 : found->second;
    }
    const auto skew_with = [&](NodeIndex place) {
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      std::int64_t most = 0;
      for (const auto& [domain, sum] : sums) {
        const std::int64_t here = sum + (domain == domains->of(place) ? 1 : 0);
        least = std::min(least, here);
        most = std::max(most, here);
      }
      return most - least;
    };
    if (!sums.empty() && skew_with(to) > std::max<std::int64_t>(one.max_skew, skew_with(from))) return true;
  }
  return false;
}

}  // namespace rescheduler::rescheduling
