// The durations on the nodes of the embedded cluster.
#pragma once

#include <chrono>

#include "sim/kubelet/node_shape.h"
#include "sim/time/agenda.h"

namespace rescheduler::sim {

struct KubeletSettings {
  using Duration = Agenda::Duration;
  // Times that vary between pods are multiplied by a random factor in [1 - jitter, 1 + jitter].
  double jitter = 0.25;
  Duration sync_lag = std::chrono::milliseconds{50};       // from a change to the kubelet's reaction
  Duration start_delay = std::chrono::milliseconds{1500};  // from admission to running: sandbox, network, images
  Duration init_time = std::chrono::seconds{1};            // each init container
  Duration ready_delay{0};                                 // from running to ready, without a probe
  Duration stop_time = std::chrono::seconds{1};            // from the stop request to the end of the containers
  Duration crash_after = std::chrono::seconds{2};          // from the start, with an injected crash or OOM
  Duration pull_time = std::chrono::seconds{1};            // duration of a failing pull
  Duration restart_delay = std::chrono::milliseconds{500};
  int slow_factor = 10;  // for starting, on a slow node

  // The real kubelet's values.
  Duration back_off_first = std::chrono::seconds{10};
  Duration back_off_most = std::chrono::minutes{5};
  Duration back_off_forgotten_after = std::chrono::minutes{10};
  Duration lease_every = std::chrono::seconds{10};
  int lease_duration_seconds = 40;
  Duration status_every = std::chrono::minutes{5};
  Duration probe_period = std::chrono::seconds{10};

  NodeShape unspecified{};  // the shape of a node that was created without one
};

}  // namespace rescheduler::sim
