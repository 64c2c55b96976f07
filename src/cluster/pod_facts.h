// Facts about a pod that scheduling does not need: its owner, its state, and what binds it to its node.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "cluster/objects/annotations.h"
#include "cluster/symbol_table.h"

namespace rescheduler::api {
class ObjectMeta;
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::cluster {

// The controller of an object. Pods of one owner share one OwnerRef.
struct OwnerRef {
  std::string api_version{};
  std::string kind{};
  std::string ns{};
  std::string name{};
  std::string uid{};
  std::string workload{};  // only for the owner of a pod: see workload_key()
  friend bool operator==(const OwnerRef&, const OwnerRef&) = default;
};
using OwnerPtr = std::shared_ptr<const OwnerRef>;

// The key of an owner: its uid. A dump written by hand can lack uids; then its kind, namespace and name.
std::string key_of(const OwnerRef& owner);

// The owner reference with `controller: true`; an empty kind: there is none.
OwnerRef owner_of(const api::ObjectMeta& meta);

enum class PodPhase : std::uint8_t { Pending, Running, Over, Unknown };
enum class PodQos : std::uint8_t { BestEffort, Burstable, Guaranteed };

struct PodFacts {
  OwnerPtr owner{};  // null: bare pod
  PodPhase phase = PodPhase::Unknown;
  PodQos qos = PodQos::BestEffort;
  OptOut opt_out = OptOut::No;  // from the labels and annotations of the pod
  EvictionMarks marks{};        // of other programs, from the annotations of the pod
  bool ready = false;
  bool terminating = false;
  bool mirror = false;             // the kubelet's copy of a static pod
  bool local_storage = false;      // emptyDir or hostPath
  bool claims = false;             // uses PersistentVolumeClaims; CompiledPodSpec::claims lists them
  std::int32_t deletion_cost = 0;  // controller.kubernetes.io/pod-deletion-cost
  Symbol scheduler = Symbol::Empty;
  std::uint64_t images = 0;  // equal for equal sets of images
  WallTime created{};
  friend bool operator==(const PodFacts&, const PodFacts&) = default;
};

// All facts except the owner, which pods share.
PodFacts facts_of(const api::Pod& pod, SymbolTable& symbols);

}  // namespace rescheduler::cluster
