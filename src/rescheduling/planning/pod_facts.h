// What is known of a pod beyond what placing it needs: whose it is, how it is doing, and what ties it to its node.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "cluster/node_load.h"
#include "cluster/objects/annotations.h"
#include "cluster/symbol_table.h"

namespace rescheduler::api {
class ObjectMeta;
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::rescheduling {

// Who an object is controlled by. Pods of one owner share one.
struct OwnerRef {
  std::string api_version{};
  std::string kind{};
  std::string ns{};
  std::string name{};
  std::string uid{};
  std::string workload{};  // of a pod's owner: see usage::workload_of
  friend bool operator==(const OwnerRef&, const OwnerRef&) = default;
};
using OwnerPtr = std::shared_ptr<const OwnerRef>;

// What an owner is known by: its uid; in a dump that a person wrote, and that leaves uids out, its kind and name.
std::string key_of(const OwnerRef& owner);

// The owner reference with `controller: true`; an empty kind: there is none.
OwnerRef owner_of(const api::ObjectMeta& meta);

enum class PodPhase : std::uint8_t { Pending, Running, Over, Unknown };
enum class PodQos : std::uint8_t { BestEffort, Burstable, Guaranteed };

struct PodFacts {
  OwnerPtr owner{};                    // null: nobody's
  PodPhase phase = PodPhase::Unknown;  //
  PodQos qos = PodQos::BestEffort;
  cluster::OptOut opt_out = cluster::OptOut::No;  // by its own labels and annotations
  bool ready = false;
  bool terminating = false;
  bool mirror = false;         // the kubelet's copy of a static pod
  bool local_storage = false;  // emptyDir or hostPath
  bool claims = false;         // uses persistent volume claims; which ones is in its form
  bool gated = false;
  std::int32_t deletion_cost = 0;  // controller.kubernetes.io/pod-deletion-cost
  cluster::Symbol scheduler = cluster::Symbol::Empty;
  std::uint64_t images = 0;  // the same for the same set of images
  WallTime created{};
  WallTime started{};  // status.startTime; the epoch: not yet
  // What it uses, in cores and bytes, as measured; NaN: nobody measured.
  cluster::Loads used = cluster::loads_of(cluster::kUnknownLoad);
  WallTime measured{};  // when
};

// All but the owner, which is to be shared.
PodFacts facts_of(const api::Pod& pod, cluster::SymbolTable& symbols);

}  // namespace rescheduler::rescheduling
