// Reads a cluster from a file: the output of `kubectl get ... -o json`, a List of objects of any kinds.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cluster/cluster.h"

namespace rescheduler::cluster {

struct Dump {
  std::vector<std::shared_ptr<const api::Pod>> waiting{};  // pods without a node
  std::vector<std::string> skipped{};                      // kinds that do not affect placement
  std::string pod{};  // "namespace/name" of the pod that the dump is about; empty: the dump does not name one
  // "nextStartNodeIndex" of the dump, if it has one: where a scheduler that examines only some of the nodes continues.
  std::optional<std::size_t> next_start{};
};

// Fills the model. An object that cannot be read is an error, because an incomplete model would give wrong answers.
Result<Dump> read_dump(std::string_view text, Cluster& into);

// Adds one object of model_kinds() (feed.h). A pod without a node is added to `dump.waiting`.
void take_object(const google::protobuf::Message& object, Cluster& into, Dump& dump);

}  // namespace rescheduler::cluster
