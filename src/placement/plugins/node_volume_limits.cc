#include "placement/plugins/node_volume_limits.h"

#include <algorithm>
#include <compare>

#include <fmt/core.h>

#include "kube/proto/core_pod.pb.h"
#include "placement/plugins/pod_claims.h"

namespace rescheduler::placement {
namespace {

using cluster::ActionType;
using cluster::AssignedPod;
using cluster::ClaimUse;
using cluster::ClusterEvent;
using cluster::EventResource;
using cluster::MigratedVolume;
using cluster::Symbol;
using cluster::Volumes;

constexpr std::string_view kTooMany = "node(s) exceed max volume count";

// A volume by its handle, or a claim that has no volume yet. The strings belong to the model.
struct Attachable {
  Symbol driver = Symbol::Empty;
  Symbol ns = Symbol::Empty;  // of the claim; empty: `id` is the handle of a volume
  std::string_view id{};
  friend auto operator<=>(const Attachable&, const Attachable&) = default;
};

// The incoming pod's volumes. Migrated in-tree volumes belong to the driver only on nodes with a CSINode. But a node
// without a CSINode has no limits, so the list is the same for every node.
struct NewVolumes final : StateData {
  std::vector<Attachable> volumes{};
  // The result of Filter in case of an error.
  Code problem = Code::Success;
  std::string reason{};
  bool only_with_csi_node = false;  // return the error only on nodes with a CSINode
  std::unique_ptr<StateData> clone() const override { return std::make_unique<NewVolumes>(*this); }
};

// Nothing: no driver's limit counts this claim.
std::optional<Attachable> attachable(const Volumes& volumes, const cluster::Claim& claim, Symbol ns) {
  if (const cluster::VolumePtr volume = claim.volume.empty() ? nullptr : volumes.volume(claim.volume)) {
    const bool in_tree = volume->driver == Symbol::Empty && volume->migration.has_value();
    const Symbol driver = in_tree ? volume->migration->driver : volume->driver;
    // The volume and this string stay in the model during the decision.
    const std::string_view handle = in_tree ? volume->migration->handle : volume->handle;
    if (driver == Symbol::Empty || handle.empty()) return std::nullopt;
    return Attachable{driver, Symbol::Empty, handle};
  }
  // There is no volume yet, or no longer. The claim counts for the driver that would provision it.
  const cluster::StorageClass* made_by = volumes.storage_class(claim.storage_class);
  if (claim.storage_class == Symbol::Empty || made_by == nullptr || made_by->counted_driver == Symbol::Empty) {
    return std::nullopt;
  }
  return Attachable{made_by->counted_driver, ns, claim.name};
}

Attachable attachable(const PodContext& context, const MigratedVolume& volume) {
  return {volume.driver, Symbol::Empty, context.cluster.text(volume.handle)};
}

NewVolumes volumes_of_new_pod(const PodContext& context) {
  NewVolumes found;
  const Volumes& volumes = context.cluster.volumes();
  const auto give_up = [&](Code code, std::string reason) {
    found.problem = code;
    found.reason = std::move(reason);
  };
  for (const ClaimUse& use : context.compiled_spec.claims) {
    const std::string name = use.claim(context.pod.metadata().name());
    if (name.empty()) {
      give_up(Code::Error, "PersistentVolumeClaim had no name");
      return found;
    }
    const cluster::ClaimPtr claim = volumes.claim(context.ns, name);
    if (!claim) {
      give_up(Code::UnschedulableAndUnresolvable,
              fmt::format("looking up PVC {}/{}: {}", context.cluster.text(context.ns), name, claim_not_found(name)));
      return found;
    }
    if (use.ephemeral && !belongs_to(*claim, context.pod)) {
      give_up(Code::Error, not_owner(context, name));
      return found;
    }
    if (auto wanted = attachable(volumes, *claim, context.ns)) found.volumes.push_back(*wanted);
  }
  for (const MigratedVolume& volume : context.compiled_spec.migrated) {
    if (volume.handle == Symbol::Empty) {
      give_up(Code::Error, "an inline volume cannot be translated for its CSI driver");
      found.only_with_csi_node = true;
      return found;
    }
    found.volumes.push_back(attachable(context, volume));
  }
  return found;
}

// Volumes of assigned pods that cannot be resolved are not counted: they must not make the node infeasible.
void add_volumes_of(const AssignedPod& pod, const PodContext& context, std::vector<Attachable>& used) {
  const Volumes& volumes = context.cluster.volumes();
  for (const ClaimUse& use : pod.compiled_spec->claims) {
    const cluster::ClaimPtr claim =
        use.ephemeral ? volumes.claim(pod.ns, use.claim(pod.name)) : volumes.claim(pod.ns, use.name);
    if (!claim || (use.ephemeral && claim->controller_uid != pod.uid)) continue;
    if (const auto found = attachable(volumes, *claim, pod.ns)) used.push_back(*found);
  }
  for (const MigratedVolume& volume : pod.compiled_spec->migrated) {
    if (volume.handle != Symbol::Empty) used.push_back(attachable(context, volume));
  }
}

void make_unique(std::vector<Attachable>& volumes) {
  std::ranges::sort(volumes);
  const auto [first, last] = std::ranges::unique(volumes);
  volumes.erase(first, last);
}

std::vector<Attachable> volumes_on(const PodContext& context, const cluster::NodeInfo& node) {
  std::vector<Attachable> used;
  for_each_pod_on(node, context.cluster, [&](const AssignedPod& pod) { add_volumes_of(pod, context, used); });
  return used;
}

void add_attached(const Volumes& volumes, std::string_view node, std::vector<Attachable>& used) {
  for (const cluster::Attachment& attachment : volumes.attachments_to(node)) {
    if (attachment.driver == Symbol::Empty || attachment.volume.empty()) continue;
    const cluster::VolumePtr volume = volumes.volume(attachment.volume);
    if (volume && volume->driver != Symbol::Empty) {
      used.push_back({attachment.driver, Symbol::Empty, volume->handle});
    }
  }
}

QueueingHint after_csi_node(const PodContext& /*waiting*/, const ClusterEvent& what) {
  return what.storage.limit_grew ? QueueingHint::Queue : QueueingHint::Skip;
}

QueueingHint after_pod_is_gone(const PodContext& /*waiting*/, const ClusterEvent& what) {
  const AssignedPod* gone = what.pod_before.get();
  const bool had_volumes =
      gone != nullptr && (!gone->compiled_spec->claims.empty() || !gone->compiled_spec->migrated.empty());
  return had_volumes ? QueueingHint::Queue : QueueingHint::Skip;
}

QueueingHint after_claim(const PodContext& waiting, const ClusterEvent& what) {
  return uses(waiting, what, Ephemeral::Included) ? QueueingHint::Queue : QueueingHint::Skip;
}

QueueingHint after_detaching(const PodContext& waiting, const ClusterEvent& what) {
  const bool by_claim = !waiting.compiled_spec.claims.empty();
  const bool in_line = std::ranges::find(waiting.compiled_spec.migrated, what.storage.driver, &MigratedVolume::driver)
                       != waiting.compiled_spec.migrated.end();
  return by_claim || in_line ? QueueingHint::Queue : QueueingHint::Skip;
}

}  // namespace

PreFilterResult NodeVolumeLimits::pre_filter(const PodContext& context, CycleState& state) const {
  if (context.compiled_spec.claims.empty() && context.compiled_spec.migrated.empty()) return {{Code::Skip, {}, {}}, {}};
  state.write(slot(), volumes_of_new_pod(context));
  return {};
}

Code NodeVolumeLimits::filter(const PodContext& context,
                              const CycleState& state,
                              const cluster::NodeInfo& node,
                              Reasons* why) const {
  const auto* cycle_data = state.find<NewVolumes>(slot());
  if (cycle_data == nullptr) return Code::Success;
  const Volumes& volumes = context.cluster.volumes();
  const cluster::CsiNode* csi = volumes.csi_node(node.node->name);
  if (cycle_data->problem != Code::Success && (csi != nullptr || !cycle_data->only_with_csi_node)) {
    if (why != nullptr) why->push_back(cycle_data->reason);
    return cycle_data->problem;
  }
  if (csi == nullptr) return Code::Success;
  std::vector<Attachable> fresh;
  for (const Attachable& volume : cycle_data->volumes) {
    if (csi->limit(volume.driver)) fresh.push_back(volume);
  }
  if (fresh.empty()) return Code::Success;
  make_unique(fresh);

  std::vector<Attachable> used = volumes_on(context, node);
  make_unique(used);
  std::erase_if(fresh, [&](const Attachable& volume) { return std::ranges::binary_search(used, volume); });
  add_attached(volumes, node.node->name, used);
  make_unique(used);
  for (const Attachable& volume : fresh) {
    const auto same_driver = [&](const Attachable& other) { return other.driver == volume.driver; };
    const auto count = std::ranges::count_if(used, same_driver) + std::ranges::count_if(fresh, same_driver);
    if (count <= *csi->limit(volume.driver)) continue;
    if (why != nullptr) why->emplace_back(kTooMany);
    return Code::Unschedulable;
  }
  return Code::Success;
}

std::vector<ClusterEventWithHint> NodeVolumeLimits::events_to_register() const {
  return {{EventResource::CsiNode, ActionType::Add, {}},
          {EventResource::CsiNode, ActionType::Update, after_csi_node},
          {EventResource::AssignedPod, ActionType::Delete, after_pod_is_gone},
          {EventResource::PersistentVolumeClaim, ActionType::Add, after_claim},
          {EventResource::VolumeAttachment, ActionType::Delete, after_detaching}};
}

std::unique_ptr<Plugin> make_node_volume_limits(const PluginArgs* /*args*/) {
  return std::make_unique<NodeVolumeLimits>();
}

}  // namespace rescheduler::placement
