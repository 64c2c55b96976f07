// Reads KubeSchedulerConfiguration, kubescheduler.config.k8s.io/v1 and v1beta3, as strictly as kube-scheduler. Unknown
// fields, duplicate fields, wrong types and values out of range are problems. All problems are reported together.
//
// Also accepted: a ConfigMap, or only its `data`, with such a file. Accepted with a note: a profile without the
// surrounding file; plugins in the short form `enabled: [Rescheduler]`.
#pragma once

#include <string_view>
#include <vector>

#include "base/error.h"
#include "config/catalog.h"
#include "config/configuration.h"
#include "kube/config/yaml_reader.h"

namespace rescheduler::config {

inline constexpr std::string_view kConfigurationV1 = "kubescheduler.config.k8s.io/v1";
inline constexpr std::string_view kConfigurationV1Beta3 = "kubescheduler.config.k8s.io/v1beta3";

struct ConfigurationReading {
  Configuration configuration{};  // valid only without problems
  std::vector<kube::YamlRemark> problems{};
  std::vector<kube::YamlRemark> notes{};  // fields without effect, and deprecated or short notation
};

ConfigurationReading read_configuration(std::string_view text,
                                        std::string_view file_name,
                                        const PluginCatalog& catalog);

// The paths of all values in the text: "profiles[0].pluginConfig[1].args.cpuThreshold". A list of strings is one value.
std::vector<std::string> values_in(std::string_view text, std::string_view file_name);

// The first error in these settings. Must be checked again after flags have changed them.
struct ElectionFault {
  std::string_view field;
  std::string_view what;
};
std::optional<ElectionFault> fault_of(const LeaderElection& election);

// "line 7: PATH: what"
std::string sentence(const kube::YamlRemark& remark);

// The configuration without a file: one profile with all defaults.
Configuration default_configuration(const PluginCatalog& catalog);

// As read_configuration(), but all problems together are one error.
Result<ConfigurationReading> load_configuration(std::string_view text,
                                                std::string_view file_name,
                                                const PluginCatalog& catalog);

}  // namespace rescheduler::config
