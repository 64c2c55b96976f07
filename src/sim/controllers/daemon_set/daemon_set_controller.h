// Keeps one pod of each DaemonSet on every eligible node. The scheduler binds these pods like all others. A required
// node affinity pins each pod to its node.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/controllers/controller_settings.h"
#include "sim/controllers/daemon_set/daemon_eligibility.h"
#include "sim/controllers/event_writer.h"
#include "sim/controllers/pods/pod_control.h"
#include "sim/controllers/pods/pod_index.h"
#include "sim/controllers/pods/revision_history.h"
#include "sim/controllers/pods/workload_watch.h"
#include "sim/controllers/work_queue.h"
#include "sim/server/server.h"

namespace rescheduler::api {
class DaemonSet;
}  // namespace rescheduler::api

namespace rescheduler::sim {

class DaemonSetController {
 public:
  DaemonSetController(Server& server, PodIndex& pods, EventWriter& events, ControllerSettings settings = {});
  ~DaemonSetController();
  DaemonSetController(const DaemonSetController&) = delete;
  DaemonSetController& operator=(const DaemonSetController&) = delete;

 private:
  // The state of one reconcile of one DaemonSet.
  struct ReconcileState;
  struct Node {
    std::vector<const PodView*> pods;  // oldest first
    DaemonPlace place = DaemonPlace::Never;
  };
  // The backoff before a failed pod is replaced.
  struct Backoff {
    Agenda::Duration wait{};
    SteadyTime until{};
  };

  void on_set(const Change& change);
  void on_node(const Change& change);
  void reconcile(const std::string& key);
  bool find_revision(ReconcileState& state, const kube::LabelSelector& selector);
  void gather(ReconcileState& state);
  void manage(ReconcileState& state);
  void manage_node(ReconcileState& state, std::string_view name, const Node& node);
  void prune(ReconcileState& state, std::vector<const PodView*> running);
  bool may_replace_failed(const ReconcileState& state, std::string_view node);
  void update(ReconcileState& state);
  void update_within_unavailability(ReconcileState& state, std::int32_t room);
  void update_with_surge(ReconcileState& state, std::int32_t room);
  // Ignores terminating pods. False if the node has more than one new or more than one old pod.
  bool split(const ReconcileState& state, const Node& node, const PodView*& is_new, const PodView*& is_old) const;
  bool carry_out(ReconcileState& state);  // false: there was nothing to do
  void create_pod(ReconcileState& state, const std::string& node);
  bool available(const ReconcileState& state, const PodView& pod) const;
  void write_status(ReconcileState& state);

  Server& server_;
  PodIndex& pods_;
  EventWriter& events_;
  WorkQueue queue_;
  PodControl control_;
  RevisionHistory history_;
  std::map<std::string, NodeTraits, std::less<>> nodes_;
  std::map<std::string, DaemonEligibility, std::less<>> eligibilities_;  // by key of the DaemonSet
  std::map<std::string, Backoff, std::less<>> failed_;                   // by key of the DaemonSet and node
  WorkloadWatch watch_;
  std::unique_ptr<Store::Subscription> set_changes_;
  std::unique_ptr<Store::Subscription> node_changes_;
};

}  // namespace rescheduler::sim
