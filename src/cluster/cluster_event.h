// A change in the cluster that can make a waiting pod schedulable. The model reports what changed. The hints of the
// plugins decide whether the change helps a pod. The queue then wakes that pod.
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
  Load,
  Anything,  // wakes all pods, or the one pod in `uid`
};

enum class ActionType : std::uint16_t {
  Add = 1U << 0U,
  Delete = 1U << 1U,
  Update = 1U << 2U,  // any change that has no action type of its own
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
  // NOLINTNEXTLINE(google-explicit-constructor): one type is also a set of types
  constexpr ActionTypes(ActionType change) : bits_(static_cast<std::uint16_t>(change)) {}
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

// What the hints read of a storage object: the differences between its old and its new state.
struct StorageChange {
  bool limit_grew = false;          // of a driver on a CsiNode, or of a CsiStorageCapacity
  bool topology_changed = false;    // a StorageClass' allowed topologies; zone and region labels of a PersistentVolume
  bool plugins_changed = false;     // the list of in-tree plugins of a CsiNode that CSI drivers replace on that node
  bool capacity_ignored = false;    // a CsiDriver no longer reports how much storage is left
  bool waits_for_consumer = false;  // a StorageClass binds its volumes when a pod is scheduled
  Symbol driver = Symbol::Empty;    // the attacher of a VolumeAttachment
};

struct ClusterEvent {
  EventResource resource = EventResource::Anything;
  ActionTypes actions{};
  std::string label{};  // for metrics: "NodeAdd", "AssignedPodDelete", "UnschedulableTimeout"
  // Of a Node event: the old and the new state. Null: no such state (the node was added or removed).
  std::shared_ptr<const Node> node_before{};
  std::shared_ptr<const Node> node_after{};
  // Of an AssignedPod event: the same.
  std::shared_ptr<const AssignedPod> pod_before{};
  std::shared_ptr<const AssignedPod> pod_after{};
  // Of a storage object or of the waiting pod.
  std::string ns{};
  std::string name{};
  StorageChange storage{};
  std::string uid{};  // of the waiting pod that the event is about; empty: not about one waiting pod
};

using ClusterEventPtr = std::shared_ptr<const ClusterEvent>;

}  // namespace rescheduler::cluster
