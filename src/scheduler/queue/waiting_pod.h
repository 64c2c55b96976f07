// A pending pod and the state of its scheduling attempts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "cluster/pod_spec/compiled_pod_spec.h"
#include "scheduler/queue/plugin_index_set.h"

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::scheduler {

// The latest version of the pod from the API server, with its compiled spec.
struct PodObject {
  std::shared_ptr<const api::Pod> pod{};
  cluster::CompiledPodSpecPtr compiled_spec{};
  cluster::Symbol ns = cluster::Symbol::Empty;
  cluster::LabelSetId labels = cluster::LabelSetId::None;
  std::size_t profile = 0;  // index of the profile that its schedulerName selects

  const std::string& uid() const;
  std::int32_t priority() const { return compiled_spec ? compiled_spec->priority : 0; }
};

// A rejection by PreEnqueue: the pod is not scheduled yet.
struct GateReason {
  std::size_t plugin = 0;  // slot of the plugin
  std::string why{};
  friend bool operator==(const GateReason&, const GateReason&) = default;
};

struct WaitingPod {
  PodObject object{};
  WallTime added{};                       // when the pod entered the queue
  WallTime timestamp{};                   // order among pods of equal priority: time of add, later of the last failure
  std::optional<WallTime> first_ready{};  // when the pod was first without a gate; nullopt: gated so far
  int attempts = 0;
  int rejections = 0;  // attempts that plugins rejected; never decreases
  int errors = 0;      // consecutive attempts that ended with an error instead of a rejection
  // Of the last attempt, or of the gate; cleared when the next attempt begins.
  PluginIndexSet rejectors{};
  PluginIndexSet pending{};  // rejectors that wait for something outside; the matching event also ends the backoff
  std::optional<GateReason> gate{};
  bool flushed = false;  // requeued because of unschedulable_timeout, not because of an event

  const std::string& uid() const { return object.uid(); }
};

// PrioritySort, the order of every default profile: higher priority first, then longer waiting time.
inline bool more_urgent(const WaitingPod& a, const WaitingPod& b) {
  if (a.object.priority() != b.object.priority()) return a.object.priority() > b.object.priority();
  return a.timestamp < b.timestamp;
}

}  // namespace rescheduler::scheduler
