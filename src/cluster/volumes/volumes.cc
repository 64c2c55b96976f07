#include "cluster/volumes/volumes.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "cluster/interner.h"
#include "cluster/volumes/volume_compile.h"
#include "kube/proto/core_storage.pb.h"
#include "kube/proto/storage.pb.h"

namespace rescheduler::cluster {
namespace {

std::string_view word_of(EventResource resource) {
  switch (resource) {
    case EventResource::PersistentVolume: return "PersistentVolume";
    case EventResource::PersistentVolumeClaim: return "PersistentVolumeClaim";
    case EventResource::StorageClass: return "storage.k8s.io/StorageClass";
    case EventResource::CsiNode: return "storage.k8s.io/CSINode";
    case EventResource::CsiDriver: return "storage.k8s.io/CSIDriver";
    case EventResource::CsiStorageCapacity: return "storage.k8s.io/CSIStorageCapacity";
    default: return "storage.k8s.io/VolumeAttachment";
  }
}

ClusterEventPtr cluster_event(EventResource resource,
                              ActionType change,
                              std::string_view ns,
                              std::string_view name,
                              StorageChange storage_change = {}) {
  ClusterEvent what;
  what.resource = resource;
  what.actions = change;
  what.label = word_of(resource);
  what.label += change == ActionType::Add ? "Add" : change == ActionType::Delete ? "Delete" : "Update";
  what.ns = ns;
  what.name = name;
  what.storage = storage_change;
  return std::make_shared<const ClusterEvent>(std::move(what));
}

// Compares all fields except the version.
bool same(const Volume& a, const Volume& b) {
  return a.storage_class == b.storage_class && a.capacity == b.capacity && a.claim == b.claim
         && a.bound_by_controller == b.bound_by_controller && a.available == b.available
         && a.terminating == b.terminating && a.block == b.block && a.modes == b.modes
         && a.attributes_class == b.attributes_class && a.labels == b.labels && a.reach_hash == b.reach_hash
         && a.driver == b.driver && a.handle == b.handle && a.migration == b.migration;
}

bool same(const Claim& a, const Claim& b) {
  return a.uid == b.uid && a.controller_uid == b.controller_uid && a.storage_class == b.storage_class
         && a.volume == b.volume && a.bind_completed == b.bind_completed && a.lost == b.lost
         && a.terminating == b.terminating && a.selected_node == b.selected_node && a.request == b.request
         && a.block == b.block && a.modes == b.modes && a.attributes_class == b.attributes_class
         && a.selector == b.selector;
}

bool any_limit_grew(const CsiNode& before, const CsiNode& after) {
  return std::ranges::any_of(after.drivers, [&](const CsiNode::Driver& driver) {
    return driver.limit.value_or(0) > before.limit(driver.name).value_or(0);
  });
}

std::string joined(std::string_view ns, std::string_view name) {
  std::string key(ns);
  key += '/';
  key += name;
  return key;
}

void forget(auto& map, auto place, const std::string& name) {
  auto& list = place->second;
  std::erase(list, name);
  if (list.empty()) map.erase(place);
}

}  // namespace

Volumes::Volumes(const Volumes& other, Interner& interner)
    : interner_(interner), tables_(other.tables_), use_(other.use_) {}

// ---- PersistentVolumes.

const Volumes::Known<Volume>* Volumes::find(std::string_view name) const {
  const auto found = tables_.volumes->find(name);
  return found == tables_.volumes->end() ? nullptr : &found->second;
}

VolumePtr Volumes::volume(std::string_view name) const {
  const auto* known = find(name);
  return known == nullptr ? nullptr : known->current();
}

VolumePtr Volumes::api_volume(std::string_view name) const {
  const auto* known = find(name);
  return known == nullptr ? nullptr : known->api_object;
}

void Volumes::enter_class(Symbol name, const std::string& volume) {
  Names& names = tables_.by_class.write()[name];
  names.insert(std::ranges::lower_bound(names, volume), volume);
}

void Volumes::leave_class(Symbol name, const std::string& volume) {
  auto& by_class = tables_.by_class.write();
  const auto place = by_class.find(name);
  if (place != by_class.end()) forget(by_class, place, volume);
}

bool Volumes::same_zone_labels(LabelSetId a, LabelSetId b) const {
  constexpr std::array kKeys = {Symbol::BetaZone, Symbol::BetaRegion, Symbol::Zone, Symbol::Region};
  return a == b || std::ranges::all_of(kKeys, [&](Symbol key) {
           return interner_.labels.has(a, key) == interner_.labels.has(b, key)
                  && interner_.labels.value(a, key) == interner_.labels.value(b, key);
         });
}

ClusterEventPtr Volumes::upsert(const api::PersistentVolume& object) {
  auto compiled = std::make_shared<const Volume>(compile_volume(object, interner_));
  Known<Volume>& known = tables_.volumes.write()[compiled->name];
  const VolumePtr before = std::exchange(known.api_object, compiled);
  if (before && before->version != compiled->version) known.assumed = nullptr;
  if (!before || before->storage_class != compiled->storage_class) {
    if (before) leave_class(before->storage_class, before->name);
    enter_class(compiled->storage_class, compiled->name);
  }
  if (!before) return cluster_event(EventResource::PersistentVolume, ActionType::Add, "", compiled->name);
  if (same(*before, *compiled)) return nullptr;
  StorageChange storage_change;
  storage_change.topology_changed = !same_zone_labels(before->labels, compiled->labels);
  return cluster_event(EventResource::PersistentVolume, ActionType::Update, "", compiled->name, storage_change);
}

ClusterEventPtr Volumes::remove_volume(std::string_view name) {
  auto& volumes = tables_.volumes.write();
  const auto found = volumes.find(name);
  if (found == volumes.end()) return nullptr;
  leave_class(found->second.api_object->storage_class, found->first);
  volumes.erase(found);
  return cluster_event(EventResource::PersistentVolume, ActionType::Delete, "", name);
}

std::vector<VolumePtr> Volumes::volumes_of(Symbol storage_class) const {
  std::vector<VolumePtr> volumes;
  const auto found = tables_.by_class->find(storage_class);
  if (found == tables_.by_class->end()) return volumes;
  volumes.reserve(found->second.size());
  for (const std::string& name : found->second) volumes.push_back(tables_.volumes->find(name)->second.current());
  return volumes;
}

Result<VolumePtr> Volumes::assume_binding(const Volume& volume, const Claim& claim) {
  auto& volumes = tables_.volumes.write();
  const auto found = volumes.find(volume.name);
  if (found == volumes.end()) {
    return fail(Errc::Conflict, "PersistentVolume {} is gone", volume.name);
  }
  Known<Volume>& known = found->second;
  if (known.api_object->version != volume.version) {
    return fail(Errc::Conflict, "PersistentVolume {} has changed since it was chosen", volume.name);
  }
  Volume prebound = *known.api_object;
  // A volume that a user prebound stays marked as the user's. Only the claim's uid is added.
  if (!is_prebound_to(*known.api_object, claim)) prebound.bound_by_controller = true;
  prebound.claim = ClaimRef{claim.ns, claim.name, claim.uid};
  known.assumed = std::make_shared<const Volume>(std::move(prebound));
  return known.assumed;
}

void Volumes::revert(const Volume& volume) {
  auto& volumes = tables_.volumes.write();
  const auto found = volumes.find(volume.name);
  if (found != volumes.end() && found->second.api_object->version == volume.version) found->second.assumed = nullptr;
}

// ---- PersistentVolumeClaims.

const Volumes::Known<Claim>* Volumes::find(Symbol ns, std::string_view name) const {
  const auto found = tables_.claims->find(ClaimKey{ns, name});
  return found == tables_.claims->end() ? nullptr : &found->second;
}

ClaimPtr Volumes::claim(Symbol ns, std::string_view name) const {
  const auto* known = find(ns, name);
  return known == nullptr ? nullptr : known->current();
}

ClaimPtr Volumes::claim(std::string_view ns, std::string_view name) const {
  const auto symbol = interner_.symbols.find(ns);
  return symbol ? claim(*symbol, name) : nullptr;
}

ClaimPtr Volumes::api_claim(std::string_view ns, std::string_view name) const {
  const auto symbol = interner_.symbols.find(ns);
  const auto* known = symbol ? find(*symbol, name) : nullptr;
  return known == nullptr ? nullptr : known->api_object;
}

ClusterEventPtr Volumes::upsert(const api::PersistentVolumeClaim& object) {
  auto compiled = std::make_shared<const Claim>(compile_claim(object, interner_));
  Known<Claim>& known = tables_.claims.write()[OwnedClaimKey{interner_.symbols.intern(compiled->ns), compiled->name}];
  const ClaimPtr before = std::exchange(known.api_object, compiled);
  if (before && before->version != compiled->version) known.assumed = nullptr;
  if (before && same(*before, *compiled)) return nullptr;
  return cluster_event(EventResource::PersistentVolumeClaim, before ? ActionType::Update : ActionType::Add,
                       compiled->ns, compiled->name);
}

ClusterEventPtr Volumes::remove_claim(std::string_view ns, std::string_view name) {
  const auto symbol = interner_.symbols.find(ns);
  if (!symbol || tables_.claims.write().erase(ClaimKey{*symbol, name}) == 0) return nullptr;
  return cluster_event(EventResource::PersistentVolumeClaim, ActionType::Delete, ns, name);
}

Result<ClaimPtr> Volumes::assume_node(const Claim& claim, std::string_view node) {
  const auto symbol = interner_.symbols.find(claim.ns);
  auto& claims = tables_.claims.write();
  const auto found = symbol ? claims.find(ClaimKey{*symbol, claim.name}) : claims.end();
  if (found == claims.end()) return fail(Errc::Conflict, "claim {}/{} is gone", claim.ns, claim.name);
  Known<Claim>& known = found->second;
  if (known.api_object->version != claim.version) {
    return fail(Errc::Conflict, "claim {}/{} has changed since its node was chosen", claim.ns, claim.name);
  }
  Claim placed = *known.api_object;
  placed.selected_node = std::string(node);
  known.assumed = std::make_shared<const Claim>(std::move(placed));
  return known.assumed;
}

void Volumes::revert(const Claim& claim) {
  const auto symbol = interner_.symbols.find(claim.ns);
  auto& claims = tables_.claims.write();
  const auto found = symbol ? claims.find(ClaimKey{*symbol, claim.name}) : claims.end();
  if (found != claims.end() && found->second.api_object->version == claim.version) found->second.assumed = nullptr;
}

// ---- StorageClasses and CSI objects.

ClusterEventPtr Volumes::upsert(const api::StorageClass& object) {
  StorageClass compiled = compile_class(object, interner_);
  const auto [place, fresh] = tables_.classes.write().try_emplace(compiled.name);
  StorageChange storage_change;
  storage_change.waits_for_consumer = compiled.mode == BindingMode::WaitForFirstConsumer;
  storage_change.topology_changed = !fresh && place->second.allowed_topologies != compiled.allowed_topologies;
  if (!fresh && place->second == compiled) return nullptr;
  place->second = std::move(compiled);
  return cluster_event(EventResource::StorageClass, fresh ? ActionType::Add : ActionType::Update, "",
                       object.metadata().name(), storage_change);
}

ClusterEventPtr Volumes::remove_class(std::string_view name) {
  const auto symbol = interner_.symbols.find(name);
  if (!symbol || tables_.classes.write().erase(*symbol) == 0) return nullptr;
  return cluster_event(EventResource::StorageClass, ActionType::Delete, "", name);
}

const StorageClass* Volumes::storage_class(Symbol name) const {
  const auto found = tables_.classes->find(name);
  return found == tables_.classes->end() ? nullptr : &found->second;
}

ClusterEventPtr Volumes::upsert(const api::CSINode& object) {
  CsiNode compiled = compile_csi_node(object, interner_);
  const std::string& name = object.metadata().name();
  const auto [place, fresh] = tables_.csi_nodes.write().try_emplace(name);
  StorageChange storage_change;
  storage_change.limit_grew = !fresh && any_limit_grew(place->second, compiled);
  storage_change.plugins_changed = !fresh && place->second.migrated_text != compiled.migrated_text;
  if (!fresh && place->second == compiled) return nullptr;
  place->second = std::move(compiled);
  return cluster_event(EventResource::CsiNode, fresh ? ActionType::Add : ActionType::Update, "", name, storage_change);
}

ClusterEventPtr Volumes::remove_csi_node(std::string_view name) {
  if (tables_.csi_nodes.write().erase(name) == 0) return nullptr;
  return cluster_event(EventResource::CsiNode, ActionType::Delete, "", name);
}

const CsiNode* Volumes::csi_node(std::string_view name) const {
  const auto found = tables_.csi_nodes->find(name);
  return found == tables_.csi_nodes->end() ? nullptr : &found->second;
}

ClusterEventPtr Volumes::upsert(const api::CSIDriver& object) {
  const std::string& name = object.metadata().name();
  const auto [place, fresh] = tables_.drivers.write().try_emplace(interner_.symbols.intern(name), false);
  StorageChange storage_change;
  const bool tracked = std::exchange(place->second, object.spec().storage_capacity());
  storage_change.capacity_ignored = tracked && !place->second;
  if (!fresh && tracked == place->second) return nullptr;
  return cluster_event(EventResource::CsiDriver, fresh ? ActionType::Add : ActionType::Update, "", name,
                       storage_change);
}

ClusterEventPtr Volumes::remove_csi_driver(std::string_view name) {
  const auto symbol = interner_.symbols.find(name);
  if (!symbol || tables_.drivers.write().erase(*symbol) == 0) return nullptr;
  return cluster_event(EventResource::CsiDriver, ActionType::Delete, "", name);
}

bool Volumes::tracks_capacity(Symbol driver) const {
  const auto found = tables_.drivers->find(driver);
  return found != tables_.drivers->end() && found->second;
}

ClusterEventPtr Volumes::upsert(const api::CSIStorageCapacity& object) {
  const auto& meta = object.metadata();
  StorageCapacity compiled = compile_capacity(object, interner_);
  const std::string key = joined(meta.namespace_(), meta.name());
  const auto [place, fresh] = tables_.capacity_classes.write().try_emplace(key, compiled.storage_class);
  if (!fresh && place->second != compiled.storage_class) {
    forget_capacity(place->second, key);
    place->second = compiled.storage_class;
  }
  auto& list = tables_.capacities.write()[compiled.storage_class];
  auto known = std::ranges::find(list, key, &NamedCapacity::key);
  StorageChange storage_change;
  if (known == list.end()) {
    known = list.insert(list.end(), NamedCapacity{key, {}});
  } else if (known->capacity == compiled) {
    return nullptr;
  }
  const std::optional<std::int64_t> before = known->capacity.largest;
  storage_change.limit_grew = compiled.largest && (!before || *compiled.largest > *before);
  known->capacity = std::move(compiled);
  return cluster_event(EventResource::CsiStorageCapacity, fresh ? ActionType::Add : ActionType::Update,
                       meta.namespace_(), meta.name(), storage_change);
}

void Volumes::forget_capacity(Symbol storage_class, std::string_view key) {
  auto& capacities = tables_.capacities.write();
  const auto place = capacities.find(storage_class);
  if (place == capacities.end()) return;
  std::erase_if(place->second, [&](const NamedCapacity& named) { return named.key == key; });
  if (place->second.empty()) capacities.erase(place);
}

ClusterEventPtr Volumes::remove_capacity(std::string_view ns, std::string_view name) {
  const std::string key = joined(ns, name);
  auto& capacity_classes = tables_.capacity_classes.write();
  const auto found = capacity_classes.find(key);
  if (found == capacity_classes.end()) return nullptr;
  forget_capacity(found->second, key);
  capacity_classes.erase(found);
  return cluster_event(EventResource::CsiStorageCapacity, ActionType::Delete, ns, name);
}

bool Volumes::has_room(Symbol storage_class, std::int64_t size, kube::LabelLookup node_labels) const {
  const auto found = tables_.capacities->find(storage_class);
  return found != tables_.capacities->end() && std::ranges::any_of(found->second, [&](const NamedCapacity& named) {
           const StorageCapacity& capacity = named.capacity;
           return capacity.largest && *capacity.largest >= size && capacity.reachable_from
                  && capacity.reachable_from->matches(node_labels);
         });
}

// ---- VolumeAttachments.

ClusterEventPtr Volumes::upsert(const api::VolumeAttachment& object) {
  const std::string& name = object.metadata().name();
  Attachment compiled = compile_attachment(object, interner_);
  const auto [place, fresh] = tables_.attachments.write().try_emplace(name);
  if (!fresh && place->second == compiled) return nullptr;
  if (!fresh) detach(place->second);
  tables_.attachments_by_node.write()[compiled.node].push_back(compiled);
  place->second = std::move(compiled);
  return cluster_event(EventResource::VolumeAttachment, fresh ? ActionType::Add : ActionType::Update, "", name);
}

void Volumes::detach(const Attachment& attachment) {
  auto& attachments_by_node = tables_.attachments_by_node.write();
  const auto place = attachments_by_node.find(attachment.node);
  if (place == attachments_by_node.end()) return;
  auto& list = place->second;
  const auto found = std::ranges::find(list, attachment);
  if (found != list.end()) list.erase(found);
  if (list.empty()) attachments_by_node.erase(place);
}

ClusterEventPtr Volumes::remove_attachment(std::string_view name) {
  auto& attachments = tables_.attachments.write();
  const auto found = attachments.find(name);
  if (found == attachments.end()) return nullptr;
  StorageChange storage_change;
  storage_change.driver = found->second.driver;
  detach(found->second);
  attachments.erase(found);
  return cluster_event(EventResource::VolumeAttachment, ActionType::Delete, "", name, storage_change);
}

const std::vector<Attachment>& Volumes::attachments_to(std::string_view node) const {
  static const std::vector<Attachment> none;
  const auto found = tables_.attachments_by_node->find(node);
  return found == tables_.attachments_by_node->end() ? none : found->second;
}

}  // namespace rescheduler::cluster
