// What a CustomResourceDefinition defines for one version of its kind, besides the names.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/status_error.h"

namespace rescheduler::sim {

class CustomObject;
class Schema;
struct Kind;

struct PrinterColumn {
  std::string name;
  std::string type;
  std::string format{};
  std::string description{};
  std::string json_path{};
  int priority = 0;
};

struct CustomVersion {
  std::vector<PrinterColumn> columns{};    // none: a table shows name and age
  std::string schema_text{};               // openAPIV3Schema as JSON; empty: none was given
  std::shared_ptr<const Schema> schema{};  // schema_text, compiled; null: none was given
  bool storage = false;
  bool deprecated = false;
  // The scale subresource: the JSON paths of its numbers in the object (".spec.replicas").
  std::string spec_replicas_path{};
  std::string status_replicas_path{};
  std::string label_selector_path{};  // empty: there is no selector
  std::vector<std::string> selectable_paths{};
};

// Every version that the definition serves. A version that is stored but not served is left out.
// Unreadable parts of a definition that has passed its own validation count as absent.
std::vector<Kind> kinds_defined_by(const CustomObject& definition);
// The version in which objects are stored; empty if the definition names none.
std::string storage_version_of(const CustomObject& definition);

// Kubernetes' order of preference: v2, v1, v1beta1, v1alpha1, then all other versions by name.
bool is_preferred_version(std::string_view a, std::string_view b);

}  // namespace rescheduler::sim
