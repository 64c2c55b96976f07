// On which nodes a DaemonSet's pods belong. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/objects/tolerations.h"
#include "kube/value/node_selector.h"
#include "sim/controllers/pods/pod_view.h"

namespace rescheduler::api {
class Node;
class PodSpec;
}  // namespace rescheduler::api

namespace rescheduler::sim {

// What decides about pods on a node.
struct NodeTraits {
  LabelSet labels;
  std::vector<cluster::TaintText> taints;
};
NodeTraits traits_of(const api::Node& node);

enum class DaemonPlace {
  Never,  // a pod there is to go
  Stay,   // a pod there may stay, but none is to be created
  Run
};

// The taints every daemon tolerates: of nodes that are not ready, out of something, or closed to others.
void add_daemon_tolerations(api::PodSpec& spec);

class DaemonEligibility {
 public:
  explicit DaemonEligibility(const api::PodSpec& of_template);
  DaemonPlace on(std::string_view node, const NodeTraits& traits) const;

 private:
  std::string node_name_;
  std::vector<std::pair<std::string, std::string>> node_selector_;
  std::optional<kube::NodeSelector> affinity_;
  std::vector<cluster::TolerationText> tolerations_;
};

}  // namespace rescheduler::sim
