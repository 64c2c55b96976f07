// A placing rule in the replay: a plugin in addition to kube-scheduler's, and the notifications that it gets.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "meter.h"
#include "placement/profile.h"
#include "placement/registry.h"
#include "workload.h"

namespace rescheduler::replay {

// A pod with its node.
struct Placement {
  const Job* job = nullptr;
  std::string uid{};
  cluster::NodeIndex node = cluster::kNoNode;
  std::int64_t bound = 0;  // seconds
};

// All data that a rule may use.
struct Knowledge {
  const Meter& meter;  // all readings so far
  std::int64_t now = 0;
  const std::vector<NodeShape>& nodes;
  const sim::SeriesTable& rows;
};

class Rule {
 public:
  virtual ~Rule() = default;
  // Adds the plugin of the rule, if it has one, to the profile.
  virtual void register_plugins(placement::Registry& registry, placement::Profile& profile, int weight) = 0;
  // Called when there are new readings.
  virtual void sampled(cluster::Cluster& /*cluster*/, const Knowledge& /*known*/) {}
  virtual void bound(cluster::Cluster& /*cluster*/, const Placement& /*pod*/) {}
  virtual void remove(cluster::Cluster& /*cluster*/, const Placement& /*pod*/) {}
};

using RuleFactory = std::function<std::unique_ptr<Rule>(const std::vector<NodeShape>& nodes)>;

struct NamedRule {
  std::string name;
  RuleFactory make;
  int weight = 1;
};

RuleFactory kube_scheduler_defaults();
RuleFactory target_load_packing();
RuleFactory load_variation_risk_balancing();
RuleFactory crane_dynamic();
RuleFactory koordinator_load_aware();

// Adds the plugin at every extension point that it implements, after the existing plugins.
void register_plugin(placement::Registry& registry,
                     placement::Profile& profile,
                     const std::string& name,
                     int weight,
                     const placement::PluginFactory& factory);

// The requests and limits of the incoming pod, in cores and GiB; a limit of 0 means none.
struct PodRequest {
  double cpu = 0;
  double memory = 0;
  double cpu_limit = 0;
  double memory_limit = 0;
};
PodRequest request_of(const api::Pod& pod);
PodRequest request_of(const Job& job);

}  // namespace rescheduler::replay
