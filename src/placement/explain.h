// A scheduling decision as JSON, for users and programs.
#pragma once

#include <cstddef>
#include <string>

#include "placement/decide.h"

namespace rescheduler::placement {

std::string to_json(const Decision& decision, const PodContext& context, const Framework& framework);

// Limits the list of nodes: a list of thousands of nodes is not readable.
struct NodeListing {
  std::size_t most = 100;
  std::string containing{};  // part of the node name; empty: all nodes
  std::string always{};      // a node that is listed whatever its score
};
// The same with the best `most` of the feasible nodes. If `containing` is set, it also lists as many of the rejected
// nodes. All nodes are counted in "counts": {"nodes", "feasible", "matching": feasible nodes with such a name,
// "refused": [{"plugin", "code", "reason", "nodes": their number, "names": some of them}]}, most frequent first.
std::string to_json(const Decision& decision,
                    const PodContext& context,
                    const Framework& framework,
                    const NodeListing& listing);

}  // namespace rescheduler::placement
