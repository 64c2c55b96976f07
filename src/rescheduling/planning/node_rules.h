// What holds for each node in one plan: may pods come, which bands of load, which strategies leave it alone.
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

// By NodeIndex. Made once at the start of a plan.
class NodeRules {
 public:
  NodeRules(const Snapshot& snapshot, const PlanRequest& request);

  // Ready, not cordoned, not leaving: pods may come.
  bool takes(cluster::NodeIndex node) const { return takes_[node]; }
  bool drains(cluster::NodeIndex node) const { return drains_[node]; }
  // Its pool has the strategy switched off.
  bool is_off(cluster::NodeIndex node, config::Strategy strategy) const;
  // Shares, not percent; by place in Loads.
  const config::LoadBand& band(cluster::NodeIndex node, std::size_t resource) const {
    return bands_[pool_of_[node]][resource];
  }
  // Resources of which load is judged, by place in Loads.
  const std::vector<std::size_t>& judged() const { return judged_; }
  double weight(std::size_t resource) const { return weights_[resource]; }
  const std::string& name(std::size_t resource) const { return names_[resource]; }  // "CPU", "memory", ...

 private:
  void read_bands(const config::ReschedulerSettings& args, const std::vector<std::string>& resources);

  std::vector<std::uint8_t> takes_;
  std::vector<std::uint8_t> drains_;
  std::vector<std::uint32_t> pool_of_;                // 0: none; else one more than its place in the settings
  std::vector<std::vector<config::LoadBand>> bands_;  // by pool, then by place in Loads
  std::vector<std::map<config::Strategy, config::StrategyMode>> modes_;  // by pool
  std::vector<std::size_t> judged_;
  std::vector<double> weights_;
  std::vector<std::string> names_;
};

}  // namespace rescheduler::rescheduling
