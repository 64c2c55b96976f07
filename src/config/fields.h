// Values that configurations hold and YamlReader does not know.
#pragma once

#include <chrono>
#include <limits>
#include <string>
#include <string_view>

#include "kube/config/yaml_reader.h"

namespace rescheduler::config {

void read_int(kube::YamlReader& from,
              std::string_view field,
              int& into,
              int least = 0,
              int most = std::numeric_limits<int>::max());

// As Go writes them, "1m30s"; a problem if there is none. Answers whether `into` was set.
bool read_duration(kube::YamlReader& from, std::string_view field, std::chrono::nanoseconds& into);

void read_number_within(kube::YamlReader& from, std::string_view field, double& into, double least, double most);

// Above 0, up to 100.
void read_percentage(kube::YamlReader& from, std::string_view field, double& into);

// "a, b and c", for messages.
std::string listed(const std::vector<std::string_view>& words);

}  // namespace rescheduler::config
