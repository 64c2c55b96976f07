// How long a container that ended waits before it is started again, as the kubelet has it: not at all the first time,
// then 10 s from its end, doubling up to 5 minutes; forgotten once it has run for 10 minutes.
#pragma once

#include "sim/kubelet/settings.h"

namespace rescheduler::sim {

class RestartBackoff {
 public:
  using Duration = Agenda::Duration;
  // From the end of the container; zero: at once.
  Duration wait(SteadyTime ended, const KubeletSettings& settings) const;
  // It is started again, having ended then.
  void restarted(SteadyTime ended, SteadyTime now, const KubeletSettings& settings);

 private:
  bool forgotten(SteadyTime ended, const KubeletSettings& settings) const;

  SteadyTime updated_{};
  Duration wait_{0};  // zero: it has never been restarted
};

}  // namespace rescheduler::sim
