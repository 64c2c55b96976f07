// `rescheduling` of the plugin Rescheduler: when and how what already runs is moved.
#pragma once

#include "config/rescheduling_settings.h"

namespace rescheduler::kube {
class YamlReader;
class YamlWriter;
}  // namespace rescheduler::kube

namespace rescheduler::config {

void read_rescheduling(kube::YamlReader from, ReschedulingSettings& into);
void print_rescheduling(const ReschedulingSettings& settings, kube::YamlWriter& to);

}  // namespace rescheduler::config
