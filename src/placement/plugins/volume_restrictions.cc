#include "placement/plugins/volume_restrictions.h"

#include <algorithm>

#include "placement/plugins/pod_claims.h"

namespace rescheduler::placement {
namespace {

using cluster::Change;
using cluster::ClaimUse;
using cluster::InlineDisk;
using cluster::PlacedPod;
using cluster::Subject;

constexpr std::string_view kDiskTaken = "node(s) had no available disk";
constexpr std::string_view kClaimTaken =
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod";

struct ExclusiveClaims final : Notes {
  std::vector<std::string> names{};  // that no other pod may use
  std::int64_t users = 0;            // that do all the same
  std::unique_ptr<Notes> clone() const override { return std::make_unique<ExclusiveClaims>(*this); }
};

bool share_a_monitor(const InlineDisk& a, const InlineDisk& b) {
  return std::ranges::any_of(
      a.monitors, [&](cluster::Symbol monitor) { return std::ranges::find(b.monitors, monitor) != b.monitors.end(); });
}

bool collide(const InlineDisk& a, const InlineDisk& b) {
  if (a.kind != b.kind || a.id != b.id) return false;
  if (a.kind == InlineDisk::Kind::AwsElasticBlockStore) return true;  // not even for reading
  if (a.kind == InlineDisk::Kind::Rbd && !share_a_monitor(a, b)) return false;
  return !(a.read_only && b.read_only);
}

bool any_collide(const std::vector<InlineDisk>& wanted, const std::vector<InlineDisk>& used) {
  return std::ranges::any_of(wanted, [&](const InlineDisk& want) {
    return std::ranges::any_of(used, [&](const InlineDisk& use) { return collide(want, use); });
  });
}

std::int64_t uses_of(const ExclusiveClaims& claims, const Question& asked, const PlacedPod& pod) {
  if (pod.ns != asked.ns) return 0;
  return std::ranges::count_if(pod.form->claims, [&](const ClaimUse& use) {
    return !use.ephemeral && std::ranges::find(claims.names, use.name) != claims.names.end();
  });
}

bool share_a_claim(const cluster::PodForm& a, const cluster::PodForm& b) {
  return std::ranges::any_of(a.claims, [&](const ClaimUse& use) {
    return !use.ephemeral && std::ranges::find(b.claims, use) != b.claims.end();
  });
}

Hint after_pod_is_gone(const Question& waiting, const cluster::Happening& what) {
  const PlacedPod* gone = what.pod_before.get();
  if (gone == nullptr || gone->ns != waiting.ns) return Hint::Skip;
  const bool freed = any_collide(waiting.form.disks, gone->form->disks) || share_a_claim(waiting.form, *gone->form);
  return freed ? Hint::Queue : Hint::Skip;
}

Hint after_claim_came(const Question& waiting, const cluster::Happening& what) {
  return uses(waiting, what, Ephemeral::LeftOut) ? Hint::Queue : Hint::Skip;
}

}  // namespace

PreFilterResult VolumeRestrictions::pre_filter(const Question& asked, CycleState& state) const {
  ExclusiveClaims found;
  const cluster::Volumes& volumes = asked.cluster.volumes();
  for (const ClaimUse& use : asked.form.claims) {
    if (use.ephemeral) continue;
    const cluster::ClaimPtr claim = volumes.claim(asked.ns, use.name);
    if (!claim) return {{Code::UnschedulableAndUnresolvable, {claim_not_found(use.name)}, {}}, {}};
    const bool known = std::ranges::find(found.names, use.name) != found.names.end();
    if (known || !claim->modes.only_one_pod()) continue;
    found.names.push_back(use.name);
    if (volumes.use().users(asked.ns, use.name) > 0) ++found.users;
  }
  if (asked.form.disks.empty() && found.users == 0) return {{Code::Skip, {}, {}}, {}};
  state.write(slot(), std::move(found));
  return {};
}

void VolumeRestrictions::add_pod(const Question& asked,
                                 CycleState& state,
                                 const PlacedPod& pod,
                                 const cluster::NodeState& /*node*/) const {
  if (auto* claims = state.find<ExclusiveClaims>(slot())) claims->users += uses_of(*claims, asked, pod);
}

void VolumeRestrictions::remove_pod(const Question& asked,
                                    CycleState& state,
                                    const PlacedPod& pod,
                                    const cluster::NodeState& /*node*/) const {
  if (auto* claims = state.find<ExclusiveClaims>(slot())) claims->users -= uses_of(*claims, asked, pod);
}

Code VolumeRestrictions::filter(const Question& asked,
                                const CycleState& state,
                                const cluster::NodeState& node,
                                Reasons* why) const {
  bool taken = false;
  if (!asked.form.disks.empty()) {
    for_each_pod_on(node, asked.cluster,
                    [&](const PlacedPod& pod) { taken = taken || any_collide(asked.form.disks, pod.form->disks); });
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

std::vector<Interest> VolumeRestrictions::interests() const {
  return {{Subject::AssignedPod, Change::Delete, after_pod_is_gone},
          {Subject::Node, Change::Add, {}},
          {Subject::PersistentVolumeClaim, Change::Add, after_claim_came}};
}

std::unique_ptr<Plugin> make_volume_restrictions(const PluginArgs* /*args*/) {
  return std::make_unique<VolumeRestrictions>();
}

}  // namespace rescheduler::placement
