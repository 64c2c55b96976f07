// Receives the objects and loads that a live scheduler receives, for components that need facts which the cluster model
// lacks.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "cluster/node_load.h"
#include "kube/client/api.h"
#include "net/task.h"

namespace rescheduler::scheduler {

// The load of the nodes, from the LoadTracker of the scheduler after a reading.
struct LoadUpdate {
  std::vector<std::pair<std::string, cluster::NodeLoad>> nodes{};
  cluster::LoadSummary load_summary{};
  WallTime at{};
};

// Called on the thread of the scheduler's services. Each function may be empty.
struct ClusterSink {
  // True: `upsert` gets finished pods, if the informers include them (LiveSettings::finished_pods). False: `remove`.
  bool finished_pods = false;
  std::function<void(const kube::ObjectPtr& object)> upsert{};
  std::function<void(const kube::ObjectPtr& object)> remove{};
  std::function<void(std::shared_ptr<const LoadUpdate> loads)> loads{};
  // Returns when all earlier objects are in the sink's model. Needed by a sink that processes them on another thread.
  std::function<net::Task<void>()> drained{};
  // A pod was scheduled that brings its node above a threshold, and preventive rescheduling is enabled. The binding
  // does not wait for this call.
  std::function<void(const std::string& node)> overloaded{};
};

}  // namespace rescheduler::scheduler
