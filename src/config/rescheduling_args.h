// `rescheduling` of the plugin Rescheduler: when and how what already runs is moved.
#pragma once

#include "placement/rescheduling_settings.h"

namespace rescheduler::kube {
class YamlReader;
class YamlWriter;
}  // namespace rescheduler::kube

namespace rescheduler::config {

void read_rescheduling(kube::YamlReader from, placement::ReschedulingSettings& into);
void print_rescheduling(const placement::ReschedulingSettings& settings, kube::YamlWriter& to);

}  // namespace rescheduler::config
