// The spread constraints of a pod, and the nodes that count for each of them.
#pragma once

#include <vector>

#include "placement/args.h"
#include "placement/plugin.h"

namespace rescheduler::placement {

enum class Strictness { Hard, Soft };

class SpreadConstraints {
 public:
  explicit SpreadConstraints(PodTopologySpreadArgs args);

  // Interns the topology keys of the defaults, so that of() finds them even if no node has such a label.
  void learn_keys(cluster::SymbolTable& symbols) const;

  // The pod's own constraints. If it has none, the defaults, for the pods that its services and its owner select.
  std::vector<cluster::SpreadConstraint> of(const PodContext& context, Strictness strictness) const;
  // System defaults do not require that a node has all keys.
  bool needs_all_keys(const PodContext& context) const;

  static cluster::PodMatch match_of(const PodContext& context, const cluster::SpreadConstraint& constraint);
  static bool counts_node(const PodContext& context,
                          const cluster::SpreadConstraint& constraint,
                          cluster::NodeIndex index);
  static bool has_all_keys(const std::vector<cluster::SpreadConstraint>& constraints, const cluster::Node& node);
  // An empty selector counts no pods, although the pod itself matches it.
  static bool matches_no_pods(const PodContext& context, const cluster::SpreadConstraint& constraint);

 private:
  struct Default {
    std::string topology_key;
    int max_skew = 1;
    Strictness strictness = Strictness::Soft;
    int min_domains = 1;
    bool honor_affinity = true;
    bool honor_taints = false;
  };
  PodTopologySpreadArgs args_;
  std::vector<Default> defaults_;
};

}  // namespace rescheduler::placement
