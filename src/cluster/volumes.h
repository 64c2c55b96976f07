// Persistent volumes, claims and what else storage says about where a pod may be.
#pragma once

#include "cluster/placed_pod.h"

namespace rescheduler::cluster {

struct Words;

class Volumes {
 public:
  explicit Volumes(Words& /*words*/) {}
  void pod_added(const PlacedPod& /*pod*/) {}
  void pod_removed(const PlacedPod& /*pod*/) {}
};

}  // namespace rescheduler::cluster
