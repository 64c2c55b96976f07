// Controller references: which object controls a pod, and how a workload adopts matching orphans and releases pods that
// no longer match its selector.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/value/label_selector.h"
#include "sim/controllers/pods/pod_index.h"
#include "sim/server/server.h"

namespace rescheduler::api {
class ObjectMeta;
class OwnerReference;
}  // namespace rescheduler::api

namespace rescheduler::sim {

// The owner reference that makes `owner`, an object of a kind with a wire type, the controller.
api::OwnerReference controller_reference(const Message& owner);
// False if another object controls it already, or if it is being deleted.
bool add_controller(api::ObjectMeta& metadata, const api::OwnerReference& controller);
void remove_owner(api::ObjectMeta& metadata, std::string_view uid);

// Adopts and releases pods, then returns the owner's pods among those for which `counts` is true (null: all). An owner
// that is being deleted neither adopts nor releases.
std::vector<const PodView*> claim_pods(Server& server,
                                       const PodIndex& index,
                                       const Message& owner,
                                       const kube::LabelSelector& selector,
                                       const std::function<bool(const PodView&)>& counts = {});

}  // namespace rescheduler::sim
