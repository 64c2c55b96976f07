// PersistentVolumes, claims and the other storage objects that decide where a pod can run.
//
// The decision to bind a volume to a claim, or to provision one for a node, counts as soon as it is assumed. The API
// server takes precedence: an object with another resourceVersion replaces the assumption.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/copy_on_write.h"
#include "base/error.h"
#include "cluster/cluster_event.h"
#include "cluster/volumes/volume_records.h"
#include "cluster/volumes/volume_use.h"

namespace rescheduler::api {
class CSIDriver;
class CSINode;
class CSIStorageCapacity;
class PersistentVolume;
class PersistentVolumeClaim;
class StorageClass;
class VolumeAttachment;
}  // namespace rescheduler::api

namespace rescheduler::cluster {

struct Interner;

class Volumes {
 public:
  explicit Volumes(Interner& interner) : interner_(interner) {}
  Volumes(const Volumes& other, Interner& interner);

  // --- Changes. Null: no event for waiting pods. ---
  ClusterEventPtr upsert(const api::PersistentVolume& object);
  ClusterEventPtr upsert(const api::PersistentVolumeClaim& object);
  ClusterEventPtr upsert(const api::StorageClass& object);
  ClusterEventPtr upsert(const api::CSINode& object);
  ClusterEventPtr upsert(const api::CSIDriver& object);
  ClusterEventPtr upsert(const api::CSIStorageCapacity& object);
  ClusterEventPtr upsert(const api::VolumeAttachment& object);
  ClusterEventPtr remove_volume(std::string_view name);
  ClusterEventPtr remove_claim(std::string_view ns, std::string_view name);
  ClusterEventPtr remove_class(std::string_view name);
  ClusterEventPtr remove_csi_node(std::string_view name);
  ClusterEventPtr remove_csi_driver(std::string_view name);
  ClusterEventPtr remove_capacity(std::string_view ns, std::string_view name);
  ClusterEventPtr remove_attachment(std::string_view name);

  void pod_added(const AssignedPod& pod) { use_.pod_added(pod); }
  void pod_removed(const AssignedPod& pod) { use_.pod_removed(pod); }

  // --- Assumed decisions. They fail with Errc::Conflict if the record is no longer the newest one. ---
  Result<VolumePtr> assume_binding(const Volume& volume, const Claim& claim);
  Result<ClaimPtr> assume_node(const Claim& claim, std::string_view node);
  // Reverts an assumption, unless a newer object has replaced it.
  void revert(const Volume& volume);
  void revert(const Claim& claim);

  // --- State, including assumed decisions. Null: no such object. ---
  VolumePtr volume(std::string_view name) const;
  ClaimPtr claim(Symbol ns, std::string_view name) const;
  ClaimPtr claim(std::string_view ns, std::string_view name) const;
  // Without assumed decisions: the last object from the API server.
  VolumePtr api_volume(std::string_view name) const;
  ClaimPtr api_claim(std::string_view ns, std::string_view name) const;

  std::vector<VolumePtr> volumes_of(Symbol storage_class) const;  // sorted by name
  const StorageClass* storage_class(Symbol name) const;
  const CsiNode* csi_node(std::string_view name) const;
  bool tracks_capacity(Symbol driver) const;
  const std::vector<Attachment>& attachments_to(std::string_view node) const;
  // Is there enough capacity for a volume of this class, reachable from a node with these labels?
  bool has_room(Symbol storage_class, std::int64_t size, kube::LabelLookup node_labels) const;

  const VolumeUse& use() const { return use_; }
  const Interner& interner() const { return interner_; }

 private:
  template <class T>
  struct Known {
    std::shared_ptr<const T> api_object;
    std::shared_ptr<const T> assumed{};  // null: no assumption
    const std::shared_ptr<const T>& current() const { return assumed ? assumed : api_object; }
  };
  using Names = std::vector<std::string>;  // sorted
  struct TextHash : boost::hash<std::string_view> {
    using is_transparent = void;
  };
  template <class Value>
  using ByName = boost::unordered_flat_map<std::string, Value, TextHash, std::equal_to<>>;
  struct NamedCapacity {
    std::string key;  // namespace/name
    StorageCapacity capacity;
  };

  const Known<Volume>* find(std::string_view name) const;
  const Known<Claim>* find(Symbol ns, std::string_view name) const;
  void enter_class(Symbol name, const std::string& volume);
  void leave_class(Symbol name, const std::string& volume);
  void forget_capacity(Symbol storage_class, std::string_view key);
  void detach(const Attachment& attachment);
  bool same_zone_labels(LabelSetId a, LabelSetId b) const;

  // Shared with copies of the cluster until one of them changes.
  struct Tables {
    Cow<ByName<Known<Volume>>> volumes{};
    Cow<boost::unordered_flat_map<Symbol, Names>> by_class{};
    Cow<ByClaim<Known<Claim>>> claims{};
    Cow<boost::unordered_flat_map<Symbol, StorageClass>> classes{};
    Cow<ByName<CsiNode>> csi_nodes{};
    Cow<boost::unordered_flat_map<Symbol, bool>> drivers{};                           // true: reports its capacity
    Cow<boost::unordered_flat_map<Symbol, std::vector<NamedCapacity>>> capacities{};  // by class
    Cow<ByName<Symbol>> capacity_classes{};                                           // by namespace/name
    Cow<ByName<Attachment>> attachments{};
    Cow<ByName<std::vector<Attachment>>> attachments_by_node{};
  };

  Interner& interner_;
  Tables tables_;
  VolumeUse use_;
};

}  // namespace rescheduler::cluster
