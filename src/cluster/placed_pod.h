// A pod that has a node.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "cluster/forms/pod_form.h"
#include "cluster/node.h"

namespace rescheduler::cluster {

struct PlacedPod {
  std::string uid{};
  std::string name{};
  Symbol ns = Symbol::Empty;
  LabelSetId labels = LabelSetId::None;
  PodFormPtr form{};
  NodeIndex node = kNoNode;
  WallTime started{};  // status.startTime; the epoch: not yet
  bool terminating = false;
  bool being_preempted = false;  // terminating because a scheduler made room
  bool assumed = false;          // decided by us, not yet confirmed by the API server
};

}  // namespace rescheduler::cluster
