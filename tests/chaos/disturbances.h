// Workloads that an injected fault has affected. Such a workload is disturbed until it is complete again. Changes to
// any other workload come from the product.
#pragma once

#include <map>
#include <set>
#include <string>

#include "chaos/cluster_index.h"

namespace rescheduler::test {

class Disturbances {
 public:
  Disturbances(const Clock& clock, const ClusterIndex& index) : clock_(clock), index_(index) {}

  // A user deletes a pod of the workload, scales it or rolls it out.
  void touched(const std::string& app) { since_[app] = clock_.wall_now(); }
  // Every workload with a pod on the node is disturbed until the node recovers.
  void node_fails(const std::string& node);
  void node_recovers(const std::string& node);
  bool failed(const std::string& node) const { return failed_.contains(node); }

  // Also clears the disturbance once the workload is complete.
  bool disturbed(const std::string& app);
  // A node with a pod of the workload has failed at some time.
  bool ever_affected(const std::string& app) const { return affected_.contains(app); }

 private:
  void mark_affected(const std::string& node);
  bool is_whole(const std::string& app) const;
  bool on_failed_node(const std::string& app) const;

  const Clock& clock_;
  const ClusterIndex& index_;
  std::map<std::string, WallTime> since_;
  std::set<std::string> affected_;
  std::set<std::string> failed_;
};

}  // namespace rescheduler::test
