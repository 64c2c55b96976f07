// Rolls out the template of a Deployment. Every template has its ReplicaSet; the newest one grows while the others
// shrink.
//
//   being deleted --------------> status only
//   paused, or replicas changed -> scales all ReplicaSets in proportion; no new ReplicaSet
//   RollingUpdate --------------> grows the new set as far as maxSurge allows, else shrinks the old sets as far as
//                                 maxUnavailable allows
//   Recreate -------------------> scales old sets to zero; after their last pod is gone, the new set to full size
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "sim/controllers/controller_settings.h"
#include "sim/controllers/deployment/deployment_math.h"
#include "sim/controllers/event_writer.h"
#include "sim/controllers/pods/owned_index.h"
#include "sim/controllers/pods/pod_index.h"
#include "sim/controllers/pods/workload_watch.h"
#include "sim/controllers/work_queue.h"
#include "sim/server/server.h"

namespace rescheduler::sim {

class DeploymentController {
 public:
  DeploymentController(Server& server, PodIndex& pods, EventWriter& events, ControllerSettings settings = {});
  ~DeploymentController();
  DeploymentController(const DeploymentController&) = delete;
  DeploymentController& operator=(const DeploymentController&) = delete;

 private:
  // The state of one reconcile of one Deployment: the objects that were read, updated after each write.
  struct ReconcileState;

  // All bool functions return false if a write was rejected. The Deployment is then reconciled again later.
  void reconcile(const std::string& key);
  bool act(ReconcileState& state);
  bool claim_sets(ReconcileState& state, const kube::LabelSelector& selector);
  bool check_paused(ReconcileState& state);
  bool sync_revision(ReconcileState& state, bool create);
  bool adopt_revision(ReconcileState& state, std::int64_t revision);
  bool create_new_set(ReconcileState& state, std::int64_t revision);
  bool resolve_collision(ReconcileState& state, const api::ReplicaSet& wanted);
  bool is_scaling_event(const ReconcileState& state) const;

  bool scale_all(ReconcileState& state);
  bool scale_in_proportion(ReconcileState& state);
  bool roll(ReconcileState& state);
  bool recreate(ReconcileState& state);
  bool grow_new_set(ReconcileState& state, bool& scaled);
  bool shrink_old_sets(ReconcileState& state, bool& scaled);
  bool old_pods_running(const ReconcileState& state) const;
  bool scale_set(ReconcileState& state, ReplicaSetPtr& set, std::int32_t size, bool annotate);
  bool clean_up(ReconcileState& state);

  bool write_status(ReconcileState& state);          // replica counts and availability
  bool write_rollout_status(ReconcileState& state);  // the same and the Progressing condition
  bool store(ReconcileState& state, const api::DeploymentStatus& status);
  void look_again_at_deadline(const ReconcileState& state);
  void on_set(const OwnedIndex::Entry* before, const OwnedIndex::Entry* after);
  void on_pod_gone(const PodView& pod);
  void note(const ReconcileState& state, kube::EventType type, std::string_view reason, std::string text);

  Server& server_;
  PodIndex& pods_;
  EventWriter& events_;
  WorkQueue queue_;
  WorkloadWatch watch_;
  OwnedIndex sets_;
  std::set<std::string, std::less<>> waiting_for_old_pods_;  // keys of Deployments with strategy Recreate
  PodIndex::Subscription pod_changes_;
};

}  // namespace rescheduler::sim
