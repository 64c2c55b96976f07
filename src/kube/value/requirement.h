// One condition on one label: "tier in (web,db)". Label selectors and node affinity consist of requirements.
//
// Validated and compiled at construction: the values are sorted and unique, and the bound of Gt and Lt is a number.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "kube/value/label_lookup.h"

namespace rescheduler::kube {

enum class SelectorOp : std::uint8_t {
  In,
  NotIn,
  Exists,
  DoesNotExist,
  Gt,
  Lt,
  // The string form has these spellings of In and NotIn with one value; to_string() preserves them.
  Equals,
  DoubleEquals,
  NotEquals,
};

// The operator with this API name ("In", "DoesNotExist", ...), or nothing.
std::optional<SelectorOp> selector_op_named(std::string_view name) noexcept;

class Requirement {
 public:
  // In and NotIn need at least one value. The comparisons need exactly one, and for Gt and Lt it must be an integer.
  // Exists and DoesNotExist take no value.
  static Result<Requirement> make(std::string key, SelectorOp op, std::vector<std::string> values);
  // A condition on a field of a node. Kubernetes allows In and NotIn with one value, which may be any text.
  static Result<Requirement> make_field(std::string key, SelectorOp op, std::vector<std::string> values);

  bool matches(LabelLookup labels) const { return matches_value(labels(key_)); }
  // Evaluates the condition for the value of the key; nullopt means that the key is absent.
  bool matches_value(std::optional<std::string_view> value) const noexcept;

  const std::string& key() const noexcept { return key_; }
  SelectorOp op() const noexcept { return op_; }
  const std::vector<std::string>& values() const noexcept { return values_; }
  std::string to_string() const;

  friend bool operator==(const Requirement&, const Requirement&) = default;

 private:
  Requirement(std::string key, SelectorOp op, std::vector<std::string> values);
  bool has(std::string_view value) const noexcept;

  std::string key_;
  SelectorOp op_;
  std::int64_t bound_ = 0;  // of Gt and Lt
  std::vector<std::string> values_;
};

}  // namespace rescheduler::kube
