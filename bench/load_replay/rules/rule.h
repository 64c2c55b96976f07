// A rule of placing, as the replay sees it: a plugin beside kube-scheduler's, and what it is told meanwhile.
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

// A pod that has its node.
struct Placement {
  const Job* job = nullptr;
  std::string uid{};
  cluster::NodeIndex node = cluster::kNoNode;
  std::int64_t bound = 0;  // seconds
};

// Everything a rule may know.
struct Knowledge {
  const Meter& meter;  // of all readings so far
  std::int64_t now = 0;
  const std::vector<NodeShape>& nodes;
  const sim::SeriesTable& rows;
};

class Rule {
 public:
  virtual ~Rule() = default;
  // Adds its plugin, if it has one, to those that have a say.
  virtual void enlist(placement::Registry& registry, placement::Profile& profile, int weight) = 0;
  // New readings are there.
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

// At every point the plugin has a say at, behind those that are there.
void enlist_plugin(placement::Registry& registry,
                   placement::Profile& profile,
                   const std::string& name,
                   int weight,
                   const placement::PluginFactory& factory);

// The amounts a pod in question asks for, in cores and GiB; a limit of 0 is none.
struct Asked {
  double cpu = 0;
  double memory = 0;
  double cpu_limit = 0;
  double memory_limit = 0;
};
Asked asked_by(const api::Pod& pod);
Asked asked_by(const Job& job);

}  // namespace rescheduler::replay
