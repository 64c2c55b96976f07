#include "sim/controllers/garbage/garbage_collector.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <google/protobuf/message.h>

#include "kube/codec/metadata.h"
#include "kube/proto/meta.pb.h"
#include "kube/value/repeated.h"

namespace rescheduler::sim {
namespace {

std::string to_key(UidHash uid) { return fmt::format("{:016x}{:016x}", uid.high, uid.low); }

UidHash from_key(std::string_view key) {
  UidHash uid;
  const char* middle = std::next(key.begin(), 16);
  std::from_chars(key.begin(), middle, uid.high, 16);
  std::from_chars(middle, key.end(), uid.low, 16);
  return uid;
}

// Events neither own objects nor have owners.
bool left_out(const Kind& kind) { return kind.kind == "Event"; }

void drop_finalizer(api::ObjectMeta& metadata, std::string_view finalizer) {
  kube::erase_if(*metadata.mutable_finalizers(), [&](const auto& one) { return one == finalizer; });
}

const Kind* kind_of(const KindRegistry& kinds, const api::OwnerReference& owner) {
  const std::string_view api_version = owner.api_version();
  const auto slash = api_version.find('/');
  if (slash == std::string_view::npos) return kinds.find_kind({}, api_version, owner.kind());
  return kinds.find_kind(api_version.substr(0, slash), api_version.substr(slash + 1), owner.kind());
}

}  // namespace

GarbageCollector::GarbageCollector(const ControllerScope& scope)
    : server_(scope.server), queue_(server_.agenda(), scope.lag, [this](const std::string& key) { reconcile(key); }) {
  // An object whose owner comes later in this loop is checked again when all objects are known.
  for (const Kind* kind : server_.kinds().served()) {
    if (left_out(*kind)) continue;
    server_.store().for_each(*kind, "", "", [&](const VersionPtr& version) {
      put(*kind, kube::metadata_of(*version->object()));
      return true;
    });
  }
  on_all_ = server_.store().subscribe(nullptr, [this](const Change& change) { changed(change); });
}

void GarbageCollector::changed(const Change& change) {
  if (left_out(change.kind())) return;
  const ObjectPtr object = change.after->object();
  const api::ObjectMeta& metadata = kube::metadata_of(*object);
  if (change.what == Change::What::Deleted) {
    erase(metadata);
  } else {
    put(change.kind(), metadata);
  }
}

void GarbageCollector::put(const Kind& kind, const api::ObjectMeta& metadata) {
  const ObjectGraph::Difference difference = graph_.put(kind, metadata);
  const UidHash uid = UidHash::of(metadata.uid());
  if (difference.new_links) {
    const bool all_solid = std::ranges::all_of(metadata.owner_references(), [&](const api::OwnerReference& owner) {
      return standing(owner, metadata) == Standing::Solid;
    });
    if (!all_solid) look_at(uid);
  }
  if (difference.before == difference.after) return;
  if (difference.after == Ending::Foreground) look_at_dependents(uid);
  if (difference.after == Ending::Foreground || difference.after == Ending::Orphaning) look_at(uid);
}

void GarbageCollector::erase(const api::ObjectMeta& metadata) {
  const UidHash uid = UidHash::of(metadata.uid());
  for (const ObjectGraph::Link& link : graph_.erase(metadata)) {
    if (graph_.ending(link.owner) == Ending::Foreground) look_at(link.owner);
  }
  look_at_dependents(uid);
}

void GarbageCollector::look_at(UidHash uid) { queue_.add(to_key(uid)); }

void GarbageCollector::look_at_dependents(UidHash owner) {
  for (const UidHash dependent : graph_.dependents(owner)) look_at(dependent);
}

GarbageCollector::Standing GarbageCollector::standing(const api::OwnerReference& owner,
                                                      const api::ObjectMeta& dependent) const {
  const Kind* kind = kind_of(server_.kinds(), owner);
  // An owner of an unknown kind counts as existing. So does a namespaced owner of a cluster-scoped object, which
  // Kubernetes does not allow.
  if (kind == nullptr || (kind->namespaced && dependent.namespace_().empty())) return Standing::Solid;
  if (!graph_.resolves(owner, dependent.namespace_())) return Standing::Dangling;
  return graph_.ending(UidHash::of(owner.uid())) == Ending::Foreground ? Standing::Waiting : Standing::Solid;
}

VersionPtr GarbageCollector::current(UidHash uid, const ObjectGraph::Place& place) const {
  VersionPtr version = server_.store().find(*place.kind, place.ns, place.name);
  if (!version || UidHash::of(kube::metadata_of(*version->object()).uid()) != uid) return nullptr;
  return version;
}

void GarbageCollector::reconcile(const std::string& key) {
  const UidHash uid = from_key(key);
  const ObjectGraph::Place* place = graph_.place(uid);
  const VersionPtr version = place ? current(uid, *place) : nullptr;
  if (!version) return queue_.forget_failures(key);
  bool done = true;
  switch (graph_.ending(uid)) {
    case Ending::None: done = judge(uid, *version); break;
    case Ending::Deleting: break;  // already terminating
    case Ending::Foreground: done = finish_foreground(uid, *version); break;
    case Ending::Orphaning: done = orphan_dependents(uid, *version); break;
  }
  if (done) {
    queue_.forget_failures(key);
  } else {
    queue_.add_after_failure(key);
  }
}

bool GarbageCollector::finish_foreground(UidHash uid, const Version& version) {
  bool blocked = false;
  for (const UidHash dependent : graph_.dependents(uid)) {
    if (!graph_.exists(dependent) || !graph_.blocks(dependent, uid)) continue;
    blocked = true;
    if (graph_.ending(dependent) == Ending::None) look_at(dependent);
  }
  if (blocked) return true;  // the deletion of the last dependent triggers the next reconcile
  return change_metadata(version, [](api::ObjectMeta& metadata) { drop_finalizer(metadata, "foregroundDeletion"); });
}

bool GarbageCollector::orphan_dependents(UidHash uid, const Version& version) {
  const std::string owner_uid = kube::metadata_of(*version.object()).uid();
  bool done = true;
  for (const UidHash dependent : graph_.dependents(uid)) {
    const ObjectGraph::Place* place = graph_.place(dependent);
    const VersionPtr found = place ? current(dependent, *place) : nullptr;
    if (!found) continue;
    done = change_metadata(*found,
                           [&owner_uid](api::ObjectMeta& metadata) {
                             kube::erase_if(*metadata.mutable_owner_references(),
                                            [&](const auto& owner) { return owner.uid() == owner_uid; });
                           })
           && done;
  }
  if (!done) return false;
  return change_metadata(version, [](api::ObjectMeta& metadata) { drop_finalizer(metadata, "orphan"); });
}

bool GarbageCollector::judge(UidHash uid, const Version& version) {
  const ObjectPtr object = version.object();
  const api::ObjectMeta& metadata = kube::metadata_of(*object);
  int solid = 0;
  int waiting = 0;
  for (const api::OwnerReference& owner : metadata.owner_references()) {
    const Standing is = standing(owner, metadata);
    solid += is == Standing::Solid ? 1 : 0;
    waiting += is == Standing::Waiting ? 1 : 0;
  }
  if (solid == metadata.owner_references_size()) return true;  // also if it has no owner
  if (solid > 0) {
    // At least one owner exists: remove only the references to the others.
    return change_metadata(version, [this](api::ObjectMeta& changed) {
      const api::ObjectMeta dependent = changed;
      kube::erase_if(*changed.mutable_owner_references(),
                     [&](const auto& owner) { return standing(owner, dependent) != Standing::Solid; });
    });
  }
  const std::vector<UidHash> below = graph_.dependents(uid);
  if (waiting == 0 || below.empty()) return remove(version, "Background");
  // A dependent in foreground deletion can mean a cycle, in which each object waits for another one. To break the
  // cycle, this object stops blocking its owners.
  const bool circle =
      std::ranges::any_of(below, [this](UidHash dependent) { return graph_.ending(dependent) == Ending::Foreground; });
  if (!circle) return remove(version, "Foreground");
  const bool unblocked = change_metadata(version, [](api::ObjectMeta& changed) {
    for (auto& owner : *changed.mutable_owner_references()) owner.set_block_owner_deletion(false);
  });
  const VersionPtr now =
      unblocked ? server_.store().find(version.kind(), metadata.namespace_(), metadata.name()) : nullptr;
  return now && remove(*now, "Foreground");
}

bool GarbageCollector::remove(const Version& version, std::string_view policy) {
  const ObjectPtr object = version.object();
  const api::ObjectMeta& metadata = kube::metadata_of(*object);
  api::DeleteOptions options;
  options.set_propagation_policy(std::string(policy));
  // An existing finalizer defines the propagation policy.
  for (const std::string& finalizer : metadata.finalizers()) {
    if (finalizer == "orphan") options.set_propagation_policy("Orphan");
    if (finalizer == "foregroundDeletion") options.set_propagation_policy("Foreground");
  }
  options.mutable_preconditions()->set_uid(metadata.uid());
  const auto removed = server_.remove(version.kind(), metadata.namespace_(), metadata.name(), options);
  return removed || removed.error().code == 404 || removed.error().code == 409;
}

bool GarbageCollector::change_metadata(const Version& version, const std::function<void(api::ObjectMeta&)>& change) {
  const ObjectPtr object = version.object();
  MessagePtr changed(object->New());
  changed->CopyFrom(*object);
  change(kube::mutable_metadata_of(*changed));
  const api::ObjectMeta& metadata = kube::metadata_of(*object);
  const auto written = server_.update(version.kind(), metadata.namespace_(), metadata.name(), "", std::move(changed),
                                      {.manager = "kube-controller-manager"});
  return written || written.error().code == 404;
}

}  // namespace rescheduler::sim
