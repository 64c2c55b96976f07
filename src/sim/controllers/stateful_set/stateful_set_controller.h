// Keeps the pods of a StatefulSet. Each pod has an ordinal, a name and its own claims, and there is never more than one
// pod of each ordinal.
//
// OrderedReady goes through the ordinals from the lowest and stops at the first pod that is not available. When all are
// available, it deletes surplus pods from the highest ordinal, and then updates pods one by one, again from the
// highest. Parallel does not wait, except that an old pod is gone before its successor is created.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/controllers/controller_settings.h"
#include "sim/controllers/event_writer.h"
#include "sim/controllers/pods/pod_control.h"
#include "sim/controllers/pods/pod_index.h"
#include "sim/controllers/pods/revision_history.h"
#include "sim/controllers/pods/workload_watch.h"
#include "sim/controllers/work_queue.h"
#include "sim/server/server.h"

namespace rescheduler::api {
class StatefulSet;
class StatefulSetStatus;
}  // namespace rescheduler::api

namespace rescheduler::sim {

class StatefulSetController {
 public:
  StatefulSetController(Server& server, PodIndex& pods, EventWriter& events, ControllerSettings settings = {});
  ~StatefulSetController();
  StatefulSetController(const StatefulSetController&) = delete;
  StatefulSetController& operator=(const StatefulSetController&) = delete;

 private:
  // The state of one reconcile of one StatefulSet.
  struct ReconcileState;
  enum class Step { GoOn, Wait };

  void reconcile(const std::string& key);
  bool find_revisions(ReconcileState& state, const kube::LabelSelector& selector);
  void gather(ReconcileState& state);
  // Stores errors in state.fault.
  void act(ReconcileState& state);
  Step tend(ReconcileState& state, std::size_t slot);
  Step take_away(ReconcileState& state, const PodView& pod, bool may_be_down);
  void update_pods(ReconcileState& state);
  void create_pod(ReconcileState& state, int ordinal);
  bool create_claims(ReconcileState& state, int ordinal);
  void own_claims(ReconcileState& state, const PodView& pod, int ordinal);
  bool has_stale_claim(const ReconcileState& state, int ordinal) const;
  void remove_pod(ReconcileState& state, const PodView& pod);
  bool available(const ReconcileState& state, const PodView& pod) const;
  void write_status(ReconcileState& state);
  void look_again_when_available(const ReconcileState& state);

  Server& server_;
  PodIndex& pods_;
  EventWriter& events_;
  WorkQueue queue_;
  PodControl control_;
  RevisionHistory history_;
  WorkloadWatch watch_;
};

}  // namespace rescheduler::sim
