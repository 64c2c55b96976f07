#include "kube/value/requirement.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/format.h>

#include "base/error.h"
#include "kube/value/integer.h"
#include "kube/value/name.h"
#include "kube/value/quote.h"

namespace rescheduler::kube {
namespace {

std::string_view symbol(SelectorOp op) {
  switch (op) {
    case SelectorOp::In: return " in ";
    case SelectorOp::NotIn: return " notin ";
    case SelectorOp::Gt: return ">";
    case SelectorOp::Lt: return "<";
    case SelectorOp::Equals: return "=";
    case SelectorOp::DoubleEquals: return "==";
    case SelectorOp::NotEquals: return "!=";
    case SelectorOp::Exists:
    case SelectorOp::DoesNotExist: return "";
  }
  return "";
}

// The error text for a wrong number of values, or empty.
std::string_view miscounted(SelectorOp op, std::size_t values) {
  switch (op) {
    case SelectorOp::In:
    case SelectorOp::NotIn: return values == 0 ? "In and NotIn need at least one value" : "";
    case SelectorOp::Exists:
    case SelectorOp::DoesNotExist: return values != 0 ? "Exists and DoesNotExist take no value" : "";
    case SelectorOp::Gt:
    case SelectorOp::Lt: return values != 1 ? "Gt and Lt need exactly one value" : "";
    case SelectorOp::Equals:
    case SelectorOp::DoubleEquals:
    case SelectorOp::NotEquals: return values != 1 ? "=, == and != need exactly one value" : "";
  }
  return "there is no such operator";
}

}  // namespace

std::optional<SelectorOp> selector_op_named(std::string_view name) noexcept {
  if (name == "In") return SelectorOp::In;
  if (name == "NotIn") return SelectorOp::NotIn;
  if (name == "Exists") return SelectorOp::Exists;
  if (name == "DoesNotExist") return SelectorOp::DoesNotExist;
  if (name == "Gt") return SelectorOp::Gt;
  if (name == "Lt") return SelectorOp::Lt;
  return std::nullopt;
}

Requirement::Requirement(std::string key, SelectorOp op, std::vector<std::string> values)
    : key_(std::move(key)), op_(op), values_(std::move(values)) {
  std::ranges::sort(values_);
  const auto repeated = std::ranges::unique(values_);
  values_.erase(repeated.begin(), repeated.end());
}

Result<Requirement> Requirement::make(std::string key, SelectorOp op, std::vector<std::string> values) {
  auto valid_key = check_label_key(key);
  if (!valid_key) return fail(std::move(valid_key.error()).within("selector"));
  if (const auto why = miscounted(op, values.size()); !why.empty()) {
    return fail(Errc::Invalid, "selector on {}: {}, it has {}", kube::quoted(key), why, values.size());
  }
  for (const auto& value : values) {
    auto valid = check_label_value(value);
    if (!valid) return fail(std::move(valid.error()).within("selector on " + kube::quoted(key)));
  }
  Requirement made(std::move(key), op, std::move(values));
  if (op == SelectorOp::Gt || op == SelectorOp::Lt) {
    const auto bound = parse_int64(made.values_.front());
    if (!bound) {
      return fail(Errc::Invalid, "selector on {}: Gt and Lt compare integers, {} is not an integer",
                  kube::quoted(made.key_), kube::quoted(made.values_.front()));
    }
    made.bound_ = *bound;
  }
  return made;
}

Result<Requirement> Requirement::make_field(std::string key, SelectorOp op, std::vector<std::string> values) {
  if (op != SelectorOp::In && op != SelectorOp::NotIn) {
    return fail(Errc::Invalid, "field selector on {}: only In and NotIn are known for fields", kube::quoted(key));
  }
  if (values.size() != 1) {
    return fail(Errc::Invalid, "field selector on {}: exactly one value is needed, it has {}", kube::quoted(key),
                values.size());
  }
  return Requirement(std::move(key), op, std::move(values));
}

bool Requirement::has(std::string_view value) const noexcept {
  // There are usually only a few values, where a linear scan is fastest.
  return std::ranges::any_of(values_, [&](const std::string& known) { return known == value; });
}

bool Requirement::matches_value(std::optional<std::string_view> value) const noexcept {
  switch (op_) {
    case SelectorOp::In:
    case SelectorOp::Equals:
    case SelectorOp::DoubleEquals: return value && has(*value);
    case SelectorOp::NotIn:
    case SelectorOp::NotEquals: return !value || !has(*value);
    case SelectorOp::Exists: return value.has_value();
    case SelectorOp::DoesNotExist: return !value.has_value();
    case SelectorOp::Gt:
    case SelectorOp::Lt: {
      const auto number = value ? parse_int64(*value) : std::nullopt;
      if (!number) return false;
      return op_ == SelectorOp::Gt ? *number > bound_ : *number < bound_;
    }
  }
  return false;
}

std::string Requirement::to_string() const {
  if (op_ == SelectorOp::Exists) return key_;
  if (op_ == SelectorOp::DoesNotExist) return "!" + key_;
  const bool set = op_ == SelectorOp::In || op_ == SelectorOp::NotIn;
  return fmt::format("{}{}{}{}{}", key_, symbol(op_), set ? "(" : "", fmt::join(values_, ","), set ? ")" : "");
}

}  // namespace rescheduler::kube
