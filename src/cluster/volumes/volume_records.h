// The properties of storage objects that decide where a pod can run. Records are immutable: a newer state is a new
// record. A decision can therefore keep the records that it used.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/labels.h"
#include "kube/value/label_selector.h"
#include "kube/value/node_selector.h"
#include "kube/value/quantity.h"

namespace rescheduler::cluster {

// Annotations of the Kubernetes API.
inline constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";
inline constexpr std::string_view kBoundByController = "pv.kubernetes.io/bound-by-controller";
inline constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";

class AccessModes {
 public:
  void add(std::string_view mode);
  bool include(AccessModes wanted) const { return (wanted.bits_ & ~bits_) == 0; }
  bool only_one_pod() const { return (bits_ & kOncePod) != 0; }  // ReadWriteOncePod
  friend bool operator==(const AccessModes&, const AccessModes&) = default;

 private:
  static constexpr std::uint8_t kOncePod = 8;
  std::uint8_t bits_ = 0;
};

// The claim that a volume is prebound or bound to.
struct ClaimRef {
  std::string ns{};
  std::string name{};
  std::string uid{};  // empty: a user named the claim before it existed
  friend bool operator==(const ClaimRef&, const ClaimRef&) = default;
};

// The nodes from which a volume can be reached; null: all nodes.
using Reach = std::shared_ptr<const kube::NodeSelector>;

// An in-tree volume that a CSI driver serves on nodes where the plugin is migrated.
struct VolumeMigration {
  Symbol plugin = Symbol::Empty;  // "kubernetes.io/aws-ebs"
  Symbol driver = Symbol::Empty;
  std::string handle{};
  Reach reach{};        // with the driver's node labels
  std::string error{};  // why the volume cannot be translated; empty: it can
  // Does not compare `reach`, which is derived from the reach and the labels of the volume.
  friend bool operator==(const VolumeMigration& a, const VolumeMigration& b) {
    return a.plugin == b.plugin && a.driver == b.driver && a.handle == b.handle && a.error == b.error;
  }
};

// A PersistentVolume.
struct Volume {
  std::string name{};
  std::string version{};  // resourceVersion
  Symbol storage_class = Symbol::Empty;
  kube::Quantity capacity{};
  std::optional<ClaimRef> claim{};
  bool bound_by_controller = false;
  bool available = false;  // the phase is Available
  bool terminating = false;
  bool block = false;  // volumeMode
  AccessModes modes{};
  Symbol attributes_class = Symbol::Empty;
  LabelSetId labels = LabelSetId::None;
  Reach reach{};
  std::uint64_t reach_hash = 0;                // hash of the wire form of `reach`
  std::optional<std::vector<Symbol>> hosts{};  // the only hosts that can match `reach`, if it selects by host name

  // The name of the volume in its CSI driver; empty: no CSI driver serves it.
  Symbol driver = Symbol::Empty;
  std::string handle{};
  std::optional<VolumeMigration> migration{};
};
using VolumePtr = std::shared_ptr<const Volume>;

// A PersistentVolumeClaim.
struct Claim {
  std::string ns{};
  std::string name{};
  std::string uid{};
  std::string version{};         // resourceVersion
  std::string controller_uid{};  // of the controller that owns the claim
  Symbol storage_class = Symbol::Empty;
  std::string volume{};  // the name; empty: no volume yet
  bool bind_completed = false;
  bool lost = false;
  bool terminating = false;
  std::optional<std::string> selected_node{};  // the node that a volume is being provisioned for
  std::optional<kube::Quantity> request{};
  bool block = false;  // volumeMode
  AccessModes modes{};
  Symbol attributes_class = Symbol::Empty;
  std::optional<kube::LabelSelector> selector{};

  bool bound() const { return !volume.empty() && bind_completed; }
};
using ClaimPtr = std::shared_ptr<const Claim>;

// Is the volume prebound to exactly this claim?
bool is_prebound_to(const Volume& volume, const Claim& claim);

enum class BindingMode : std::uint8_t { Unset, Immediate, WaitForFirstConsumer };

struct StorageClass {
  Symbol name = Symbol::Empty;
  Symbol provisioner = Symbol::Empty;
  BindingMode mode = BindingMode::Unset;
  // One of the terms must match, unless there are none. A term matches if every key has one of its values.
  struct Key {
    Symbol key = Symbol::Empty;
    std::vector<Symbol> values{};
    friend bool operator==(const Key&, const Key&) = default;
  };
  std::vector<std::vector<Key>> allowed_topologies{};

  bool can_provision = false;  // the provisioner is set and is not kubernetes.io/no-provisioner
  // The driver whose limits count the class' volumes before they exist; empty: none.
  Symbol counted_driver = Symbol::Empty;
  friend bool operator==(const StorageClass&, const StorageClass&) = default;
};

struct CsiNode {
  struct Driver {
    Symbol name = Symbol::Empty;
    std::optional<std::int32_t> limit{};  // maximum number of volumes; nothing: no limit
    friend bool operator==(const Driver&, const Driver&) = default;
  };
  std::vector<Driver> drivers{};
  std::vector<Symbol> migrated_plugins{};  // sorted
  std::string migrated_text{};             // the unparsed annotation value

  bool migrated(Symbol plugin) const;
  std::optional<std::int32_t> limit(Symbol driver) const;
  friend bool operator==(const CsiNode&, const CsiNode&) = default;
};

// The largest possible volume of a class, and the nodes that can reach the storage.
struct StorageCapacity {
  Symbol storage_class = Symbol::Empty;
  std::optional<std::int64_t> largest{};                // bytes; nothing: no capacity
  std::optional<kube::LabelSelector> reachable_from{};  // nothing: no node
  friend bool operator==(const StorageCapacity&, const StorageCapacity&) = default;
};

// A VolumeAttachment of a PersistentVolume.
struct Attachment {
  std::string node{};
  Symbol driver = Symbol::Empty;
  std::string volume{};
  friend bool operator==(const Attachment&, const Attachment&) = default;
};

}  // namespace rescheduler::cluster
