// The actions that the Scheduler decides on. Other components carry them out and report the results to it.
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

// One pod, identified by its UID: a later pod with the same name is another pod.
struct PodToBind {
  std::string ns{};
  std::string name{};
  std::string uid{};
};

// Annotation on a pod: the load that was predicted for the node when the pod was scheduled. JSON: the share of each
// resource, and the load source.
inline constexpr std::string_view kPredictedLoad = "rescheduler.io/predicted-load";

// Binds the pod to the node. The result goes to Scheduler::bound or Scheduler::bind_failed.
struct BindAction {
  PodPtr pod{};
  std::string node{};
  std::size_t profile = 0;
  bool has_claims = false;                           // the volumes have to be bound first
  std::map<std::string, std::string> annotations{};  // written to the pod by the binding
  bool overloads = false;        // with this pod the node exceeds a threshold: another pod should leave the node
  bool above_threshold = false;  // the load filter rejected all nodes and was relaxed: an event tells
};

// Reports that the pod is unschedulable: an event, and the condition of the pod if the condition changes.
struct StatusAction {
  PodPtr pod{};
  std::size_t profile = 0;
  std::string reason{};                         // of the condition: Unschedulable or SchedulerError
  std::string message{};                        // empty: no event and no condition, only the nomination changes
  std::optional<std::string> nominated_node{};  // new status.nominatedNodeName; nullopt: unchanged
  bool event_only = false;
};

struct Victim {
  std::string ns{};
  std::string name{};
  std::string uid{};
  bool leaving = false;  // already terminating: nothing to do
};

// Preempts the victims for the pod. The result goes to Scheduler::preemption_finished.
struct PreemptAction {
  PodPtr pod{};
  std::size_t profile = 0;
  std::string node{};
  std::vector<Victim> victims{};
};

using SchedulingAction = std::variant<BindAction, StatusAction, PreemptAction>;

}  // namespace rescheduler::scheduler
