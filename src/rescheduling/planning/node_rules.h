// The rules of each node in one plan: whether the node accepts pods, its load bands, and the strategies that are off
// for it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cluster/node_load.h"
#include "config/rescheduling_settings.h"
#include "rescheduling/planning/make_plan.h"
#include "rescheduling/planning/snapshot.h"

namespace rescheduler::rescheduling {

// By NodeIndex. Created once at the start of a plan.
class NodeRules {
 public:
  NodeRules(const Snapshot& snapshot, const PlanRequest& request);

  // The node accepts pods: it is ready, not cordoned, not shutting down, and not draining or in maintenance.
  bool takes(cluster::NodeIndex node) const { return takes_[node]; }
  bool drains(cluster::NodeIndex node) const { return drains_[node]; }
  // The pool of the node has switched the strategy off.
  bool is_off(cluster::NodeIndex node, config::Strategy strategy) const;
  // Shares, not percent; `resource` is an index into Loads.
  const config::LoadBand& band(cluster::NodeIndex node, std::size_t resource) const {
    return bands_[pool_of_[node]][resource];
  }
  // Resources whose load is judged, as indexes into Loads.
  const std::vector<std::size_t>& judged() const { return judged_; }
  double weight(std::size_t resource) const { return weights_[resource]; }
  const std::string& name(std::size_t resource) const { return names_[resource]; }  // "CPU", "memory", ...

 private:
  void read_bands(const config::ReschedulerSettings& args, const std::vector<std::string>& resources);

  std::vector<std::uint8_t> takes_;
  std::vector<std::uint8_t> drains_;
  std::vector<std::uint32_t> pool_of_;                // 0: no pool; else the index of the pool in the settings plus 1
  std::vector<std::vector<config::LoadBand>> bands_;  // by pool, then by index into Loads
  std::vector<std::map<config::Strategy, config::StrategyMode>> modes_;  // by pool
  std::vector<std::size_t> judged_;
  std::vector<double> weights_;
  std::vector<std::string> names_;
};

}  // namespace rescheduler::rescheduling
