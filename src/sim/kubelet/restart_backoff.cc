#include "sim/kubelet/restart_backoff.h"

#include <algorithm>

namespace rescheduler::sim {

bool RestartBackoff::forgotten(SteadyTime ended, const KubeletSettings& settings) const {
  return wait_ == Duration{0} || ended - updated_ > settings.back_off_forgotten_after;
}

RestartBackoff::Duration RestartBackoff::wait(SteadyTime ended, const KubeletSettings& settings) const {
  return forgotten(ended, settings) ? Duration{0} : wait_;
}

void RestartBackoff::restarted(SteadyTime ended, SteadyTime now, const KubeletSettings& settings) {
  wait_ = forgotten(ended, settings) ? settings.back_off_first : std::min(2 * wait_, settings.back_off_most);
  updated_ = now;
}

}  // namespace rescheduler::sim
