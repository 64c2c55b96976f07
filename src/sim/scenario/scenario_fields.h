// The values in scenario files: each function reads one field and reports its faults.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/config/yaml_reader.h"
#include "sim/load/profile.h"
#include "sim/scenario/scenario.h"

namespace rescheduler::sim {

using kube::YamlReader;

// `into` does not change if the field is absent or invalid.
void read_count(YamlReader& from, std::string_view field, int& into, int least, int most);
void read_quantity(YamlReader& from,
                   std::string_view field,
                   std::string& into);  // plain numbers are allowed, as in pods
void read_quantities(YamlReader& from, std::string_view field, TextMap& into);
void read_duration(YamlReader& from, std::string_view field, std::optional<std::chrono::nanoseconds>& into);
void read_duration(YamlReader& from, std::string_view field, std::chrono::nanoseconds& into);
void read_fraction(YamlReader& from, std::string_view field, double& into, double most);
void read_count_or_share(YamlReader& from, std::string_view field, std::string& into);  // "2", "50%"
void read_labels(YamlReader& from, std::string_view field, TextMap& into);
void read_annotations(YamlReader& from, std::string_view field, TextMap& into);
void read_taints(YamlReader& from, std::string_view field, std::vector<TaintSpec>& into);
void read_tolerations(YamlReader& from, std::string_view field, std::vector<TolerationSpec>& into);
// A load profile. Recorded series are opened later, when the scenario runs.
void read_load(YamlReader& from, std::string_view field, LoadResource resource, std::string& into);
void read_manifest_list(YamlReader& from, std::string_view field, std::vector<Manifest>& into);
// A required DNS label or subdomain.
void read_name(YamlReader& from, std::string_view field, std::string& into);
// NAMESPACE/NAME; a name alone is in the namespace "default".
void read_workload_key(YamlReader& from, std::string_view field, std::string& into);

}  // namespace rescheduler::sim
