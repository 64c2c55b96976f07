// YAML documents in kubectl's format, ready for the API server.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "kube/config/yaml.h"
#include "kube/config/yaml_reader.h"

namespace rescheduler::sim {

struct Manifest {
  std::string api_version;
  std::string kind;
  std::string ns{};  // empty: the document names none
  std::string name;
  std::string json;
};

// Reads every document of the text. Lists (kind: List) become single objects. Reports all faults at once.
Result<std::vector<Manifest>> read_manifests(std::string_view text, std::string_view file_name);

// Reads one document inside another file. Faults go to the YamlReader.
void read_manifest(kube::YamlReader document, std::vector<Manifest>& into);

}  // namespace rescheduler::sim
