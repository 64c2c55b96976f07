// What the API says about storage, as far as it decides where a pod may be. Records never change: a newer state is
// another record, so a decision may keep the ones it was made with.
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

// As the API and its users know them.
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

// Which claim a volume is promised to, or has.
struct ClaimRef {
  std::string ns{};
  std::string name{};
  std::string uid{};  // empty: a user named the claim before it existed
  friend bool operator==(const ClaimRef&, const ClaimRef&) = default;
};

// Where a volume can be reached from; null: from everywhere.
using Reach = std::shared_ptr<const kube::NodeSelector>;

// An in-tree volume that a CSI driver serves wherever the plugin has been replaced.
struct VolumeMigration {
  Symbol plugin = Symbol::Empty;  // "kubernetes.io/aws-ebs"
  Symbol driver = Symbol::Empty;
  std::string handle{};
  Reach reach{};        // as that driver's node labels spell it
  std::string error{};  // why it cannot be translated; empty: it can
  friend bool operator==(const VolumeMigration& a, const VolumeMigration& b) {  // `reach` follows from the volume's own
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
  bool available = false;  // its phase
  bool terminating = false;
  bool block = false;  // volumeMode
  AccessModes modes{};
  Symbol attributes_class = Symbol::Empty;
  LabelSetId labels = LabelSetId::None;
  Reach reach{};
  std::uint64_t reach_hash = 0;                // of what `reach` was made from
  std::optional<std::vector<Symbol>> hosts{};  // the only hosts `reach` can mean, where it says so by host name

  // What a CSI driver calls it; empty when no CSI driver serves it.
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
  std::string controller_uid{};  // of the object that owns it
  Symbol storage_class = Symbol::Empty;
  std::string volume{};  // the name; empty: none yet
  bool bind_completed = false;
  bool lost = false;
  bool terminating = false;
  std::optional<std::string> selected_node{};  // where it is being provisioned for
  std::optional<kube::Quantity> request{};
  bool block = false;  // volumeMode
  AccessModes modes{};
  Symbol attributes_class = Symbol::Empty;
  std::optional<kube::LabelSelector> selector{};

  bool bound() const { return !volume.empty() && bind_completed; }
};
using ClaimPtr = std::shared_ptr<const Claim>;

// Is the volume promised to this very claim?
bool is_prebound_to(const Volume& volume, const Claim& claim);

enum class BindingMode : std::uint8_t { Unset, Immediate, WaitForFirstConsumer };

struct StorageClass {
  Symbol name = Symbol::Empty;
  Symbol provisioner = Symbol::Empty;
  BindingMode mode = BindingMode::Unset;
  // One of these must hold, unless there are none; in each, every key must have one of the values.
  struct Key {
    Symbol key = Symbol::Empty;
    std::vector<Symbol> values{};
    friend bool operator==(const Key&, const Key&) = default;
  };
  std::vector<std::vector<Key>> allowed_topologies{};

  bool can_provision = false;  // it has a provisioner that is one
  // Whose limits its volumes count against before they exist; empty: nobody's.
  Symbol counted_driver = Symbol::Empty;
  friend bool operator==(const StorageClass&, const StorageClass&) = default;
};

struct CsiNode {
  struct Driver {
    Symbol name = Symbol::Empty;
    std::optional<std::int32_t> limit{};  // of volumes; nothing: none
    friend bool operator==(const Driver&, const Driver&) = default;
  };
  std::vector<Driver> drivers{};
  std::vector<Symbol> migrated_plugins{};  // sorted
  std::string migrated_text{};             // as it is written

  bool migrated(Symbol plugin) const;
  std::optional<std::int32_t> limit(Symbol driver) const;
  friend bool operator==(const CsiNode&, const CsiNode&) = default;
};

// How large a volume of a class may be where.
struct StorageCapacity {
  Symbol storage_class = Symbol::Empty;
  std::optional<std::int64_t> largest{};                // bytes; nothing: none at all
  std::optional<kube::LabelSelector> reachable_from{};  // nothing: from nowhere
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
