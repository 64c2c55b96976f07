#include "kube/value/quantity.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "kube/value/quantity_parts.h"

namespace rescheduler::kube {
namespace {

constexpr std::int64_t kMaxInt = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMinInt = std::numeric_limits<std::int64_t>::min();

// magnitude * 10^places; false if the result exceeds 38 digits. A magnitude never exceeds 10^38.
bool shift_up(UInt128& magnitude, std::int64_t places) {
  if (magnitude == 0) return true;
  if (places > kDigits) return false;
  const UInt128 factor = power_of_ten(places);
  if (magnitude > (power_of_ten(kDigits) - 1) / factor) return false;
  magnitude *= factor;
  return true;
}

std::strong_ordering compare_magnitudes(QuantityParts a, QuantityParts b) {
  if (a.magnitude == 0 || b.magnitude == 0) return a.magnitude <=> b.magnitude;
  // A value that does not fit in 38 digits at the scale of the other is larger than the other.
  if (a.scale > b.scale && !shift_up(a.magnitude, a.scale - b.scale)) return std::strong_ordering::greater;
  if (b.scale > a.scale && !shift_up(b.magnitude, b.scale - a.scale)) return std::strong_ordering::less;
  return a.magnitude <=> b.magnitude;
}

// a + b of equal scale. `more`: b was truncated, so its real magnitude is slightly larger.
QuantityParts add_aligned(const QuantityParts& a, const QuantityParts& b, bool more) {
  QuantityParts sum{a.negative, 0, a.scale};
  if (a.negative == b.negative) {
    sum.magnitude = a.magnitude + b.magnitude + (more ? 1U : 0U);
  } else if (a.magnitude >= b.magnitude) {
    sum.magnitude = a.magnitude - b.magnitude;  // rounding away from zero: the truncated part of b is ignored
  } else {
    sum.magnitude = b.magnitude - a.magnitude;
    sum.negative = b.negative;
  }
  sum.normalize();
  return sum;
}

QuantityParts add(QuantityParts a, QuantityParts b) {
  if (b.magnitude == 0) return a;
  if (a.magnitude == 0) return b;
  if (a.scale < b.scale) std::swap(a, b);
  if (shift_up(a.magnitude, a.scale - b.scale)) {
    a.scale = b.scale;
    return add_aligned(a, b, false);
  }
  // The scales differ by too much for 38 digits: use the lowest possible scale of the larger, and truncate the smaller.
  while (shift_up(a.magnitude, 1)) --a.scale;
  const std::int64_t lost = a.scale - b.scale;
  const UInt128 divisor = lost > kDigits ? 0 : power_of_ten(lost);
  const bool more = divisor == 0 || b.magnitude % divisor != 0;
  b.magnitude = divisor == 0 ? 0 : b.magnitude / divisor;
  b.scale = a.scale;
  return add_aligned(a, b, more);
}

std::string digits_of(UInt128 number) {
  std::string out;
  do {
    out += static_cast<char>('0' + static_cast<int>(number % 10));
    number /= 10;
  } while (number != 0);
  std::ranges::reverse(out);
  return out;
}

std::string_view decimal_suffix(std::int64_t exponent) {
  switch (exponent) {
    case -9: return "n";
    case -6: return "u";
    case -3: return "m";
    case 3: return "k";
    case 6: return "M";
    case 9: return "G";
    case 12: return "T";
    case 15: return "P";
    case 18: return "E";
    default: return "";
  }
}

// The magnitude in binary form, or empty if it has a fraction or is below 1024.
std::string binary_form(QuantityParts parts) {
  if (parts.scale < 0) {
    const UInt128 divisor = power_of_ten(-parts.scale);
    if (parts.magnitude % divisor != 0) return {};
    parts.magnitude /= divisor;
  } else if (!shift_up(parts.magnitude, parts.scale)) {
    return {};
  }
  if (parts.magnitude < 1024) return {};
  static constexpr std::string_view kSuffixes[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  int step = 0;
  while (step < 6 && parts.magnitude % 1024 == 0) {
    parts.magnitude /= 1024;
    ++step;
  }
  return digits_of(parts.magnitude).append(kSuffixes[step]);
}

std::string decimal_form(QuantityParts parts, Quantity::Format format) {
  while (parts.magnitude % 10 == 0) {
    parts.magnitude /= 10;
    ++parts.scale;
  }
  std::string out = digits_of(parts.magnitude);
  while (parts.scale % 3 != 0) {
    out += '0';
    --parts.scale;
  }
  // There is no suffix above E: larger numbers use the exponent form.
  if (format != Quantity::Format::DecimalExponent && parts.scale <= 18) return out.append(decimal_suffix(parts.scale));
  if (parts.scale == 0) return out;
  return out.append("e").append(std::to_string(parts.scale));
}

}  // namespace

Quantity Quantity::from_value(std::int64_t value, Format format) noexcept {
  const auto bits = static_cast<std::uint64_t>(value);
  return QuantityParts{value < 0, value < 0 ? UInt128{0U - bits} : UInt128{bits}, 0}.pack(format);
}

Quantity Quantity::from_milli(std::int64_t milli, Format format) noexcept {
  Quantity quantity = from_value(milli, format);
  if (milli != 0) quantity.scale_ = -3;
  return quantity;
}

std::int64_t Quantity::scaled_value(int scale) const noexcept {
  if (high_ == 0 && low_ <= static_cast<std::uint64_t>(kMaxInt) && scale_ == scale) {
    return static_cast<std::int64_t>(low_);
  }
  QuantityParts parts = QuantityParts::of(*this);
  const std::int64_t limit = parts.negative ? kMinInt : kMaxInt;
  if (parts.scale >= scale) {
    if (!shift_up(parts.magnitude, parts.scale - scale)) return limit;
  } else {
    parts.magnitude = shift_down(parts.magnitude, scale - parts.scale);
  }
  if (parts.magnitude > static_cast<UInt128>(kMaxInt)) return limit;
  const auto whole = static_cast<std::int64_t>(parts.magnitude);
  return parts.negative ? -whole : whole;
}

double Quantity::to_double() const noexcept {
  const QuantityParts parts = QuantityParts::of(*this);
  const auto magnitude = static_cast<double>(parts.magnitude);
  // Division by an exact power of ten rounds once; multiplication by its inexact inverse would round twice.
  const double size = parts.scale < 0 ? magnitude / std::pow(10.0, static_cast<double>(-parts.scale))
                                      : magnitude * std::pow(10.0, static_cast<double>(parts.scale));
  if (parts.magnitude == 0) return 0.0;
  return parts.negative ? -size : size;
}

std::string Quantity::to_string() const {
  if (is_zero()) return "0";
  const QuantityParts parts = QuantityParts::of(*this);
  std::string out = format_ == Format::BinarySI ? binary_form(parts) : std::string{};
  if (out.empty()) out = decimal_form(parts, format_);
  if (parts.negative) out.insert(out.begin(), '-');
  return out;
}

int Quantity::sign() const noexcept {
  if (high_ < 0) return -1;
  return is_zero() ? 0 : 1;
}

Quantity& Quantity::operator+=(const Quantity& other) noexcept {
  const Format format = is_zero() ? other.format_ : format_;
  *this = add(QuantityParts::of(*this), QuantityParts::of(other)).pack(format);
  return *this;
}

Quantity Quantity::operator-() const noexcept {
  QuantityParts parts = QuantityParts::of(*this);
  parts.negative = !parts.negative;
  return parts.pack(format_);
}

std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) noexcept {
  const QuantityParts left = QuantityParts::of(a);
  const QuantityParts right = QuantityParts::of(b);
  if (a.sign() != b.sign()) return a.sign() <=> b.sign();
  return left.negative ? compare_magnitudes(right, left) : compare_magnitudes(left, right);
}

}  // namespace rescheduler::kube
