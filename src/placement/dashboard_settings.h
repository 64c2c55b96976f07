// The pages of the daemon, as a configuration says it (`dashboard` of the plugin Rescheduler).
#pragma once

#include <string>

namespace rescheduler::placement {

struct DashboardSettings {
  bool enabled = true;
  std::string grafana{};  // where the pages link to; empty: nowhere
  friend bool operator==(const DashboardSettings&, const DashboardSettings&) = default;
};

}  // namespace rescheduler::placement
