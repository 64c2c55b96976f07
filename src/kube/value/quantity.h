// A Kubernetes resource quantity ("100m", "1.5Gi", "12e6"): an exact decimal number that remembers how it was written.
//
// Held as mantissa * 10^scale with a 128-bit mantissa, so it is small, copyable as bytes and never allocates.
// Nothing is finer than a nano: what is, rounds away from zero. A binary suffix caps at 2^63-1, as in Kubernetes;
// decimal forms do not. A number that needs more than 38 significant digits is rounded away from zero at the 38th.
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

  // Accepts what the API server accepts, except a number without digits ("Ki", "+"), which is zero in some of its
  // forms.
  static Result<Quantity> parse(std::string_view text);
  static Quantity from_value(std::int64_t value, Format format = Format::DecimalSI) noexcept;
  static Quantity from_milli(std::int64_t milli, Format format = Format::DecimalSI) noexcept;

  // Whole units and thousandths, rounded away from zero. Beyond int64 they stay at its ends, so that an absurd
  // request never looks small.
  std::int64_t value() const noexcept { return scaled_value(0); }
  std::int64_t milli_value() const noexcept { return scaled_value(-3); }
  // In units of 10^scale, rounded and limited in the same way.
  std::int64_t scaled_value(int scale) const noexcept;
  double to_double() const noexcept;

  // The canonical form: no fraction, the largest suffix that loses nothing.
  std::string to_string() const;

  Format format() const noexcept { return format_; }
  bool is_zero() const noexcept { return low_ == 0 && high_ == 0; }
  int sign() const noexcept;

  // Zero takes over the format of what is added to it.
  Quantity& operator+=(const Quantity& other) noexcept;
  Quantity& operator-=(const Quantity& other) noexcept { return *this += -other; }
  Quantity operator-() const noexcept;
  friend Quantity operator+(Quantity a, const Quantity& b) noexcept { return a += b; }
  friend Quantity operator-(Quantity a, const Quantity& b) noexcept { return a -= b; }

  // By value: 1Ki and 1024 are equal.
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) noexcept;
  friend bool operator==(const Quantity& a, const Quantity& b) noexcept { return (a <=> b) == 0; }

 private:
  friend struct QuantityParts;  // quantity_parts.h: the mantissa as one 128-bit number

  // The mantissa in two halves: as one 128-bit member it would cost eight bytes of padding.
  std::uint64_t low_ = 0;
  std::int64_t high_ = 0;
  std::int32_t scale_ = 0;
  Format format_ = Format::DecimalSI;
};

static_assert(sizeof(Quantity) <= 24);

}  // namespace rescheduler::kube
