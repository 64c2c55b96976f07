// The kubelet's CrashLoopBackOff: how long an ended container waits before its restart. The first restart is immediate.
// Then the delay is 10 s from the end, doubled up to 5 minutes, and reset after a run of 10 minutes.
#pragma once

#include "sim/kubelet/settings.h"

namespace rescheduler::sim {

class RestartBackoff {
 public:
  using Duration = Agenda::Duration;
  // From the end of the container; zero: restart at once.
  Duration wait(SteadyTime ended, const KubeletSettings& settings) const;
  // The container that ended at `ended` is restarted at `now`.
  void restarted(SteadyTime ended, SteadyTime now, const KubeletSettings& settings);

 private:
  bool forgotten(SteadyTime ended, const KubeletSettings& settings) const;

  SteadyTime updated_{};
  Duration wait_{0};  // zero: never restarted
};

}  // namespace rescheduler::sim
