// `logLanguage` and `migration` of the plugin Rescheduler.
#pragma once

#include "config/migration_settings.h"

namespace rescheduler::kube {
class YamlReader;
class YamlWriter;
}  // namespace rescheduler::kube

namespace rescheduler::config {

void read_moving(kube::YamlReader& from, ReschedulerSettings& into);
// What differs from the defaults.
void print_moving(const ReschedulerSettings& settings, kube::YamlWriter& to);

}  // namespace rescheduler::config
