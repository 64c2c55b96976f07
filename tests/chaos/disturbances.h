// Which workloads a fault that the test injected has touched. Such a workload is disturbed until it is whole again;
// what happens to any other is our own doing.
#pragma once

#include <map>
#include <set>
#include <string>

#include "chaos/cluster_index.h"

namespace rescheduler::test {

class Disturbances {
 public:
  Disturbances(const Clock& clock, const ClusterIndex& index) : clock_(clock), index_(index) {}

  // Somebody has deleted a pod of it, scaled it or rolled it out.
  void touched(const std::string& app) { since_[app] = clock_.wall_now(); }
  // Every workload with a pod on the node is disturbed for as long.
  void node_fails(const std::string& node);
  void node_recovers(const std::string& node);
  bool failed(const std::string& node) const { return failed_.contains(node); }

  // Forgets a disturbance once the workload is whole.
  bool disturbed(const std::string& app);
  // A node under one of its pods has failed at some time.
  bool ever_struck(const std::string& app) const { return struck_.contains(app); }

 private:
  void strike(const std::string& node);
  bool is_whole(const std::string& app) const;
  bool on_failed_node(const std::string& app) const;

  const Clock& clock_;
  const ClusterIndex& index_;
  std::map<std::string, WallTime> since_;
  std::set<std::string> struck_;
  std::set<std::string> failed_;
};

}  // namespace rescheduler::test
