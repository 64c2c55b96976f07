#include "rescheduling/planning/ping_pong_guard.h"

namespace rescheduler::rescheduling {

void PingPongGuard::record_move(const migration::Lineage& lineage, const std::string& from, const std::string& to) {
  if (from == to || to.empty()) return;
  auto& nodes = came_from_[lineage];
  std::set<std::string> origins = nodes[from];
  origins.insert(from);
  // Nodes that are reached from `to` get the same origins.
  for (auto& [node, before] : nodes) {
    if (node == to || before.contains(to)) before.insert(origins.begin(), origins.end());
  }
  nodes[to].insert(origins.begin(), origins.end());
}

bool PingPongGuard::would_return(const migration::Lineage& lineage,
                                 const std::string& from,
                                 const std::string& to) const {
  const auto nodes = came_from_.find(lineage);
  if (nodes == came_from_.end()) return false;
  const auto before = nodes->second.find(from);
  return before != nodes->second.end() && before->second.contains(to);
}

}  // namespace rescheduler::rescheduling
