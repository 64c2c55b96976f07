// `load` of the plugin Rescheduler: where loads come from and what is made of them.
#pragma once

#include "cluster/load_settings.h"

namespace rescheduler::kube {
class YamlReader;
class YamlWriter;
}  // namespace rescheduler::kube

namespace rescheduler::config {

void read_load(kube::YamlReader from, cluster::LoadSettings& into);
void print_load(const cluster::LoadSettings& load, kube::YamlWriter& to);

}  // namespace rescheduler::config
