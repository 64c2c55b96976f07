// The pod spec in the form that the scheduler reads. Pods of one template share one CompiledPodSpec: a cluster of a
// hundred thousand pods has some hundreds.
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

// One term of pod affinity: the pods of these namespaces with these labels, in the same topology domain.
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
  SelectorId selector{};  // includes matchLabelKeys with the pod's own values
  std::int32_t min_domains = 1;
  bool hard = true;            // DoNotSchedule
  bool honor_affinity = true;  // count only the nodes that match the pod's node affinity
  bool honor_taints = false;   // count only the nodes whose taints the pod tolerates
  friend bool operator==(const SpreadConstraint&, const SpreadConstraint&) = default;
};

// A disk in the pod spec itself, of a kind that cannot be mounted twice.
struct InlineDisk {
  enum class Kind : std::uint8_t { GcePersistentDisk, AwsElasticBlockStore, Iscsi, Rbd };
  Kind kind{};
  bool read_only = false;
  Symbol id = Symbol::Empty;       // pdName, volumeID, iqn or pool/image
  std::vector<Symbol> monitors{};  // of RBD
  friend bool operator==(const InlineDisk&, const InlineDisk&) = default;
};

// An inline volume of an in-tree plugin that a CSI driver replaces (CSI migration), for volume limits.
struct MigratedVolume {
  Symbol driver = Symbol::Empty;
  Symbol handle = Symbol::Empty;  // empty: the volume source cannot be translated
  friend bool operator==(const MigratedVolume&, const MigratedVolume&) = default;
};

struct ClaimUse {
  std::string name{};      // of the claim; for an ephemeral volume: of the volume
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
  std::string unreadable{};          // which part of the spec cannot be parsed, and why; empty: none

  std::vector<AffinityTerm> affinity{};
  std::vector<AffinityTerm> anti_affinity{};
  std::vector<WeightedTerm> preferred_affinity{};
  std::vector<WeightedTerm> preferred_anti_affinity{};
  std::vector<SpreadConstraint> spread{};  // of the pod itself; empty: the default constraints may apply

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
