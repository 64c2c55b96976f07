// One condition on one label: "tier in (web,db)". Label selectors and node affinity are made of these.
//
// Checked and compiled when made: values sorted and unique, the bound of Gt and Lt already a number.
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
  // The string form has its own spellings of In and NotIn with one value, and keeps them.
  Equals,
  DoubleEquals,
  NotEquals,
};

// Of the names the API uses ("In", "DoesNotExist", ...); nothing for any other text.
std::optional<SelectorOp> selector_op_named(std::string_view name) noexcept;

class Requirement {
 public:
  // In and NotIn need a value; the comparisons exactly one, Gt and Lt an integer; Exists and DoesNotExist none.
  static Result<Requirement> make(std::string key, SelectorOp op, std::vector<std::string> values);
  // A condition on a field of a node; Kubernetes knows In and NotIn, with one value, of any text.
  static Result<Requirement> make_field(std::string key, SelectorOp op, std::vector<std::string> values);

  bool matches(LabelLookup labels) const { return matches_value(labels(key_)); }
  // What the condition says of the key's value; nothing means that the key is absent.
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
