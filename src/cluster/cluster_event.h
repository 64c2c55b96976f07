// Something happened in the cluster that may let a waiting pod be placed. The model says what changed; plugins say
// whether it helps (their hints); the queue wakes whom it helps.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>

#include "cluster/assigned_pod.h"
#include "cluster/node.h"

namespace rescheduler::cluster {

enum class EventResource : std::uint8_t {
  AssignedPod,  // a pod that has a node
  TargetPod,    // the waiting pod itself
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  CsiNode,
  CsiDriver,
  CsiStorageCapacity,
  VolumeAttachment,
  Load,      // how busy nodes are
  Anything,  // wakes everybody, or the one pod it is about
};

enum class ActionType : std::uint16_t {
  Add = 1U << 0U,
  Delete = 1U << 1U,
  Update = 1U << 2U,  // of a kind not told apart further
  NodeAllocatable = 1U << 3U,
  NodeLabel = 1U << 4U,
  NodeTaint = 1U << 5U,
  NodeCondition = 1U << 6U,
  NodeAnnotation = 1U << 7U,
  NodeFeature = 1U << 8U,
  PodLabel = 1U << 9U,
  PodScaleDown = 1U << 10U,
  PodScaleUp = 1U << 11U,
  PodGatesGone = 1U << 12U,
  PodToleration = 1U << 13U,
  PodClaim = 1U << 14U,
};

class ActionTypes {
 public:
  constexpr ActionTypes() = default;
  constexpr ActionTypes(ActionType change)
      : bits_(static_cast<std::uint16_t>(change)) {}  // NOLINT(google-explicit-constructor)
  constexpr ActionTypes(std::initializer_list<ActionType> changes) {
    for (ActionType change : changes) add(change);
  }
  constexpr void add(ActionType change) {
    bits_ = static_cast<std::uint16_t>(bits_ | static_cast<std::uint16_t>(change));
  }
  constexpr bool has(ActionType change) const { return (bits_ & static_cast<std::uint16_t>(change)) != 0; }
  constexpr bool meets(ActionTypes other) const { return (bits_ & other.bits_) != 0; }
  constexpr bool empty() const { return bits_ == 0; }

 private:
  std::uint16_t bits_ = 0;
};

// What hints look at in a storage object, already compared with what it was.
struct StorageChange {
  bool limit_grew = false;          // of a driver on a CsiNode, or of a CsiStorageCapacity
  bool topology_changed = false;    // a StorageClass' allowed topologies; zone and region labels of a PersistentVolume
  bool plugins_changed = false;     // a CsiNode's list of in-tree plugins that CSI drivers replace there
  bool capacity_ignored = false;    // a CsiDriver has stopped to tell how much storage is left
  bool waits_for_consumer = false;  // a StorageClass binds its volumes when a pod is placed
  Symbol driver = Symbol::Empty;    // that a VolumeAttachment was made by
};

struct ClusterEvent {
  EventResource resource = EventResource::Anything;
  ActionTypes actions{};
  std::string label{};  // for metrics: "NodeAdd", "AssignedPodDelete", "UnschedulableTimeout"
  // Of a node, before and after; null where there was or is none.
  std::shared_ptr<const Node> node_before{};
  std::shared_ptr<const Node> node_after{};
  // Of a pod with a node, likewise.
  std::shared_ptr<const AssignedPod> pod_before{};
  std::shared_ptr<const AssignedPod> pod_after{};
  // Of a storage object, or of the waiting pod.
  std::string ns{};
  std::string name{};
  StorageChange storage{};
  std::string uid{};  // of the one waiting pod it is about; empty: of nobody in particular
};

using ClusterEventPtr = std::shared_ptr<const ClusterEvent>;

}  // namespace rescheduler::cluster
