// A Kubernetes resource quantity ("100m", "1.5Gi", "12e6"): an exact decimal number that keeps its original format.
//
// Stored as mantissa * 10^scale with a 128-bit mantissa: small, trivially copyable, without allocation.
// The smallest unit is a nano; smaller fractions round away from zero. As in Kubernetes, values with a binary suffix
// are limited to 2^63-1, and decimal values are not. Numbers with more than 38 significant digits are rounded away from
// zero at the 38th.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace rescheduler::kube {

class Quantity {
 public:
  enum class Format : std::uint8_t { DecimalSI, BinarySI, DecimalExponent };

  constexpr Quantity() noexcept = default;

  // Accepts what the API server accepts, except a number without digits ("Ki", "+"). The API server reads some of these
  // forms as zero.
  static Result<Quantity> parse(std::string_view text);
  static Quantity from_value(std::int64_t value, Format format = Format::DecimalSI) noexcept;
  static Quantity from_milli(std::int64_t milli, Format format = Format::DecimalSI) noexcept;

  // Whole units and thousandths, rounded away from zero. Larger values become the minimum or maximum of int64, so that
  // a huge request never looks small.
  std::int64_t value() const noexcept { return scaled_value(0); }
  std::int64_t milli_value() const noexcept { return scaled_value(-3); }
  // In units of 10^scale, with the same rounding and limits.
  std::int64_t scaled_value(int scale) const noexcept;
  double to_double() const noexcept;

  // The canonical form: no fraction, and the largest suffix without loss.
  std::string to_string() const;

  Format format() const noexcept { return format_; }
  bool is_zero() const noexcept { return low_ == 0 && high_ == 0; }
  int sign() const noexcept;

  // A zero takes the format of the other operand.
  Quantity& operator+=(const Quantity& other) noexcept;
  Quantity& operator-=(const Quantity& other) noexcept { return *this += -other; }
  Quantity operator-() const noexcept;
  friend Quantity operator+(Quantity a, const Quantity& b) noexcept { return a += b; }
  friend Quantity operator-(Quantity a, const Quantity& b) noexcept { return a -= b; }

  // Compares by value: 1Ki and 1024 are equal.
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) noexcept;
  friend bool operator==(const Quantity& a, const Quantity& b) noexcept { return (a <=> b) == 0; }

 private:
  friend struct QuantityParts;  // quantity_parts.h: the mantissa as one 128-bit number

  // The mantissa as two halves: a single 128-bit member would cost eight bytes of padding.
  std::uint64_t low_ = 0;
  std::int64_t high_ = 0;
  std::int32_t scale_ = 0;
  Format format_ = Format::DecimalSI;
};

static_assert(sizeof(Quantity) <= 24);

}  // namespace rescheduler::kube
