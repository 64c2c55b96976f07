#include "placement/plugins/node_volume_limits.h"

#include <algorithm>
#include <compare>

#include <fmt/core.h>

#include "kube/proto/core_pod.pb.h"
#include "placement/plugins/pod_claims.h"

namespace rescheduler::placement {
namespace {

using cluster::Change;
using cluster::ClaimUse;
using cluster::Happening;
using cluster::MigratedVolume;
using cluster::PlacedPod;
using cluster::Subject;
using cluster::Symbol;
using cluster::Volumes;

constexpr std::string_view kTooMany = "node(s) exceed max volume count";

// A volume as its driver knows it, or the claim it will be made for. The texts are the model's own.
struct Attachable {
  Symbol driver = Symbol::Empty;
  Symbol ns = Symbol::Empty;  // of the claim; empty: `id` is the handle of a volume
  std::string_view id{};
  friend auto operator<=>(const Attachable&, const Attachable&) = default;
};

// The incoming pod's volumes. Those that a driver serves in place of an in-tree plugin are the driver's only on nodes
// with a CSINode; but without one there is no limit either, so they are the same for every node.
struct NewVolumes final : Notes {
  std::vector<Attachable> volumes{};
  // What Filter answers instead.
  Code problem = Code::Success;
  std::string reason{};
  bool only_with_csi_node = false;  // ... and only on nodes that have one
  std::unique_ptr<Notes> clone() const override { return std::make_unique<NewVolumes>(*this); }
};

// Nothing: no driver's limit counts this claim.
std::optional<Attachable> attachable(const Volumes& volumes, const cluster::Claim& claim, Symbol ns) {
  if (const cluster::VolumePtr volume = claim.volume.empty() ? nullptr : volumes.volume(claim.volume)) {
    const bool in_tree = volume->driver == Symbol::Empty && volume->migration.has_value();
    const Symbol driver = in_tree ? volume->migration->driver : volume->driver;
    // The volume stays in the model for as long as the decision takes, and the text with it.
    const std::string_view handle = in_tree ? volume->migration->handle : volume->handle;
    if (driver == Symbol::Empty || handle.empty()) return std::nullopt;
    return Attachable{driver, Symbol::Empty, handle};
  }
  // Not made yet, or not there any more: it counts for the one who would make it.
  const cluster::StorageClass* made_by = volumes.storage_class(claim.storage_class);
  if (claim.storage_class == Symbol::Empty || made_by == nullptr || made_by->counted_driver == Symbol::Empty) {
    return std::nullopt;
  }
  return Attachable{made_by->counted_driver, ns, claim.name};
}

Attachable attachable(const Question& asked, const MigratedVolume& volume) {
  return {volume.driver, Symbol::Empty, asked.cluster.text(volume.handle)};
}

NewVolumes volumes_of_new_pod(const Question& asked) {
  NewVolumes found;
  const Volumes& volumes = asked.cluster.volumes();
  const auto give_up = [&](Code code, std::string reason) {
    found.problem = code;
    found.reason = std::move(reason);
  };
  for (const ClaimUse& use : asked.form.claims) {
    const std::string name = use.claim(asked.pod.metadata().name());
    if (name.empty()) {
      give_up(Code::Error, "PersistentVolumeClaim had no name");
      return found;
    }
    const cluster::ClaimPtr claim = volumes.claim(asked.ns, name);
    if (!claim) {
      give_up(Code::UnschedulableAndUnresolvable,
              fmt::format("looking up PVC {}/{}: {}", asked.cluster.text(asked.ns), name, claim_not_found(name)));
      return found;
    }
    if (use.ephemeral && !belongs_to(*claim, asked.pod)) {
      give_up(Code::Error, not_owner(asked, name));
      return found;
    }
    if (auto wanted = attachable(volumes, *claim, asked.ns)) found.volumes.push_back(*wanted);
  }
  for (const MigratedVolume& volume : asked.form.migrated) {
    if (volume.handle == Symbol::Empty) {
      give_up(Code::Error, "an inline volume cannot be translated for its CSI driver");
      found.only_with_csi_node = true;
      return found;
    }
    found.volumes.push_back(attachable(asked, volume));
  }
  return found;
}

// What cannot be made sense of is not counted: a running pod is no reason to give up on a node.
void add_volumes_of(const PlacedPod& pod, const Question& asked, std::vector<Attachable>& used) {
  const Volumes& volumes = asked.cluster.volumes();
  for (const ClaimUse& use : pod.form->claims) {
    const cluster::ClaimPtr claim =
        use.ephemeral ? volumes.claim(pod.ns, use.claim(pod.name)) : volumes.claim(pod.ns, use.name);
    if (!claim || (use.ephemeral && claim->controller_uid != pod.uid)) continue;
    if (const auto found = attachable(volumes, *claim, pod.ns)) used.push_back(*found);
  }
  for (const MigratedVolume& volume : pod.form->migrated) {
    if (volume.handle != Symbol::Empty) used.push_back(attachable(asked, volume));
  }
}

void make_unique(std::vector<Attachable>& volumes) {
  std::ranges::sort(volumes);
  const auto [first, last] = std::ranges::unique(volumes);
  volumes.erase(first, last);
}

// Everything on the node that counts: what its pods use, and what is attached without a pod that uses it.
std::vector<Attachable> volumes_on(const Question& asked, const cluster::NodeState& node) {
  std::vector<Attachable> used;
  for_each_pod_on(node, asked.cluster, [&](const PlacedPod& pod) { add_volumes_of(pod, asked, used); });
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

Hint after_csi_node(const Question& /*waiting*/, const Happening& what) {
  return what.storage.limit_grew ? Hint::Queue : Hint::Skip;
}

Hint after_pod_is_gone(const Question& /*waiting*/, const Happening& what) {
  const PlacedPod* gone = what.pod_before.get();
  const bool had_volumes = gone != nullptr && (!gone->form->claims.empty() || !gone->form->migrated.empty());
  return had_volumes ? Hint::Queue : Hint::Skip;
}

Hint after_claim(const Question& waiting, const Happening& what) {
  return uses(waiting, what, Ephemeral::Included) ? Hint::Queue : Hint::Skip;
}

Hint after_detaching(const Question& waiting, const Happening& what) {
  const bool by_claim = !waiting.form.claims.empty();
  const bool in_line = std::ranges::find(waiting.form.migrated, what.storage.driver, &MigratedVolume::driver)
                       != waiting.form.migrated.end();
  return by_claim || in_line ? Hint::Queue : Hint::Skip;
}

}  // namespace

PreFilterResult NodeVolumeLimits::pre_filter(const Question& asked, CycleState& state) const {
  if (asked.form.claims.empty() && asked.form.migrated.empty()) return {{Code::Skip, {}, {}}, {}};
  state.write(slot(), volumes_of_new_pod(asked));
  return {};
}

Code NodeVolumeLimits::filter(const Question& asked,
                              const CycleState& state,
                              const cluster::NodeState& node,
                              Reasons* why) const {
  const auto* notes = state.find<NewVolumes>(slot());
  if (notes == nullptr) return Code::Success;
  const Volumes& volumes = asked.cluster.volumes();
  const cluster::CsiNode* csi = volumes.csi_node(node.node->name);
  if (notes->problem != Code::Success && (csi != nullptr || !notes->only_with_csi_node)) {
    if (why != nullptr) why->push_back(notes->reason);
    return notes->problem;
  }
  if (csi == nullptr) return Code::Success;
  std::vector<Attachable> fresh;
  for (const Attachable& volume : notes->volumes) {
    if (csi->limit(volume.driver)) fresh.push_back(volume);
  }
  if (fresh.empty()) return Code::Success;
  make_unique(fresh);

  std::vector<Attachable> used = volumes_on(asked, node);
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

std::vector<Interest> NodeVolumeLimits::interests() const {
  return {{Subject::CsiNode, Change::Add, {}},
          {Subject::CsiNode, Change::Update, after_csi_node},
          {Subject::AssignedPod, Change::Delete, after_pod_is_gone},
          {Subject::PersistentVolumeClaim, Change::Add, after_claim},
          {Subject::VolumeAttachment, Change::Delete, after_detaching}};
}

std::unique_ptr<Plugin> make_node_volume_limits(const PluginArgs* /*args*/) {
  return std::make_unique<NodeVolumeLimits>();
}

}  // namespace rescheduler::placement
