// Where the configuration is in a file: at its top, or in the data of a ConfigMap.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "kube/config/yaml_reader.h"

namespace rescheduler::config {

// "FILE: line L, column C: what", as the parser says it, taken apart.
kube::YamlRemark remark_of(const Error& syntax_error, std::string_view file_name);

// A ConfigMap, or as much of it as guides show: a map of files under `data`.
bool is_config_map(const kube::YamlNode& document);

// The one file in it that is a scheduler's configuration, or the only file; at the lines and columns it has in `text`,
// so that what is said of it leads to the place. Nothing, and a problem, if there is no such file.
std::optional<std::string> embedded_configuration(const kube::YamlNode& config_map,
                                                  std::string_view text,
                                                  kube::YamlProblems& problems);

}  // namespace rescheduler::config
