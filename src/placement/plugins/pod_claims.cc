#include "placement/plugins/pod_claims.h"

#include <fmt/core.h>

#include "kube/proto/core_pod.pb.h"

namespace rescheduler::placement {

bool uses(const PodContext& waiting, const cluster::ClusterEvent& what, Ephemeral ephemeral) {
  if (waiting.cluster.text(waiting.ns) != what.ns) return false;
  for (const cluster::ClaimUse& use : waiting.compiled_spec.claims) {
    if (use.ephemeral && ephemeral == Ephemeral::LeftOut) continue;
    if (use.claim(waiting.pod.metadata().name()) == what.name) return true;
  }
  return false;
}

bool belongs_to(const cluster::Claim& claim, const api::Pod& pod) {
  return !claim.controller_uid.empty() && claim.controller_uid == pod.metadata().uid();
}

std::string claim_not_found(std::string_view name) {
  return fmt::format("persistentvolumeclaim \"{}\" not found", name);
}

std::string not_owner(const PodContext& context, std::string_view claim) {
  const std::string& ns = context.cluster.text(context.ns);
  return fmt::format("PVC {}/{} was not created for pod {}/{} (pod is not owner)", ns, claim, ns,
                     context.pod.metadata().name());
}

}  // namespace rescheduler::placement
