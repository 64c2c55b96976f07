// Checks whether the node has enough free resources for the pod's requests. The scoring strategy
// prefers nodes with few or with many requests.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "placement/plugins/plugins.h"
#include "placement/plugins/resource_scoring.h"

namespace rescheduler::placement {
namespace {

using cluster::NodeRequirements;
using cluster::Symbol;

constexpr std::int64_t kShapeScale = kMaxScore / 10;  // scores of a shape go from 0 to 10

// Linear between the points of a shape, constant beyond its ends.
std::int64_t on_shape(const std::vector<UtilizationShapePoint>& shape, std::int64_t utilization) {
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (utilization > shape[i].utilization) continue;
    const std::int64_t here = shape[i].score * kShapeScale;
    if (i == 0) return here;
    const std::int64_t left = shape[i - 1].score * kShapeScale;
    return left
           + (here - left) * (utilization - shape[i - 1].utilization)
                 / (shape[i].utilization - shape[i - 1].utilization);
  }
  return shape.back().score * kShapeScale;
}

class NodeResourcesFit final : public PluginOf<NodeResourcesFit, Point::PreFilter, Point::PreScore> {
 public:
  explicit NodeResourcesFit(NodeResourcesFitArgs args) : args_(std::move(args)) {}

  std::string_view name() const override { return "NodeResourcesFit"; }
  bool depends_on_node_only() const override { return true; }
  bool needs_no_normalize(const cluster::Cluster& /*cluster*/) const override { return true; }

  Code filter(const PodContext& context,
              const CycleState& /*state*/,
              const cluster::NodeInfo& node,
              Reasons* why) const override {
    return judge(context, *node.node, node.requested, node.pod_count(), why);
  }

  std::int64_t score(const PodContext& context,
                     const CycleState& /*state*/,
                     const cluster::NodeInfo& node) const override {
    const auto shares =
        shares_of(context.requirements(), node, args_.resources, Counting::NonZero, context.cluster.interner().symbols);
    return args_.strategy == ScoringStrategy::RequestedToCapacityRatio ? by_shape(shares) : by_strategy(shares);
  }

  std::vector<ClusterEventWithHint> events_to_register() const override;

 private:
  Code judge(const PodContext& context,
             const cluster::Node& node,
             const cluster::ResourceList& requested,
             std::size_t pods,
             Reasons* why) const;
  bool is_ignored(std::string_view name) const;
  std::int64_t by_strategy(const Shares& shares) const;
  std::int64_t by_shape(const Shares& shares) const;
  QueueingHint after_node(const PodContext& waiting, const cluster::ClusterEvent& what) const;

