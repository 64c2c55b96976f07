#include "cluster/volumes/volume_use.h"

namespace rescheduler::cluster {

void VolumeUse::pod_added(const AssignedPod& pod) {
  for (const ClaimUse& use : pod.compiled_spec->claims) {
    if (!use.ephemeral) ++users_.write()[OwnedClaimKey{pod.ns, use.name}];
  }
}

void VolumeUse::pod_removed(const AssignedPod& pod) {
  for (const ClaimUse& use : pod.compiled_spec->claims) {
    if (use.ephemeral) continue;
    auto& users = users_.write();
    const auto found = users.find(ClaimKey{pod.ns, use.name});
    if (found != users.end() && --found->second == 0) users.erase(found);
  }
}

std::int64_t VolumeUse::users(Symbol ns, std::string_view claim) const {
  const auto found = users_->find(ClaimKey{ns, claim});
  return found == users_->end() ? 0 : found->second;
}

}  // namespace rescheduler::cluster
