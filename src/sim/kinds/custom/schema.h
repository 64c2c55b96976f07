// A structural schema (openAPIV3Schema of a CustomResourceDefinition) that prunes, defaults and checks objects.
//
// Supported: type, nullable, properties, required, additionalProperties, items, enum, pattern, minimum, maximum (and
// their exclusive forms), minLength, maxLength, minItems, maxItems, default, x-kubernetes-preserve-unknown-fields,
// x-kubernetes-int-or-string, x-kubernetes-embedded-resource. Ignored: format, allOf, anyOf, oneOf, not, uniqueItems,
// minProperties, maxProperties, multipleOf and CEL rules (x-kubernetes-validations).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

#include "base/error.h"
#include "sim/kinds/checks.h"

namespace rescheduler::sim {

class Schema {
 public:
  // The error names the part that is invalid: "properties.spec.pattern: ...".
  static Result<std::shared_ptr<const Schema>> parse(const boost::json::value& schema);
  ~Schema();
  Schema(const Schema&) = delete;
  Schema& operator=(const Schema&) = delete;

  // These functions take the whole content of an object: all fields except apiVersion, kind and metadata.
  void prune(boost::json::object& content) const;  // removes fields that the schema does not have
  std::vector<std::string> unknown(const boost::json::object& content) const;  // the paths of these fields
  void fill_in(boost::json::object& content) const;                            // sets defaults
  void check(const boost::json::object& content, Faults& faults) const;

 private:
  struct Node;
  friend class SchemaReader;
  explicit Schema(std::unique_ptr<Node> root);

  static void prune_value(boost::json::value& value, const Node& node);
  static void prune_object(boost::json::object& object, const Node& node, bool is_resource);
  static void note_unknown(const boost::json::value& value,
                           const Node& node,
                           const std::string& path,
                           std::vector<std::string>& paths);
  static void note_unknown_in(const boost::json::object& object,
                              const Node& node,
                              bool is_resource,
                              const std::string& path,
                              std::vector<std::string>& paths);
  static void fill_value(boost::json::value& value, const Node& node);
  static void fill_object(boost::json::object& object, const Node& node);
  static void check_value(const boost::json::value& value, const Node& node, const At& at, Faults& faults);
  static void check_object(const boost::json::object& object, const Node& node, const At* at, Faults& faults);
  static void check_text(std::string_view text, const Node& node, const At& at, Faults& faults);
  static void check_number(const boost::json::value& value, const Node& node, const At& at, Faults& faults);
  static void check_array(const boost::json::array& array, const Node& node, const At& at, Faults& faults);

  std::unique_ptr<Node> root_;
};

}  // namespace rescheduler::sim
