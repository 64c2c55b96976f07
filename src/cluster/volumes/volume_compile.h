// Compiles the storage objects of the API to records.
#pragma once

#include "cluster/volumes/volume_records.h"

namespace rescheduler::api {
class CSINode;
class CSIStorageCapacity;
class LabelSelector;
class NodeSelector;
class PersistentVolume;
class PersistentVolumeClaim;
class StorageClass;
class VolumeAttachment;
}  // namespace rescheduler::api

namespace rescheduler::cluster {

struct Interner;

Volume compile_volume(const api::PersistentVolume& object, Interner& interner);
Claim compile_claim(const api::PersistentVolumeClaim& object, Interner& interner);
StorageClass compile_class(const api::StorageClass& object, Interner& interner);
CsiNode compile_csi_node(const api::CSINode& object, Interner& interner);
StorageCapacity compile_capacity(const api::CSIStorageCapacity& object, Interner& interner);
Attachment compile_attachment(const api::VolumeAttachment& object, Interner& interner);

// Uses only labels: the name of a node does not affect whether it can reach a volume.
Reach compile_reach(const api::NodeSelector& required);

}  // namespace rescheduler::cluster
