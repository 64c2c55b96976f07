// How what the API server says comes into the model: one table of the kinds that it is made of, for live informers,
// dumps and planning.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "kube/codec/resource.h"

namespace rescheduler::cluster {

const std::vector<const kube::ResourceType*>& model_kinds();

// The object is there, or there no more. Answers what it may mean to waiting pods. Of other kinds, and pods that wait
// for a node: nothing happens. A pod that has finished is gone.
enum class FeedAction : std::uint8_t { Upsert, Remove };
ClusterEventPtr apply(const google::protobuf::Message& object, FeedAction action, Cluster& to);

// By which the model knows a pod. A dump that a person wrote may leave uids out; then the name does.
std::string uid_of(const api::Pod& pod);

}  // namespace rescheduler::cluster
