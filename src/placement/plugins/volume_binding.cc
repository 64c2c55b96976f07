#include "placement/plugins/volume_binding.h"

#include <algorithm>

#include "kube/proto/core_pod.pb.h"
#include "placement/plugins/plugins.h"
#include "placement/plugins/pod_claims.h"
#include "placement/volume_decision.h"

namespace rescheduler::placement {
namespace {

using cluster::Change;
using cluster::Changes;
using cluster::Happening;
using cluster::Subject;

struct Planned final : Notes {
  std::shared_ptr<const VolumePlan> plan{};  // pods that come or go change nothing about it
  std::unique_ptr<Notes> clone() const override { return std::make_unique<Planned>(*this); }
};

bool added(const Happening& what) { return what.changes.has(Change::Add); }
Hint queue_if(bool worth_it) { return worth_it ? Hint::Queue : Hint::Skip; }

Hint after_class(const Question& /*waiting*/, const Happening& what) {
  return queue_if(added(what) || what.storage.topology_changed);
}

Hint after_claim(const Question& waiting, const Happening& what) {
  return queue_if(uses(waiting, what, Ephemeral::Included));
}

Hint after_csi_node(const Question& /*waiting*/, const Happening& what) {
  return queue_if(added(what) || what.storage.plugins_changed);
}

// Without a word about what is left, a driver's storage counts as sufficient.
Hint after_driver(const Question& waiting, const Happening& what) {
  if (!what.storage.capacity_ignored) return Hint::Skip;
  const auto& volumes = waiting.pod.spec().volumes();
  const bool inline_volume = std::ranges::any_of(
      volumes, [&](const auto& volume) { return volume.volume_source().csi().driver() == what.name; });
  return queue_if(inline_volume || !waiting.form.claims.empty());
}

Hint after_capacity(const Question& /*waiting*/, const Happening& what) {
  return queue_if(added(what) || what.storage.limit_grew);
}

}  // namespace

PreFilterResult VolumeBinding::pre_filter(const Question& asked, CycleState& state) const {
  PlannedVolumes planned = plan_volumes(asked);
  if (planned.status.ok()) {
    Planned notes;
    notes.plan = std::make_shared<const VolumePlan>(std::move(planned.plan));
    state.write(slot(), std::move(notes));
  }
  return {std::move(planned.status), {}};
}

Code VolumeBinding::filter(const Question& asked,
                           const CycleState& state,
                           const cluster::NodeState& node,
                           Reasons* why) const {
  const auto* notes = state.find<Planned>(slot());
  if (notes == nullptr) return Code::Success;
  return decide_volumes(asked.cluster.volumes(), *notes->plan, *node.node, nullptr, why);
}

Status VolumeBinding::pre_score(const Question& /*asked*/,
                                CycleState& /*state*/,
                                std::span<const cluster::NodeIndex> /*feasible*/) const {
  return {Code::Skip, {}, {}};
}

std::vector<Interest> VolumeBinding::interests() const {
  const Changes add_or_update{Change::Add, Change::Update};
  return {{Subject::StorageClass, add_or_update, after_class},
          {Subject::PersistentVolumeClaim, add_or_update, after_claim},
          {Subject::PersistentVolume, add_or_update, {}},
          {Subject::Node, {Change::Add, Change::NodeLabel}, {}},
          {Subject::CsiNode, add_or_update, after_csi_node},
          {Subject::CsiDriver, Change::Update, after_driver},
          {Subject::CsiStorageCapacity, add_or_update, after_capacity}};
}

std::unique_ptr<Plugin> make_volume_binding(const PluginArgs* args) {
  return std::make_unique<VolumeBinding>(args_or_default<VolumeBindingArgs>(args).bind_timeout);
}

}  // namespace rescheduler::placement
