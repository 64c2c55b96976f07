// A cluster out of a file: `kubectl get ... -o json`, a List of objects of any kinds.
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
  std::vector<std::string> skipped{};                      // kinds that say nothing to placement
  std::string pod{};  // "namespace/name": which pod the dump is about, where it says so
  // "nextStartNodeIndex": where a scheduler that looks at some of the nodes would go on, where the dump says so.
  std::optional<std::size_t> next_start{};
};

// Fills the model. An object that cannot be read is an error: a model with holes would give wrong answers.
Result<Dump> read_dump(std::string_view text, Cluster& into);

// One object of model_kinds() (feed.h); a pod without a node goes to the dump.
void take_object(const google::protobuf::Message& object, Cluster& into, Dump& dump);

}  // namespace rescheduler::cluster
