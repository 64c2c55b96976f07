#include "chaos/disturbances.h"

#include <algorithm>

namespace rescheduler::test {
namespace {

// Controllers react within milliseconds. Until then a workload can look complete although it is about to change.
constexpr std::chrono::seconds kControllersAnswer{5};

}  // namespace

void Disturbances::mark_affected(const std::string& node) {
  for (const auto& [uid, pod] : index_.pods()) {
    if (pod.node != node) continue;
    touched(pod.app);
    affected_.insert(pod.app);
  }
}

void Disturbances::node_fails(const std::string& node) {
  failed_.insert(node);
  mark_affected(node);
}

void Disturbances::node_recovers(const std::string& node) {
  if (failed_.erase(node) > 0) mark_affected(node);
}

bool Disturbances::on_failed_node(const std::string& app) const {
  return !failed_.empty() && std::ranges::any_of(index_.pods(), [&](const auto& one) {
    return one.second.app == app && one.second.present() && failed_.contains(one.second.node);
  });
}

bool Disturbances::is_whole(const std::string& app) const {
  const WorkloadFacts* workload = index_.workload(app);
  if (workload == nullptr) return false;
  const Replicas replicas = index_.replicas(app);
  return replicas.present == workload->desired && replicas.available == workload->desired && replicas.one_revision;
}

bool Disturbances::disturbed(const std::string& app) {
  if (on_failed_node(app)) {
    touched(app);
    affected_.insert(app);
    return true;
  }
  const auto found = since_.find(app);
  if (found == since_.end()) return false;
  if (clock_.wall_now() - found->second < kControllersAnswer || !is_whole(app)) return true;
  since_.erase(found);
  return false;
}

}  // namespace rescheduler::test
