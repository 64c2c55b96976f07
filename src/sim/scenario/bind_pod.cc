#include "sim/scenario/bind_pod.h"

#include "kube/proto/core_pod.pb.h"
#include "sim/server/server.h"

namespace rescheduler::sim {

bool bind_pod(Server& server, const api::Pod& pod, const std::string& node) {
  const api::ObjectMeta& metadata = pod.metadata();
  api::Binding binding;
  binding.mutable_metadata()->set_namespace_(metadata.namespace_());
  binding.mutable_metadata()->set_name(metadata.name());
  binding.mutable_metadata()->set_uid(metadata.uid());
  binding.mutable_target()->set_kind("Node");
  binding.mutable_target()->set_name(node);
  return server.bind(metadata.namespace_(), metadata.name(), binding).has_value();
}

}  // namespace rescheduler::sim
