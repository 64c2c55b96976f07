// `dashboard` of the plugin Rescheduler.
#pragma once

#include "config/rescheduler_settings.h"

namespace rescheduler::kube {
class YamlReader;
class YamlWriter;
}  // namespace rescheduler::kube

namespace rescheduler::config {

void read_dashboard(kube::YamlReader& from, DashboardSettings& into);
// What differs from the defaults.
void print_dashboard(const DashboardSettings& settings, kube::YamlWriter& to);

}  // namespace rescheduler::config
