// The state of one reconcile of one DaemonSet, shared by the files of its controller.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kube/proto/apps.pb.h"
#include "sim/controllers/daemon_set/daemon_set_controller.h"

namespace rescheduler::sim {

struct DaemonSetController::ReconcileState {
  std::string key;
  std::shared_ptr<const api::DaemonSet> set;
  std::vector<RevisionPtr> revisions{};
  RevisionPtr revision{};
  std::string hash{};
  std::int32_t collision_count = 0;
  std::map<std::string_view, Node> nodes{};  // all nodes, and deleted nodes that still have pods
  std::vector<const PodView*> to_delete{};
  std::vector<std::string> to_create{};  // names of nodes
  std::string fault{};                   // empty: none

  const api::DaemonSetSpec& spec() const { return set->spec(); }
  const std::string& ns() const { return set->metadata().namespace_(); }
  const std::string& name() const { return set->metadata().name(); }
  bool is_new(const PodView& pod) const { return pod.revision() == hash; }
};

}  // namespace rescheduler::sim
