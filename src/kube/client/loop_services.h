// The dependencies of components on the event loop: executor, timers, clock, random numbers and metrics.
#pragma once

#include "base/clock.h"
#include "base/metrics.h"
#include "base/rng.h"
#include "net/event_loop.h"

namespace rescheduler::kube {

struct LoopServices {
  net::Executor executor;
  net::Timers* timers;
  const Clock* clock;
  Rng* rng;
  MetricRegistry* metrics;
};

}  // namespace rescheduler::kube
