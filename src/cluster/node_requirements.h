// What a pod needs of a node, as far as the node alone can answer: requests, tolerations, node affinity, ports, images.
// Compiled once and shared by all pods that ask for the same; what was found out about a node for one of them holds for
// the others.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/labels.h"
#include "cluster/pod_requests.h"
#include "cluster/ports.h"
#include "cluster/taints.h"
#include "kube/value/node_selector.h"

namespace rescheduler::cluster {

struct PreferredTerm {
  std::int64_t weight = 0;
  kube::NodeSelectorTerm term;
};

struct NodeRequirements {
  std::uint64_t id = 0;  // different for different needs
  PodRequests requests{};
  std::vector<Toleration> tolerations{};
  std::vector<Label> node_selector{};
  std::optional<kube::NodeSelector> required{};  // required node affinity; a term that cannot be read is left out
  std::vector<PreferredTerm> preferred{};
  std::optional<std::vector<std::string>>
      named_nodes{};  // the only nodes `required` can mean, where it says so by name
  std::vector<HostPort> ports{};
  std::vector<Symbol> images{};         // of containers and init containers, one each, with their tag
  std::vector<Symbol> volume_images{};  // of image volumes
  std::vector<Symbol> features{};       // that the node must declare
  std::string node_name{};              // spec.nodeName of a pod that is not placed by us

  bool asks_nothing() const;  // of CPU, memory and their like
};

}  // namespace rescheduler::cluster
