// What the scheduler wants done to the cluster. It decides, others carry out; their results come back to it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "cluster/cluster.h"

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::scheduler {

using PodPtr = std::shared_ptr<const api::Pod>;

// A very pod, not another of its name.
struct PodToBind {
  std::string ns{};
  std::string name{};
  std::string uid{};
};

// What was predicted for the node when the pod was placed there, as JSON: shares by resource, and who says so.
inline constexpr std::string_view kPredictedLoad = "rescheduler.io/predicted-load";

// Give the pod its node. The answer goes to Scheduler::bound or Scheduler::bind_failed.
struct BindAction {
  PodPtr pod{};
  std::string node{};
  std::size_t profile = 0;
  bool has_claims = false;                           // volumes have to be bound first
  std::map<std::string, std::string> annotations{};  // the pod gets them with its node
  bool overloads = false;  // with this pod its node will be above a threshold: something else there should move
};

// Tell the pod's owner that it has no node: an event, and the pod's condition where it says something else.
struct StatusAction {
  PodPtr pod{};
  std::size_t profile = 0;
  std::string reason{};                         // of the condition: Unschedulable or SchedulerError
  std::string message{};                        // empty: nothing to tell, only the nomination changes
  std::optional<std::string> nominated_node{};  // what status.nominatedNodeName shall be; nothing: as it is
  bool event_only = false;
};

struct Victim {
  std::string ns{};
  std::string name{};
  std::string uid{};
  bool leaving = false;  // already on its way out: nothing to do
};

// Make room for the pod. The answer goes to Scheduler::preemption_finished.
struct PreemptAction {
  PodPtr pod{};
  std::size_t profile = 0;
  std::string node{};
  std::vector<Victim> victims{};
};

using SchedulingAction = std::variant<BindAction, StatusAction, PreemptAction>;

}  // namespace rescheduler::scheduler
