// What can be set about the controllers of the embedded cluster.
#pragma once

#include <chrono>

#include "sim/controllers/event_writer.h"
#include "sim/controllers/garbage/pod_cleanup.h"
#include "sim/controllers/nodes/zone_disruption.h"
#include "sim/controllers/volume_binder.h"
#include "sim/time/agenda.h"

namespace rescheduler::sim {

struct ControllerSettings {
  // Between a change and a controller's look at it. A real one takes some milliseconds for watch, queue and requests;
  // less would show rollouts that no client could follow, more would slow every test down.
  Agenda::Duration lag = std::chrono::milliseconds{5};

  // Which of them run.
  bool workloads = true;       // Deployments, ReplicaSets, StatefulSets, DaemonSets
  bool jobs = true;            // Jobs and CronJobs
  bool disruption = true;      // the status of PodDisruptionBudgets
  bool node_lifecycle = true;  // silent nodes; taints from conditions
  bool taint_eviction = true;  // NoExecute taints
  bool pod_cleanup = true;     // pods that no kubelet ends
  bool garbage = true;         // ownerReferences
  bool namespaces = true;      // deletion of their content
  bool volumes = true;         // claims find or get their volumes

  NodeLifecycleSettings nodes{};
  PodCleanupSettings cleanup{};
  VolumeBinderSettings volume_binder{};
  EventWriterSettings events{};
};

}  // namespace rescheduler::sim
