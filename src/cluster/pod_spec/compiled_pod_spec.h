// What the scheduler has to know of a pod's spec, compiled. Pods of one template share one form: a cluster of a hundred
// thousand pods has some hundreds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/labels.h"
#include "cluster/namespaces.h"
#include "cluster/node_requirements.h"

namespace rescheduler::cluster {

// "Pods of these namespaces with these labels, as seen from a topology": one term of pod affinity.
struct AffinityTerm {
  NamespaceSetId namespaces{};
  SelectorId selector{};
  Symbol topology_key = Symbol::Empty;
  friend bool operator==(const AffinityTerm&, const AffinityTerm&) = default;
};

struct WeightedTerm {
  AffinityTerm term{};
  std::int32_t weight = 0;
  friend bool operator==(const WeightedTerm&, const WeightedTerm&) = default;
};

struct SpreadConstraint {
  std::int32_t max_skew = 1;
  Symbol topology_key = Symbol::Empty;
  SelectorId selector{};  // matchLabelKeys folded in, with the values the pod has
  std::int32_t min_domains = 1;
  bool hard = true;            // DoNotSchedule
  bool honor_affinity = true;  // count only nodes the pod's node affinity admits
  bool honor_taints = false;   // ... and its tolerations
  friend bool operator==(const SpreadConstraint&, const SpreadConstraint&) = default;
};

// A disk named in the pod itself, of the kinds that cannot be mounted twice.
struct InlineDisk {
  enum class Kind : std::uint8_t { GcePersistentDisk, AwsElasticBlockStore, Iscsi, Rbd };
  Kind kind{};
  bool read_only = false;
  Symbol id = Symbol::Empty;       // pdName, volumeID, iqn or pool/image
  std::vector<Symbol> monitors{};  // of RBD
  friend bool operator==(const InlineDisk&, const InlineDisk&) = default;
};

// An inline volume that a CSI driver serves in place of an in-tree plugin (migration), for counting.
struct MigratedVolume {
  Symbol driver = Symbol::Empty;
  Symbol handle = Symbol::Empty;  // empty: what the pod says cannot be translated
  friend bool operator==(const MigratedVolume&, const MigratedVolume&) = default;
};

struct ClaimUse {
  std::string name{};      // of the claim; of the volume, if it is ephemeral
  bool ephemeral = false;  // a generic ephemeral volume: the claim is <pod>-<volume> and belongs to the pod
  std::string claim(std::string_view pod) const { return ephemeral ? std::string(pod) + "-" + name : name; }
  friend bool operator==(const ClaimUse&, const ClaimUse&) = default;
};

struct CompiledPodSpec {
  std::uint64_t id = 0;
  std::shared_ptr<const NodeRequirements> requirements{};
  std::int32_t priority = 0;
  bool never_preempts = false;
  bool has_resource_claims = false;  // dynamic resource allocation
  std::string unreadable{};          // what in the spec cannot be honoured, in one sentence; empty when all can

  std::vector<AffinityTerm> affinity{};
  std::vector<AffinityTerm> anti_affinity{};
  std::vector<WeightedTerm> preferred_affinity{};
  std::vector<WeightedTerm> preferred_anti_affinity{};
  std::vector<SpreadConstraint> spread{};  // the pod's own; empty: defaults may apply

  std::vector<ClaimUse> claims{};
  std::vector<InlineDisk> disks{};
  std::vector<MigratedVolume> migrated{};
  bool has_inline_csi = false;

  bool has_affinity() const {
    return !affinity.empty() || !anti_affinity.empty() || !preferred_affinity.empty()
           || !preferred_anti_affinity.empty();
  }
};

using CompiledPodSpecPtr = std::shared_ptr<const CompiledPodSpec>;

}  // namespace rescheduler::cluster
