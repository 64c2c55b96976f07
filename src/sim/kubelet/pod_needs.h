// Node-only placement rules of a pod: requests, node selector and affinity, taints, cordon. Not checked: affinity
// between pods, topology spread, volumes and ports.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cluster/objects/tolerations.h"
#include "kube/value/node_selector.h"

namespace rescheduler::api {
class Node;
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::sim {

// Amounts of resources. CPU in thousandths of a core, all others in whole units; "pods" is one for each pod.
struct PodResources {
  std::int64_t cpu = 0;
  std::int64_t memory = 0;
  std::int64_t pods = 0;
  std::map<std::string, std::int64_t> others{};

  PodResources& operator+=(const PodResources& more);
  PodResources& operator-=(const PodResources& less);
};

// The requests of a pod (cluster/pod_requests.h), by name.
PodResources requests_of(const api::Pod& pod);

struct NodeRoom {
  std::string name;
  PodResources allocatable{};
  PodResources used{};
  std::map<std::string, std::string, std::less<>> labels{};
  std::vector<cluster::TaintText> taints{};  // NoSchedule and NoExecute; a cordon is one of them

  bool has_room_for(const PodResources& request) const;
};
// All fields except `used`.
NodeRoom room_of(const api::Node& node);

class PodNeeds {
 public:
  explicit PodNeeds(const api::Pod& pod);

  const PodResources& requests() const { return requests_; }
  bool may_go_to(const NodeRoom& node) const;  // without the check of requests
  bool fits(const NodeRoom& node) const { return node.has_room_for(requests_) && may_go_to(node); }

 private:
  PodResources requests_;
  std::map<std::string, std::string, std::less<>> selector_;
  std::optional<kube::NodeSelector> affinity_;
  std::vector<cluster::TolerationText> tolerations_;
};

}  // namespace rescheduler::sim
