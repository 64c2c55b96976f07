// Applies objects of the API server to the model. One table of kinds serves live informers, dumps and planning.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "kube/codec/resource.h"

namespace rescheduler::cluster {

const std::vector<const kube::ResourceType*>& model_kinds();

// Applies one object and returns the event for waiting pods. An object whose kind is not in model_kinds() and a pod
// without a node have no effect. A finished pod is removed.
enum class FeedAction : std::uint8_t { Upsert, Remove };
ClusterEventPtr apply(const google::protobuf::Message& object, FeedAction action, Cluster& to);

// The uid by which the model knows a pod. A hand-written dump may omit uids; then the name is used.
std::string uid_of(const api::Pod& pod);

}  // namespace rescheduler::cluster
