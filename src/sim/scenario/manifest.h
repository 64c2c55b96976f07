// YAML documents as people give them to kubectl, ready for the API server.
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

// Every document of the text. Lists (kind: List) are taken apart. All faults are told at once.
Result<std::vector<Manifest>> read_manifests(std::string_view text, std::string_view file_name);

// One document that stands within another file; what is wrong with it is the reader's problem.
void read_manifest(kube::YamlReader document, std::vector<Manifest>& into);

}  // namespace rescheduler::sim
