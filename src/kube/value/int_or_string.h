// Kubernetes' IntOrString: an absolute number (3 replicas) or a percentage ("25%" of the replicas).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace rescheduler::kube {

struct IntOrString {
  enum class Kind : std::uint8_t { Int, String };  // the values of the wire format
  enum class Rounding : std::uint8_t { Up, Down };

  Kind kind = Kind::Int;
  std::int32_t number = 0;  // if Int
  std::string text;         // if String

  static IntOrString from_int(std::int32_t number) { return {Kind::Int, number, {}}; }
  static IntOrString from_string(std::string text) { return {Kind::String, 0, std::move(text)}; }
  // A 32-bit integer becomes an Int; other text becomes a String.
  static IntOrString parse(std::string_view text);

  std::string to_string() const;

  // An Int as it is, a percentage as its share of `total`. A String without a '%' at the end is an error.
  Result<std::int64_t> scaled(std::int64_t total, Rounding rounding) const;

  friend bool operator==(const IntOrString&, const IntOrString&) = default;
};

}  // namespace rescheduler::kube
