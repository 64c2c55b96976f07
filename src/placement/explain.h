// A decision as data, for people and programs that want to know why.
#pragma once

#include <cstddef>
#include <string>

#include "placement/decide.h"

namespace rescheduler::placement {

std::string to_json(const Decision& decision, const PodContext& context, const Framework& framework);

// Of thousands of nodes nobody reads all.
struct NodeListing {
  std::size_t most = 100;
  std::string containing{};  // in their names; empty: all
  std::string always{};      // a node that is told of whatever its score
};
// The same with the best `most` of the nodes that could take the pod, and - where only some names are asked for - as
// many of those that could not. All are counted: "counts": {"nodes", "feasible", "matching": feasible ones with such a
// name, "refused": [{"plugin", "code", "reason", "nodes": how many, "names": some of them}]}, most frequent first.
std::string to_json(const Decision& decision,
                    const PodContext& context,
                    const Framework& framework,
                    const NodeListing& listing);

}  // namespace rescheduler::placement
