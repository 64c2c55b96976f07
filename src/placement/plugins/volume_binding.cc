#include "placement/plugins/volume_binding.h"

#include <algorithm>

#include "kube/proto/core_pod.pb.h"
#include "placement/plugins/plugins.h"
#include "placement/plugins/pod_claims.h"
#include "placement/volume_decision.h"

namespace rescheduler::placement {
namespace {

using cluster::ActionType;
using cluster::ActionTypes;
using cluster::ClusterEvent;
using cluster::EventResource;

struct Planned final : StateData {
  std::shared_ptr<const VolumePlan> plan{};  // does not depend on other pods
  std::unique_ptr<StateData> clone() const override { return std::make_unique<Planned>(*this); }
};

bool added(const ClusterEvent& what) { return what.actions.has(ActionType::Add); }
QueueingHint queue_if(bool worth_it) { return worth_it ? QueueingHint::Queue : QueueingHint::Skip; }

QueueingHint after_class(const PodContext& /*waiting*/, const ClusterEvent& what) {
  return queue_if(added(what) || what.storage.topology_changed);
}

QueueingHint after_claim(const PodContext& waiting, const ClusterEvent& what) {
  return queue_if(uses(waiting, what, Ephemeral::Included));
}

QueueingHint after_csi_node(const PodContext& /*waiting*/, const ClusterEvent& what) {
  return queue_if(added(what) || what.storage.plugins_changed);
}

// If a driver does not report its free capacity, its storage counts as sufficient.
QueueingHint after_driver(const PodContext& waiting, const ClusterEvent& what) {
  if (!what.storage.capacity_ignored) return QueueingHint::Skip;
  const auto& volumes = waiting.pod.spec().volumes();
  const bool inline_volume = std::ranges::any_of(
      volumes, [&](const auto& volume) { return volume.volume_source().csi().driver() == what.name; });
  return queue_if(inline_volume || !waiting.compiled_spec.claims.empty());
}

QueueingHint after_capacity(const PodContext& /*waiting*/, const ClusterEvent& what) {
  return queue_if(added(what) || what.storage.limit_grew);
}

}  // namespace

PreFilterResult VolumeBinding::pre_filter(const PodContext& context, CycleState& state) const {
  PlannedVolumes planned = plan_volumes(context);
  if (planned.status.ok()) {
    Planned cycle_data;
    cycle_data.plan = std::make_shared<const VolumePlan>(std::move(planned.plan));
    state.write(slot(), std::move(cycle_data));
  }
  return {std::move(planned.status), {}};
}

Code VolumeBinding::filter(const PodContext& context,
                           const CycleState& state,
                           const cluster::NodeInfo& node,
                           Reasons* why) const {
  const auto* cycle_data = state.find<Planned>(slot());
  if (cycle_data == nullptr) return Code::Success;
  return decide_volumes(context.cluster.volumes(), *cycle_data->plan, *node.node, nullptr, why);
}

Status VolumeBinding::pre_score(const PodContext& /*context*/,
                                CycleState& /*state*/,
                                std::span<const cluster::NodeIndex> /*feasible*/) const {
  return {Code::Skip, {}, {}};
}

std::vector<ClusterEventWithHint> VolumeBinding::events_to_register() const {
  const ActionTypes add_or_update{ActionType::Add, ActionType::Update};
  return {{EventResource::StorageClass, add_or_update, after_class},
          {EventResource::PersistentVolumeClaim, add_or_update, after_claim},
          {EventResource::PersistentVolume, add_or_update, {}},
          {EventResource::Node, {ActionType::Add, ActionType::NodeLabel}, {}},
          {EventResource::CsiNode, add_or_update, after_csi_node},
          {EventResource::CsiDriver, ActionType::Update, after_driver},
          {EventResource::CsiStorageCapacity, add_or_update, after_capacity}};
}

std::unique_ptr<Plugin> make_volume_binding(const PluginArgs* args) {
  return std::make_unique<VolumeBinding>(args_or_default<VolumeBindingArgs>(args).bind_timeout);
}

}  // namespace rescheduler::placement
