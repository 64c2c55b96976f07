// A pod that wants a node, and what has come of its wish so far.
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

// The pod as the API server last showed it, with what was compiled from it.
struct PodObject {
  std::shared_ptr<const api::Pod> pod{};
  cluster::CompiledPodSpecPtr compiled_spec{};
  cluster::Symbol ns = cluster::Symbol::Empty;
  cluster::LabelSetId labels = cluster::LabelSetId::None;
  std::size_t profile = 0;  // which of the configuration's profiles its schedulerName chose

  const std::string& uid() const;
  std::int32_t priority() const { return compiled_spec ? compiled_spec->priority : 0; }
};

// PreEnqueue's refusal: this pod is not even to be tried yet.
struct GateReason {
  std::size_t plugin = 0;  // its slot
  std::string why{};
  friend bool operator==(const GateReason&, const GateReason&) = default;
};

struct WaitingPod {
  PodObject object{};
  WallTime added{};                       // when the queue first saw it
  WallTime timestamp{};                   // its place among equals: when it was added, later when it last failed
  std::optional<WallTime> first_ready{};  // when it could first have been tried: no gate, or no longer
  int attempts = 0;
  int rejections = 0;  // attempts that plugins ended; never goes back
  int errors = 0;      // attempts in a row that ended for no plugin's reason
  // Of the last attempt, or of the gate; emptied when the next attempt begins.
  PluginIndexSet rejectors{};
  PluginIndexSet pending{};  // those of them that wait for something outside; what they wait for ends the back-off too
  std::optional<GateReason> gate{};
  bool flushed = false;  // in the queue again since it waited too long, not since something happened

  const std::string& uid() const { return object.uid(); }
};

// PrioritySort, the order of every default profile: the more important first, then the longer waiting.
inline bool more_urgent(const WaitingPod& a, const WaitingPod& b) {
  if (a.object.priority() != b.object.priority()) return a.object.priority() > b.object.priority();
  return a.timestamp < b.timestamp;
}

}  // namespace rescheduler::scheduler
