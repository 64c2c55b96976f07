#include "sim/scenario/manifest.h"

#include <google/protobuf/message.h>

#include "kube/codec/json.h"
#include "kube/codec/resource.h"
#include "kube/config/yaml_json.h"

namespace rescheduler::sim {
namespace {

using kube::YamlNode;
using kube::YamlProblems;
using kube::YamlReader;

// Checks only the types of the fields of a known kind; the API server validates the rest.
std::string misfit(const Manifest& manifest) {
  const kube::ResourceType* type = kube::find_type(manifest.api_version, manifest.kind);
  if (type == nullptr || type->plural.empty()) return {};
  const auto object = type->make();
  const auto read = kube::from_json(manifest.json, *object);
  return read ? std::string() : read.error().message;
}

}  // namespace

void read_manifest(YamlReader document, std::vector<Manifest>& into) {
  Manifest manifest;
  document.read("apiVersion", manifest.api_version);
  document.read("kind", manifest.kind);
  if (manifest.api_version.empty()) document.problem("apiVersion", "is required");
  if (manifest.kind.empty()) document.problem("kind", "is required");
  if (manifest.kind == "List") {
    for (const YamlReader& item : document.items("items")) read_manifest(item, into);
    return;
  }
  YamlReader metadata = document.child("metadata");
  metadata.read("namespace", manifest.ns);
  metadata.read("name", manifest.name);
  if (manifest.name.empty()) document.problem("metadata.name", "is required");
  manifest.json = kube::yaml_to_json(document.node());
  if (const std::string fault = misfit(manifest); !fault.empty()) return document.problem(fault);
  into.push_back(std::move(manifest));
}

Result<std::vector<Manifest>> read_manifests(std::string_view text, std::string_view file_name) {
  auto documents = kube::parse_yaml_documents(text, file_name);
  if (!documents) return fail(std::move(documents.error()));
  YamlProblems problems{std::string(file_name)};
  std::vector<Manifest> manifests;
  for (const YamlNode& document : *documents) read_manifest(YamlReader(document, problems), manifests);
  if (!problems.empty()) return fail(problems.error());
  return manifests;
}

}  // namespace rescheduler::sim
