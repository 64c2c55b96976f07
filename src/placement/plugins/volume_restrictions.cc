#include "placement/plugins/volume_restrictions.h"

#include <algorithm>

#include "placement/plugins/pod_claims.h"

namespace rescheduler::placement {
namespace {

using cluster::ActionType;
using cluster::AssignedPod;
using cluster::ClaimUse;
using cluster::EventResource;
using cluster::InlineDisk;

constexpr std::string_view kDiskTaken = "node(s) had no available disk";
constexpr std::string_view kClaimTaken =
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod";

struct ExclusiveClaims final : StateData {
  std::vector<std::string> names{};  // claims that no other pod may use
  std::int64_t users = 0;            // uses of these claims by other pods
  std::unique_ptr<StateData> clone() const override { return std::make_unique<ExclusiveClaims>(*this); }
};

bool share_a_monitor(const InlineDisk& a, const InlineDisk& b) {
  return std::ranges::any_of(
      a.monitors, [&](cluster::Symbol monitor) { return std::ranges::find(b.monitors, monitor) != b.monitors.end(); });
}

bool collide(const InlineDisk& a, const InlineDisk& b) {
  if (a.kind != b.kind || a.id != b.id) return false;
  if (a.kind == InlineDisk::Kind::AwsElasticBlockStore) return true;  // not even read-only
  if (a.kind == InlineDisk::Kind::Rbd && !share_a_monitor(a, b)) return false;
  return !(a.read_only && b.read_only);
}

bool any_collide(const std::vector<InlineDisk>& wanted, const std::vector<InlineDisk>& used) {
  return std::ranges::any_of(wanted, [&](const InlineDisk& want) {
    return std::ranges::any_of(used, [&](const InlineDisk& use) { return collide(want, use); });
  });
}

std::int64_t uses_of(const ExclusiveClaims& claims, const PodContext& context, const AssignedPod& pod) {
  if (pod.ns != context.ns) return 0;
  return std::ranges::count_if(pod.compiled_spec->claims, [&](const ClaimUse& use) {
    return !use.ephemeral && std::ranges::find(claims.names, use.name) != claims.names.end();
  });
}

bool share_a_claim(const cluster::CompiledPodSpec& a, const cluster::CompiledPodSpec& b) {
  return std::ranges::any_of(a.claims, [&](const ClaimUse& use) {
    return !use.ephemeral && std::ranges::find(b.claims, use) != b.claims.end();
  });
}

QueueingHint after_pod_is_gone(const PodContext& waiting, const cluster::ClusterEvent& what) {
  const AssignedPod* gone = what.pod_before.get();
  if (gone == nullptr || gone->ns != waiting.ns) return QueueingHint::Skip;
  const bool freed = any_collide(waiting.compiled_spec.disks, gone->compiled_spec->disks)
                     || share_a_claim(waiting.compiled_spec, *gone->compiled_spec);
  return freed ? QueueingHint::Queue : QueueingHint::Skip;
}

QueueingHint after_claim_came(const PodContext& waiting, const cluster::ClusterEvent& what) {
  return uses(waiting, what, Ephemeral::LeftOut) ? QueueingHint::Queue : QueueingHint::Skip;
}

}  // namespace

PreFilterResult VolumeRestrictions::pre_filter(const PodContext& context, CycleState& state) const {
  ExclusiveClaims found;
  const cluster::Volumes& volumes = context.cluster.volumes();
  for (const ClaimUse& use : context.compiled_spec.claims) {
    if (use.ephemeral) continue;
    const cluster::ClaimPtr claim = volumes.claim(context.ns, use.name);
    if (!claim) return {{Code::UnschedulableAndUnresolvable, {claim_not_found(use.name)}, {}}, {}};
    const bool known = std::ranges::find(found.names, use.name) != found.names.end();
    if (known || !claim->modes.only_one_pod()) continue;
    found.names.push_back(use.name);
    if (volumes.use().users(context.ns, use.name) > 0) ++found.users;
  }
  if (context.compiled_spec.disks.empty() && found.users == 0) return {{Code::Skip, {}, {}}, {}};
  state.write(slot(), std::move(found));
  return {};
}

void VolumeRestrictions::add_pod(const PodContext& context,
                                 CycleState& state,
                                 const AssignedPod& pod,
                                 const cluster::NodeInfo& /*node*/) const {
  if (auto* claims = state.find<ExclusiveClaims>(slot())) claims->users += uses_of(*claims, context, pod);
}

void VolumeRestrictions::remove_pod(const PodContext& context,
                                    CycleState& state,
                                    const AssignedPod& pod,
                                    const cluster::NodeInfo& /*node*/) const {
  if (auto* claims = state.find<ExclusiveClaims>(slot())) claims->users -= uses_of(*claims, context, pod);
}

Code VolumeRestrictions::filter(const PodContext& context,
                                const CycleState& state,
                                const cluster::NodeInfo& node,
                                Reasons* why) const {
  bool taken = false;
  if (!context.compiled_spec.disks.empty()) {
    for_each_pod_on(node, context.cluster, [&](const AssignedPod& pod) {
      taken = taken || any_collide(context.compiled_spec.disks, pod.compiled_spec->disks);
    });
  }
  if (taken) {
    if (why != nullptr) why->emplace_back(kDiskTaken);
    return Code::Unschedulable;
  }
  const auto* claims = state.find<ExclusiveClaims>(slot());
  if (claims != nullptr && claims->users > 0) {
    if (why != nullptr) why->emplace_back(kClaimTaken);
    return Code::Unschedulable;
  }
  return Code::Success;
}

std::vector<ClusterEventWithHint> VolumeRestrictions::events_to_register() const {
  return {{EventResource::AssignedPod, ActionType::Delete, after_pod_is_gone},
          {EventResource::Node, ActionType::Add, {}},
          {EventResource::PersistentVolumeClaim, ActionType::Add, after_claim_came}};
}

std::unique_ptr<Plugin> make_volume_restrictions(const PluginArgs* /*args*/) {
  return std::make_unique<VolumeRestrictions>();
}

}  // namespace rescheduler::placement
