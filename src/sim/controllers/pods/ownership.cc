#include "sim/controllers/pods/ownership.h"

#include "kube/codec/metadata.h"
#include "kube/codec/resource.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/meta.pb.h"
#include "kube/value/repeated.h"
#include "sim/server/conditions.h"

namespace rescheduler::sim {

api::OwnerReference controller_reference(const Message& owner) {
  const kube::ResourceType& type = kube::resource_of(*owner.GetDescriptor());
  const api::ObjectMeta& metadata = kube::metadata_of(owner);
  api::OwnerReference reference;
  reference.set_api_version(type.api_version());
  reference.set_kind(std::string(type.kind));
  reference.set_name(metadata.name());
  reference.set_uid(metadata.uid());
  reference.set_controller(true);
  reference.set_block_owner_deletion(true);
  return reference;
}

bool add_controller(api::ObjectMeta& metadata, const api::OwnerReference& controller) {
  if (controller_of(metadata) != nullptr || metadata.has_deletion_timestamp()) return false;
  for (auto& reference : *metadata.mutable_owner_references()) {
    if (reference.uid() != controller.uid()) continue;
    reference = controller;
    return true;
  }
  *metadata.add_owner_references() = controller;
  return true;
}

void remove_owner(api::ObjectMeta& metadata, std::string_view uid) {
  kube::erase_if(*metadata.mutable_owner_references(), [uid](const auto& owner) { return owner.uid() == uid; });
}

std::vector<const PodView*> claim_pods(Server& server,
                                       const PodIndex& index,
                                       const Message& owner,
                                       const kube::LabelSelector& selector,
                                       const std::function<bool(const PodView&)>& counts) {
  const api::ObjectMeta& metadata = kube::metadata_of(owner);
  const bool dying = metadata.has_deletion_timestamp();
  std::vector<const PodView*> claimed;
  std::vector<std::pair<std::string, std::string>> released;
  for (const PodView* pod : index.of_owner(metadata.uid())) {
    if (counts && !counts(*pod)) continue;
    if (selector.matches(pod->labels().lookup())) {
      claimed.push_back(pod);
    } else if (!dying && !pod->terminating()) {
      released.emplace_back(pod->ns(), pod->name());
    }
  }
  std::vector<std::string> adopted;
  if (!dying) {
    for (const PodView* pod : index.orphans(metadata.namespace_(), selector)) {
      if (!pod->terminating() && (!counts || counts(*pod))) adopted.emplace_back(pod->name());
    }
  }
  for (const auto& [ns, name] : released) {
    static_cast<void>(server.modify<api::Pod>(
        ns, name, [&metadata](api::Pod& pod) { remove_owner(*pod.mutable_metadata(), metadata.uid()); }));
  }
  for (const std::string& name : adopted) {
    const auto taken = server.modify<api::Pod>(metadata.namespace_(), name, [&owner](api::Pod& pod) {
      static_cast<void>(add_controller(*pod.mutable_metadata(), controller_reference(owner)));
    });
    if (!taken) continue;
    const PodView* pod = index.find(metadata.namespace_(), name);
    if (pod != nullptr && pod->owner_uid() == metadata.uid()) claimed.push_back(pod);
  }
  return claimed;
}

}  // namespace rescheduler::sim
