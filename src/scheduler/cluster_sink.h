// Whoever wants to know what a live scheduler knows: the rescheduling controller keeps a world of its own, so that
// planning never holds up a placement.
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

// How busy nodes are, as the scheduler's book has it after a look.
struct LoadUpdate {
  std::vector<std::pair<std::string, cluster::NodeLoad>> nodes{};
  cluster::LoadSummary load_summary{};
  WallTime at{};
};

// On the thread of the scheduler's services. Any of them may be empty.
struct ClusterSink {
  std::function<void(const kube::ObjectPtr& object)> upsert{};
  std::function<void(const kube::ObjectPtr& object)> remove{};
  std::function<void(std::shared_ptr<const LoadUpdate> loads)> loads{};
  // Returns when what it was told has been taken in; for those that do so on another thread.
  std::function<net::Task<void>()> on_synced{};
  // A pod was placed that will bring its node above a threshold, and preventive rescheduling is on. The binding does
  // not wait for it.
  std::function<void(const std::string& node)> overloaded{};
};

}  // namespace rescheduler::scheduler
