// The private representation of a Schema; for schema*.cc only.
#pragma once

#include <map>

#include <boost/json/value.hpp>
#include <boost/regex.hpp>

#include "sim/kinds/custom/schema.h"

namespace rescheduler::sim {

struct Schema::Node {
  std::string type{};  // empty: any
  bool nullable = false;
  bool preserve = false;  // x-kubernetes-preserve-unknown-fields
  bool int_or_string = false;
  bool embedded = false;   // a whole object of some kind: apiVersion, kind and metadata are known fields
  bool any_extra = false;  // additionalProperties: true
  std::map<std::string, std::unique_ptr<Node>, std::less<>> properties{};
  std::unique_ptr<Node> extra{};  // additionalProperties: {...}
  std::unique_ptr<Node> items{};
  std::vector<std::string> required{};
  std::vector<boost::json::value> allowed{};  // enum
  std::string pattern_text{};
  std::optional<boost::regex> pattern{};
  std::optional<double> minimum{};
  std::optional<double> maximum{};
  bool above_minimum = false;  // exclusiveMinimum
  bool below_maximum = false;
  std::optional<std::int64_t> min_length{}, max_length{}, min_items{}, max_items{};
  std::optional<boost::json::value> fallback{};  // default

  // Null: the schema has no such property. any_extra or preserve can still allow the field.
  const Node* property(std::string_view name) const {
    const auto found = properties.find(name);
    return found != properties.end() ? found->second.get() : extra.get();
  }
  bool knows(std::string_view name) const { return preserve || any_extra || property(name) != nullptr; }
};

inline std::string_view view(const boost::json::string& text) { return {text.data(), text.size()}; }
inline std::string_view view(boost::json::string_view text) { return {text.data(), text.size()}; }

}  // namespace rescheduler::sim