  NodeResourcesFitArgs args_;
};

Code NodeResourcesFit::judge(const PodContext& context,
                             const cluster::Node& node,
                             const cluster::ResourceList& requested,
                             std::size_t pods,
                             Reasons* why) const {
  const NodeRequirements& requirements = context.requirements();
  bool fits = true;
  bool ever = true;  // would the pod fit on the empty node?
  const auto lacks = [&](std::string_view what) {
    fits = false;
    if (why != nullptr) why->push_back(fmt::format("Insufficient {}", what));
  };
  if (static_cast<std::int64_t>(pods) + 1 > node.allowed_pods) {
    fits = false;
    if (why != nullptr) why->emplace_back("Too many pods");
  }
  if (requirements.has_no_requests()) return fits ? Code::Success : Code::Unschedulable;
  const cluster::ResourceList& wanted = requirements.requests.plain;
  const auto check = [&](std::int64_t want, std::int64_t has, std::int64_t taken, std::string_view what) {
    if (want <= 0 || want <= has - taken) return;
    lacks(what);
    ever = ever && want <= has;
  };
  check(wanted.cpu, node.allocatable.cpu, requested.cpu, "cpu");
  check(wanted.memory, node.allocatable.memory, requested.memory, "memory");
  check(wanted.ephemeral_storage, node.allocatable.ephemeral_storage, requested.ephemeral_storage, "ephemeral-storage");
  for (const auto& [resource, want] : wanted.others) {
    const std::string& text = context.cluster.text(resource);
    if (want == 0 || is_ignored(text)) continue;
    check(want, node.allocatable.other(resource), requested.other(resource), text);
  }
  if (fits) return Code::Success;
  return ever ? Code::Unschedulable : Code::UnschedulableAndUnresolvable;
}

// Only extended resources can be ignored.
bool NodeResourcesFit::is_ignored(std::string_view name) const {
  if (args_.ignored_resources.empty() && args_.ignored_resource_groups.empty()) return false;
  const auto slash = name.find('/');
  if (slash == std::string_view::npos || name.find("kubernetes.io/") != std::string_view::npos) return false;
  return std::ranges::find(args_.ignored_resources, name) != args_.ignored_resources.end()
         || std::ranges::find(args_.ignored_resource_groups, name.substr(0, slash))
                != args_.ignored_resource_groups.end();
}

std::int64_t NodeResourcesFit::by_strategy(const Shares& shares) const {
  std::int64_t sum = 0;
  std::int64_t weights = 0;
  for (const Share& share : shares) {
    if (share.allocatable == 0) continue;
    std::int64_t one = 0;
    if (args_.strategy == ScoringStrategy::MostAllocated) {
      one = std::min(share.with, share.allocatable) * kMaxScore / share.allocatable;
    } else if (share.with <= share.allocatable) {
      one = (share.allocatable - share.with) * kMaxScore / share.allocatable;
    }
    sum += one * share.weight;
    weights += share.weight;
  }
  return weights == 0 ? 0 : sum / weights;
}

std::int64_t NodeResourcesFit::by_shape(const Shares& shares) const {
  std::int64_t sum = 0;
  std::int64_t weights = 0;
  for (const Share& share : shares) {
    if (share.allocatable == 0) continue;
    const std::int64_t utilization =
        share.with > share.allocatable ? kMaxScore : share.with * kMaxScore / share.allocatable;
    const std::int64_t one = on_shape(args_.shape, utilization);
    if (one <= 0) continue;
    sum += one * share.weight;
    weights += share.weight;
  }
  return weights == 0 ? 0 : std::llround(static_cast<double>(sum) / static_cast<double>(weights));
}

// A new or larger node helps if the pod fits on the empty node.
QueueingHint NodeResourcesFit::after_node(const PodContext& waiting, const cluster::ClusterEvent& what) const {
  if (!what.node_after) return QueueingHint::Skip;
  const cluster::Node& node = *what.node_after;
  if (judge(waiting, node, {}, 0, nullptr) != Code::Success) return QueueingHint::Skip;
  if (!what.node_before) return QueueingHint::Queue;
  const cluster::ResourceList& had = what.node_before->allocatable;
  const cluster::ResourceList& has = node.allocatable;
  const cluster::ResourceList& wanted = waiting.requirements().requests.plain;
  if (node.allowed_pods > what.node_before->allowed_pods) return QueueingHint::Queue;
  if ((wanted.cpu > 0 && has.cpu > had.cpu) || (wanted.memory > 0 && has.memory > had.memory)
      || (wanted.ephemeral_storage > 0 && has.ephemeral_storage > had.ephemeral_storage)) {
    return QueueingHint::Queue;
  }
  const bool grew = std::ranges::any_of(
      wanted.others, [&](const auto& want) { return has.other(want.first) > had.other(want.first); });
  return grew ? QueueingHint::Queue : QueueingHint::Skip;
}

std::vector<ClusterEventWithHint> NodeResourcesFit::events_to_register() const {
  using cluster::ActionType;
  using cluster::EventResource;
  return {{EventResource::AssignedPod, {ActionType::Delete, ActionType::PodScaleDown}},
          {EventResource::Node,
           {ActionType::Add, ActionType::NodeAllocatable},
           [this](const PodContext& waiting, const cluster::ClusterEvent& what) { return after_node(waiting, what); }},
          {EventResource::TargetPod, ActionType::PodScaleDown}};
}

}  // namespace

PluginPtr make_node_resources_fit(const PluginArgs* args) {
  return std::make_unique<NodeResourcesFit>(args_or_default<NodeResourcesFitArgs>(args));
}

}  // namespace rescheduler::placement
