// `dashboard` of the plugin Rescheduler.
#pragma once

#include "placement/dashboard_settings.h"

namespace rescheduler::kube {
class YamlReader;
class YamlWriter;
}  // namespace rescheduler::kube

namespace rescheduler::config {

void read_dashboard(kube::YamlReader& from, placement::DashboardSettings& into);
// What differs from the defaults.
void print_dashboard(const placement::DashboardSettings& settings, kube::YamlWriter& to);

}  // namespace rescheduler::config
