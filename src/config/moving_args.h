// `logLanguage` and `migration` of the plugin Rescheduler.
#pragma once

#include "placement/moving_settings.h"

namespace rescheduler::kube {
class YamlReader;
class YamlWriter;
}  // namespace rescheduler::kube

namespace rescheduler::config {

void read_moving(kube::YamlReader& from, placement::MovingSettings& into);
// What differs from the defaults.
void print_moving(const placement::MovingSettings& settings, kube::YamlWriter& to);

}  // namespace rescheduler::config
