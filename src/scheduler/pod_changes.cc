#include "scheduler/pod_changes.h"

#include <algorithm>

#include "kube/proto/core_pod.pb.h"

namespace rescheduler::scheduler {
namespace {

bool same_labels(const api::Pod& a, const api::Pod& b) {
  const auto& left = a.metadata().labels();
  const auto& right = b.metadata().labels();
  return left.size() == right.size() && std::ranges::all_of(left, [&](const auto& label) {
           const auto found = right.find(label.first);
           return found != right.end() && found->second == label.second;
         });
}

}  // namespace

cluster::ActionTypes changes_between(const api::Pod& before,
                                     const cluster::CompiledPodSpec& spec_before,
                                     const api::Pod& after,
                                     const cluster::CompiledPodSpec& spec_after) {
  using cluster::ActionType;
  cluster::ActionTypes changes;
  if (!same_labels(before, after)) changes.add(ActionType::PodLabel);
  if (!before.spec().scheduling_gates().empty() && after.spec().scheduling_gates().empty()) {
    changes.add(ActionType::PodGatesGone);
  }
  if (before.spec().tolerations().size() != after.spec().tolerations().size()) changes.add(ActionType::PodToleration);
  const auto& had = spec_before.requirements->requests.plain;
  const auto& has = spec_after.requirements->requests.plain;
  if (has.falls_short_of(had)) changes.add(ActionType::PodScaleDown);
  if (had.falls_short_of(has)) changes.add(ActionType::PodScaleUp);
  if (before.status().resource_claim_statuses().size() != after.status().resource_claim_statuses().size()) {
    changes.add(ActionType::PodClaim);
  }
  // Status writes do not change the generation. The scheduler itself writes the status after each failure, and such an
  // update must not requeue the pod.
  if (changes.empty() && before.metadata().generation() != after.metadata().generation())
    changes.add(ActionType::Update);
  return changes;
}

}  // namespace rescheduler::scheduler
