// Prevents ping-pong: a workload's pods must not return to a node that its pods left.
//
// The pods of a workload are interchangeable, so it does not matter which pod returns. The moves of a workload must
// never form a cycle. Example: after moves from a to b and from b to c, no pod moves from c to a, from c to b, or from
// b to a. Pods that run on unrelated nodes can still move to a. If a were closed to all pods, a large workload would
// soon have no target left.
#pragma once

#include <map>
#include <set>
#include <string>

#include "migration/migrator.h"

namespace rescheduler::rescheduling {

class PingPongGuard {
 public:
  // A pod of the lineage moved.
  void record_move(const migration::Lineage& lineage, const std::string& from, const std::string& to);
  // True if the move would close a cycle.
  bool would_return(const migration::Lineage& lineage, const std::string& from, const std::string& to) const;
  bool empty() const { return came_from_.empty(); }

 private:
  // By lineage and node: all nodes from which moves lead to this node, directly or over other nodes.
  std::map<migration::Lineage, std::map<std::string, std::set<std::string>>> came_from_;
};

}  // namespace rescheduler::rescheduling
