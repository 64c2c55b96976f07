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
  struct Look;
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
  bool find_revision(Look& look, const kube::LabelSelector& selector);
  void gather(Look& look);
  void manage(Look& look);
  void manage_node(Look& look, std::string_view name, const Node& node);
  void prune(Look& look, std::vector<const PodView*> running);
  bool may_replace_failed(const Look& look, std::string_view node);
  void update(Look& look);
  void update_within_unavailability(Look& look, std::int32_t room);
  void update_with_surge(Look& look, std::int32_t room);
  // Ignores terminating pods. False if the node has more than one new or more than one old pod.
  bool split(const Look& look, const Node& node, const PodView*& is_new, const PodView*& is_old) const;
  bool carry_out(Look& look);  // false: there was nothing to do
  void create_pod(Look& look, const std::string& node);
  bool available(const Look& look, const PodView& pod) const;
  void write_status(Look& look);

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
