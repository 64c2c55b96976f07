// Decisions: the model of a cluster, kube-scheduler's default plugins and the plugin of a rule.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/rng.h"
#include "cluster/cluster.h"
#include "placement/framework.h"
#include "rules/rule.h"

namespace rescheduler::replay {

api::Pod pod_of(const PodRequest& request, const std::string& name);

class Placer {
 public:
  Placer(const std::vector<NodeShape>& nodes, const NamedRule& rule, std::uint64_t seed);

  // The placement of the job, or nothing if it does not fit now.
  std::optional<Placement> place(const Job& job, std::int64_t now);
  void remove(const Placement& pod);
  void sampled(const Knowledge& known) { rule_->sampled(cluster_, known); }

  const cluster::Cluster& cluster() const { return cluster_; }

 private:
  cluster::Cluster cluster_;
  std::unique_ptr<Rule> rule_;
  std::unique_ptr<placement::Framework> framework_;
  Rng rng_;
  std::uint64_t pods_ = 0;
};

}  // namespace rescheduler::replay
