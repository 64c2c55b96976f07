// Reads KubeSchedulerConfiguration, kubescheduler.config.k8s.io/v1 and v1beta3, as strictly as kube-scheduler does:
// an unknown or doubled field, a wrong type or a value out of range is a problem, and all are told at once.
//
// Taken as well, with a note: a ConfigMap (or just its `data`) that holds such a file; a profile alone, without the
// file around it; plugins named in short, `enabled: [Rescheduler]`.
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
  Configuration configuration{};  // worth something only without problems
  std::vector<kube::YamlRemark> problems{};
  std::vector<kube::YamlRemark> notes{};  // what has no effect here, or is written in a way that is going out
};

ConfigurationReading read_configuration(std::string_view text,
                                        std::string_view file_name,
                                        const PluginCatalog& catalog);

// Where values stand in the text: "profiles[0].pluginConfig[1].args.cpuThreshold". A list of strings is one value.
std::vector<std::string> values_in(std::string_view text, std::string_view file_name);

// What is wrong with these settings, if anything; flags that come on top have to be checked again.
struct ElectionFault {
  std::string_view field;
  std::string_view what;
};
std::optional<ElectionFault> fault_of(const LeaderElection& election);

// "line 7: PATH: what"
std::string sentence(const kube::YamlRemark& remark);

// What runs without a file: one profile with every default.
Configuration default_configuration(const PluginCatalog& catalog);

// For those who need a value or an error, which holds every problem.
Result<ConfigurationReading> load_configuration(std::string_view text,
                                                std::string_view file_name,
                                                const PluginCatalog& catalog);

}  // namespace rescheduler::config
