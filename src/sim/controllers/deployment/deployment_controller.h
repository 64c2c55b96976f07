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
  struct Look;

  // All bool functions return false if a write was rejected. The Deployment is then reconciled again later.
  void reconcile(const std::string& key);
  bool act(Look& look);
  bool claim_sets(Look& look, const kube::LabelSelector& selector);
  bool check_paused(Look& look);
  bool sync_revision(Look& look, bool create);
  bool adopt_revision(Look& look, std::int64_t revision);
  bool create_new_set(Look& look, std::int64_t revision);
  bool resolve_collision(Look& look, const api::ReplicaSet& wanted);
  bool is_scaling_event(const Look& look) const;

  bool scale_all(Look& look);
  bool scale_in_proportion(Look& look);
  bool roll(Look& look);
  bool recreate(Look& look);
  bool grow_new_set(Look& look, bool& scaled);
  bool shrink_old_sets(Look& look, bool& scaled);
  bool old_pods_running(const Look& look) const;
  bool scale_set(Look& look, ReplicaSetPtr& set, std::int32_t size, bool annotate);
  bool clean_up(Look& look);

  bool write_status(Look& look);          // replica counts and availability
  bool write_rollout_status(Look& look);  // the same and the Progressing condition
  bool store(Look& look, const api::DeploymentStatus& status);
  void look_again_at_deadline(const Look& look);
  void on_set(const OwnedIndex::Entry* before, const OwnedIndex::Entry* after);
  void on_pod_gone(const PodView& pod);
  void note(const Look& look, kube::EventType type, std::string_view reason, std::string text);

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
