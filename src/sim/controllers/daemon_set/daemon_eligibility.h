// On which nodes the pods of a DaemonSet run. Pure.
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

// The properties of a node that decide about its daemon pods.
struct NodeTraits {
  LabelSet labels;
  std::vector<cluster::TaintText> taints;
};
NodeTraits traits_of(const api::Node& node);

enum class DaemonPlace {
  Never,  // an existing pod is deleted
  Stay,   // an existing pod stays, but none is created
  Run
};

// Adds the tolerations of every daemon pod: not-ready, unreachable, pressure and unschedulable taints. With hostNetwork
// also network-unavailable.
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
