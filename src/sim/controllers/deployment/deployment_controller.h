// Rolls a Deployment's template out: a ReplicaSet for each template it ever had, the newest one growing while the
// others shrink.
//
//   being deleted ---------------> status only
//   paused, or its size changed -> all sets are scaled in proportion; no new set
//   RollingUpdate ---------------> new set up as far as surge allows, else old ones down as far as availability does
//   Recreate --------------------> old sets to zero; when their last pod is gone, the new one to full size
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
  // One look at one deployment: what was read, kept up to date with what is written.
  struct Look;

  // All of these answer false when a write was refused: the deployment is looked at again later.
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

  bool write_status(Look& look);          // counts and availability
  bool write_rollout_status(Look& look);  // and progress
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
  std::set<std::string, std::less<>> waiting_for_old_pods_;  // keys of those that recreate
  PodIndex::Subscription pod_changes_;
};

}  // namespace rescheduler::sim
