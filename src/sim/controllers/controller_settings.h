// The settings of the controllers of the embedded cluster.
#pragma once

#include <chrono>

#include "sim/controllers/event_writer.h"
#include "sim/controllers/garbage/pod_cleanup.h"
#include "sim/controllers/nodes/zone_disruption.h"
#include "sim/controllers/volume_binder.h"
#include "sim/time/agenda.h"

namespace rescheduler::sim {

struct ControllerSettings {
  // Between a change and the reconcile. A real controller needs some milliseconds for watch, queue and requests. A
  // shorter lag would make rollouts that no client can follow; a longer lag would slow every test down.
  Agenda::Duration lag = std::chrono::milliseconds{5};

  // Which controllers run.
  bool workloads = true;       // Deployments, ReplicaSets, StatefulSets, DaemonSets
  bool jobs = true;            // Jobs and CronJobs
  bool disruption = true;      // the status of PodDisruptionBudgets
  bool node_lifecycle = true;  // nodes without heartbeat; taints from conditions
  bool taint_eviction = true;  // NoExecute taints
  bool pod_cleanup = true;     // pods that no kubelet removes
  bool garbage = true;         // ownerReferences
  bool namespaces = true;      // deletion of the content of namespaces
  bool volumes = true;         // binds claims to volumes, provisions volumes

  NodeLifecycleSettings nodes{};
  PodCleanupSettings cleanup{};
  VolumeBinderSettings volume_binder{};
  EventWriterSettings events{};
};

}  // namespace rescheduler::sim
