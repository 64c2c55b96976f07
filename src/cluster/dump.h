// A cluster out of a file: `kubectl get ... -o json`, a List of objects of any kinds.
#pragma once

#include <memory>
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
};

// Fills the model. An object that cannot be read is an error: a model with holes would give wrong answers.
Result<Dump> read_dump(std::string_view text, Cluster& into);

// One object of any kind the model knows; false: it says nothing to placement.
Result<bool> take_object(std::string_view kind, std::string_view json, Cluster& into, Dump& dump);

}  // namespace rescheduler::cluster
