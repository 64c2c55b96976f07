// Who controls a pod: references to controllers, and how a workload takes in orphans that match its selector and lets
// go of pods that no longer do.
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

// The reference that marks `owner`, an object of a kind with a wire type, as the controller.
api::OwnerReference controller_reference(const Message& owner);
// False when somebody else controls it by now, or it is being deleted.
bool add_controller(api::ObjectMeta& metadata, const api::OwnerReference& controller);
void remove_owner(api::ObjectMeta& metadata, std::string_view uid);

// The pods among those admitted by `counts` (null: all) that are, from now on, the owner's. An owner that is being
// deleted neither adopts nor releases.
std::vector<const PodView*> claim_pods(Server& server,
                                       const PodIndex& index,
                                       const Message& owner,
                                       const kube::LabelSelector& selector,
                                       const std::function<bool(const PodView&)>& counts = {});

}  // namespace rescheduler::sim
