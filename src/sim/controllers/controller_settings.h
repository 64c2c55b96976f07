// What the controllers of the embedded cluster have in common to set.
#pragma once

#include <chrono>

#include "sim/time/agenda.h"

namespace rescheduler::sim {

struct ControllerSettings {
  // Between a change and a controller's look at it. A real one takes some milliseconds for watch, queue and requests;
  // less would show rollouts that no client could follow, more would slow every test down.
  Agenda::Duration lag = std::chrono::milliseconds{5};
};

}  // namespace rescheduler::sim
