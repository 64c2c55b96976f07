// Small API objects for tests.
#pragma once

#include <map>
#include <string>

#include "kube/client/client.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::test {

api::ConfigMap config_map(const std::string& ns,
                          const std::string& name,
                          const std::map<std::string, std::string>& data);
// One small container; bound to `node` unless it is empty.
api::Pod pod_of(const std::string& ns, const std::string& name, const std::string& node);
// A pod with all special fields: quantities, probes, ports, affinity, spread constraints, tolerations, volumes.
api::Pod elaborate_pod(const std::string& ns, const std::string& name);
api::Node node_of(const std::string& name);
api::Deployment deployment_of(const std::string& ns, const std::string& name, int replicas);
api::Binding binding_to(const std::string& ns, const std::string& pod, const std::string& node);
kube::PatchOptions status_patch();

}  // namespace rescheduler::test
