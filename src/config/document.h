// Finds the configuration in a file: at the top level, or in the data of a ConfigMap.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "kube/config/yaml_reader.h"

namespace rescheduler::config {

// Splits the message of the parser, "FILE: line L, column C: what", into its parts.
kube::YamlRemark remark_of(const Error& syntax_error, std::string_view file_name);

// True for a ConfigMap, and for a map of files under `data` without the rest of the ConfigMap, as guides show it.
bool is_config_map(const kube::YamlNode& document);

// The one file of the ConfigMap that is a KubeSchedulerConfiguration, or the only file. The result keeps the lines and
// columns of `text`, so that messages name the right place. Without such a file: empty, and a problem is added.
std::optional<std::string> embedded_configuration(const kube::YamlNode& config_map,
                                                  std::string_view text,
                                                  kube::YamlProblems& problems);

}  // namespace rescheduler::config
