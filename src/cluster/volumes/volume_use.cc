#include "cluster/volumes/volume_use.h"

namespace rescheduler::cluster {

void VolumeUse::pod_added(const AssignedPod& pod) {
  for (const ClaimUse& use : pod.compiled_spec->claims) {
    if (!use.ephemeral) ++users_[OwnedClaimKey{pod.ns, use.name}];
  }
}

void VolumeUse::pod_removed(const AssignedPod& pod) {
  for (const ClaimUse& use : pod.compiled_spec->claims) {
    if (use.ephemeral) continue;
    const auto found = users_.find(ClaimKey{pod.ns, use.name});
    if (found != users_.end() && --found->second == 0) users_.erase(found);
  }
}

std::int64_t VolumeUse::users(Symbol ns, std::string_view claim) const {
  const auto found = users_.find(ClaimKey{ns, claim});
  return found == users_.end() ? 0 : found->second;
}

}  // namespace rescheduler::cluster
