// What a pod requires of a node, as far as the node alone decides: requests, tolerations, node affinity, ports, images.
// Pods with equal requirements share one compiled object, so a result computed for one of them holds for the others.
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
  std::uint64_t id = 0;  // different for different requirements
  PodRequests requests{};
  std::vector<Toleration> tolerations{};
  std::vector<Label> node_selector{};
  std::optional<kube::NodeSelector> required{};  // required node affinity; a term that cannot be parsed is ignored
  std::vector<PreferredTerm> preferred{};
  std::optional<std::vector<std::string>>
      named_nodes{};  // the only nodes that can match `required`, if it selects by node name
  std::vector<HostPort> ports{};
  std::vector<Symbol> images{};         // one for each container and init container, with its tag
  std::vector<Symbol> volume_images{};  // of image volumes
  std::vector<Symbol> features{};       // features that the node must declare
  std::string node_name{};              // spec.nodeName of a pod that another scheduler binds

  bool has_no_requests() const;  // no requests for CPU, memory or other resources
};

}  // namespace rescheduler::cluster
