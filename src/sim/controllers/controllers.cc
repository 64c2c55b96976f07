#include "sim/controllers/controllers.h"

#include <optional>

#include "sim/controllers/controller_scope.h"
#include "sim/controllers/daemon_set/daemon_set_controller.h"
#include "sim/controllers/deployment/deployment_controller.h"
#include "sim/controllers/disruption/disruption.h"
#include "sim/controllers/garbage/garbage_collector.h"
#include "sim/controllers/garbage/namespace_deletion.h"
#include "sim/controllers/job/cron_job_controller.h"
#include "sim/controllers/job/job_controller.h"
#include "sim/controllers/nodes/node_lifecycle.h"
#include "sim/controllers/nodes/taint_eviction.h"
#include "sim/controllers/replica_set/replica_set_controller.h"
#include "sim/controllers/stateful_set/stateful_set_controller.h"
#include "sim/controllers/volume_binder.h"

namespace rescheduler::sim {

struct Controllers::Parts {
  Parts(Server& server, Rng rng, const ControllerSettings& settings)
      : pods(server), events(server, settings.events), scope{server, pods, events, settings.lag} {
    if (settings.workloads) {
      replica_sets.emplace(server, pods, events, settings);
      deployments.emplace(server, pods, events, settings);
      stateful_sets.emplace(server, pods, events, settings);
      daemon_sets.emplace(server, pods, events, settings);
    }
    if (settings.jobs) {
      jobs.emplace(scope);
      cron_jobs.emplace(scope);
    }
    if (settings.disruption) disruption.emplace(scope);
    if (settings.node_lifecycle) node_lifecycle.emplace(scope, settings.nodes);
    if (settings.taint_eviction) taint_eviction.emplace(scope);
    if (settings.pod_cleanup) pod_cleanup.emplace(scope, settings.cleanup);
    if (settings.garbage) garbage.emplace(scope);
    if (settings.namespaces) namespaces.emplace(scope);
    if (settings.volumes) volumes.emplace(scope, rng, settings.volume_binder);
  }

  PodIndex pods;  // first: it gets every change before the others
  EventWriter events;
  ControllerScope scope;
  std::optional<ReplicaSetController> replica_sets;
  std::optional<DeploymentController> deployments;
  std::optional<StatefulSetController> stateful_sets;
  std::optional<DaemonSetController> daemon_sets;
  std::optional<JobController> jobs;
  std::optional<CronJobController> cron_jobs;
  std::optional<DisruptionController> disruption;
  std::optional<NodeLifecycleController> node_lifecycle;
  std::optional<TaintEvictionController> taint_eviction;
  std::optional<PodCleanup> pod_cleanup;
  std::optional<GarbageCollector> garbage;
  std::optional<NamespaceDeletion> namespaces;
  std::optional<VolumeBinder> volumes;
};

Controllers::Controllers(Server& server, Rng rng, ControllerSettings settings)
    : parts_(std::make_unique<Parts>(server, rng, settings)) {}
Controllers::~Controllers() = default;

PodIndex& Controllers::pods() { return parts_->pods; }
EventWriter& Controllers::events() { return parts_->events; }

}  // namespace rescheduler::sim
