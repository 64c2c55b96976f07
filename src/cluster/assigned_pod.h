// A pod that is assigned to a node.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "cluster/node.h"
#include "cluster/pod_spec/compiled_pod_spec.h"

namespace rescheduler::cluster {

struct AssignedPod {
  std::string uid{};
  std::string name{};
  Symbol ns = Symbol::Empty;
  LabelSetId labels = LabelSetId::None;
  CompiledPodSpecPtr compiled_spec{};
  NodeIndex node = kNoNode;
  WallTime started{};  // status.startTime; the epoch: not started yet
  bool terminating = false;
  bool being_preempted = false;  // terminating because a scheduler preempted the pod
  bool assumed = false;          // this scheduler chose the node; the API server has not confirmed it yet
};

}  // namespace rescheduler::cluster
