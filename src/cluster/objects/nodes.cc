#include "cluster/objects/nodes.h"

#include <initializer_list>

#include "kube/proto/core_node.pb.h"

namespace rescheduler::cluster {
namespace {

std::string label_of(const api::Node& node, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    const auto found = node.metadata().labels().find(key);
    if (found != node.metadata().labels().end()) return found->second;
  }
  return {};
}

}  // namespace

std::string_view condition_of(const api::Node& node, std::string_view type) {
  for (const api::NodeCondition& condition : node.status().conditions()) {
    if (condition.type() == type) return condition.status();
  }
  return {};
}

bool is_ready(const api::Node& node) { return condition_of(node, "Ready") == "True"; }

bool reports_not_ready(const api::Node& node) {
  const std::string_view ready = condition_of(node, "Ready");
  return !ready.empty() && ready != "True";
}

std::string zone_of(const api::Node& node) {
  return label_of(node, {"topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"});
}

std::string region_of(const api::Node& node) {
  return label_of(node, {"topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"});
}

}  // namespace rescheduler::cluster
