// Ping-pong: where pods of a workload must not go, because others of it came from there.
//
// Pods of one workload are as good as each other, so it does not matter which of them comes back. What matters is that
// the moves of a workload never lead round in a circle: when some went from a to b and some from b to c, nobody of it
// goes from c to a or b, nor from b to a. A node that was left is open to those who are elsewhere for other reasons;
// were it closed to all of them, a large workload would soon have nowhere to go.
#pragma once

#include <map>
#include <set>
#include <string>

#include "migration/migrator.h"

namespace rescheduler::rescheduling {

class PingPongGuard {
 public:
  // Somebody of it went from here to there.
  void record_move(const migration::Lineage& lineage, const std::string& from, const std::string& to);
  // Would one that goes from here to there close a circle?
  bool would_return(const migration::Lineage& lineage, const std::string& from, const std::string& to) const;
  bool empty() const { return came_from_.empty(); }

 private:
  // By lineage and node: all nodes from which moves lead there.
  std::map<migration::Lineage, std::map<std::string, std::set<std::string>>> came_from_;
};

}  // namespace rescheduler::rescheduling
