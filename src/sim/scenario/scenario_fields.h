// The values that stand in scenario files: each reads one field and notes what is wrong with it.
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

// All leave `into` alone when the field is absent or wrong.
void read_count(YamlReader& from, std::string_view field, int& into, int least, int most);
void read_quantity(YamlReader& from,
                   std::string_view field,
                   std::string& into);  // bare numbers are welcome, as in pods
void read_quantities(YamlReader& from, std::string_view field, TextMap& into);
void read_duration(YamlReader& from, std::string_view field, std::optional<std::chrono::nanoseconds>& into);
void read_duration(YamlReader& from, std::string_view field, std::chrono::nanoseconds& into);
void read_fraction(YamlReader& from, std::string_view field, double& into, double most);
void read_count_or_share(YamlReader& from, std::string_view field, std::string& into);  // "2", "50%"
void read_labels(YamlReader& from, std::string_view field, TextMap& into);
void read_annotations(YamlReader& from, std::string_view field, TextMap& into);
void read_taints(YamlReader& from, std::string_view field, std::vector<TaintSpec>& into);
void read_tolerations(YamlReader& from, std::string_view field, std::vector<TolerationSpec>& into);
// A profile. Recorded series are looked for when they are played.
void read_load(YamlReader& from, std::string_view field, LoadResource resource, std::string& into);
void read_manifest_list(YamlReader& from, std::string_view field, std::vector<Manifest>& into);
// A DNS label or subdomain that must be there.
void read_name(YamlReader& from, std::string_view field, std::string& into);
// NAMESPACE/NAME; a bare name is in the namespace "default".
void read_workload_key(YamlReader& from, std::string_view field, std::string& into);

}  // namespace rescheduler::sim
