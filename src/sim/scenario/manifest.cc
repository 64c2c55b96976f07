#include "sim/scenario/manifest.h"

#include <utility>

#include <fmt/core.h>
#include <google/protobuf/message.h>

#include "kube/codec/json.h"
#include "kube/codec/json_scalars.h"
#include "kube/codec/resource.h"

namespace rescheduler::sim {
namespace {

using kube::ScalarType;
using kube::YamlKind;
using kube::YamlNode;
using kube::YamlProblems;
using kube::YamlReader;

// JSON knows no ".5", "1.", "+1" or ".inf": numbers are written anew.
bool append_scalar(const YamlNode& node, std::string& out) {
  switch (kube::scalar_type(node)) {
    case ScalarType::Null: out += "null"; return true;
    case ScalarType::Bool: out += kube::bool_value(node).value_or(false) ? "true" : "false"; return true;
    case ScalarType::Integer:
      if (const auto value = kube::integer_value(node)) {
        out += fmt::format("{}", *value);
        return true;
      }
      return false;
    case ScalarType::Float:
      if (const auto value = kube::float_value(node)) {
        out += fmt::format("{}", *value);
        return true;
      }
      return false;
    case ScalarType::String: kube::append_json_string(out, node.text); return true;
  }
  return false;
}

Result<void> append_json(const YamlNode& node, std::string& out) {
  bool first = true;
  switch (node.kind) {
    case YamlKind::Null: out += "null"; return {};
    case YamlKind::Scalar:
      if (append_scalar(node, out)) return {};
      return fail(Errc::Invalid, "line {}, column {}: the number cannot be represented", node.line, node.column);
    case YamlKind::Sequence:
      out += '[';
      for (const YamlNode& item : node.items) {
        if (!std::exchange(first, false)) out += ',';
        auto done = append_json(item, out);
        if (!done) return done;
      }
      out += ']';
      return {};
    case YamlKind::Map:
      out += '{';
      for (const kube::YamlEntry& entry : node.entries) {
        if (!std::exchange(first, false)) out += ',';
        kube::append_json_string(out, entry.key);
        out += ':';
        auto done = append_json(entry.value, out);
        if (!done) return done;
      }
      out += '}';
      return {};
  }
  return {};
}

// A kind we know must at least have the right types in it; what the API thinks of it is the API server's to say.
std::string misfit(const Manifest& manifest) {
  const kube::ResourceType* type = kube::find_type(manifest.api_version, manifest.kind);
  if (type == nullptr || type->plural.empty()) return {};
  const auto object = type->make();
  const auto read = kube::from_json(manifest.json, *object);
  return read ? std::string() : read.error().message;
}

}  // namespace

Result<std::string> yaml_to_json(const YamlNode& node) {
  std::string out;
  auto done = append_json(node, out);
  if (!done) return fail(std::move(done.error()));
  return out;
}

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
  auto json = yaml_to_json(document.node());
  if (!json) return document.problem(json.error().message);
  manifest.json = std::move(*json);
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
