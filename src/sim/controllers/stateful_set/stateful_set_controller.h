// Keeps a StatefulSet's pods: each has a number, a name and claims of its own, and there is never more than one of
// each.
//
// OrderedReady goes through the numbers from the lowest and stops at the first pod that is not as it should be; only
// when all are available does it take surplus pods away, from the highest number, and then update one after another,
// again from the highest. Parallel does not wait, except that a pod is gone before its successor is made.
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
  // One look at one set.
  struct Look;
  enum class Step { GoOn, Wait };

  void reconcile(const std::string& key);
  bool find_revisions(Look& look, const kube::LabelSelector& selector);
  void gather(Look& look);
  // What went wrong is left in the look.
  void act(Look& look);
  Step tend(Look& look, std::size_t slot);
  Step take_away(Look& look, const PodView& pod, bool may_be_down);
  void update_pods(Look& look);
  void create_pod(Look& look, int ordinal);
  bool create_claims(Look& look, int ordinal);
  void own_claims(Look& look, const PodView& pod, int ordinal);
  bool has_stale_claim(const Look& look, int ordinal) const;
  void remove_pod(Look& look, const PodView& pod);
  bool available(const Look& look, const PodView& pod) const;
  void write_status(Look& look);
  void look_again_when_available(const Look& look);

  Server& server_;
  PodIndex& pods_;
  EventWriter& events_;
  WorkQueue queue_;
  PodControl control_;
  RevisionHistory history_;
  WorkloadWatch watch_;
};

}  // namespace rescheduler::sim
