// The arithmetic of Quantity: sign, magnitude and power of ten. Private to quantity*.cc.
//
// Invariant of normalized parts: magnitude < 10^38, scale >= -9, and zero is (+, 0, scale 0).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kube/value/quantity.h"

namespace rescheduler::kube {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

inline constexpr int kDigits = 38;       // of a magnitude; 2 * 10^38 still fits in 128 bits
inline constexpr int kFinestScale = -9;  // nano

inline constexpr std::array<UInt128, kDigits + 1> kPowersOfTen = [] {
  std::array<UInt128, kDigits + 1> powers{};
  powers[0] = 1;
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

inline constexpr UInt128 power_of_ten(std::int64_t exponent) {
  return kPowersOfTen[static_cast<std::size_t>(exponent)];
}

// number / 10^places, rounded away from zero; places >= 0.
inline constexpr UInt128 shift_down(UInt128 number, std::int64_t places) {
  if (places > kDigits) return number == 0 ? 0 : 1;
  const UInt128 divisor = power_of_ten(places);
  return number / divisor + (number % divisor == 0 ? 0U : 1U);
}

struct QuantityParts {
  bool negative = false;
  UInt128 magnitude = 0;
  std::int64_t scale = 0;

  static QuantityParts of(const Quantity& quantity) noexcept {
    const auto mantissa =
        static_cast<Int128>((static_cast<UInt128>(static_cast<std::uint64_t>(quantity.high_)) << 64U) | quantity.low_);
    const bool negative = mantissa < 0;
    return {negative, negative ? -static_cast<UInt128>(mantissa) : static_cast<UInt128>(mantissa), quantity.scale_};
  }

  // Restores the invariant; `magnitude` may be as large as 2 * 10^38.
  void normalize() noexcept {
    if (magnitude >= power_of_ten(kDigits)) {
      magnitude = shift_down(magnitude, 1);
      ++scale;
    }
    if (scale < kFinestScale) {
      magnitude = shift_down(magnitude, kFinestScale - scale);
      scale = kFinestScale;
    }
    if (magnitude == 0) {
      negative = false;
      scale = 0;
    }
  }

  // Requires normalized parts with a scale that fits in 32 bits.
  Quantity pack(Quantity::Format format) const noexcept {
    const UInt128 mantissa = negative ? -magnitude : magnitude;
    Quantity packed;
    packed.low_ = static_cast<std::uint64_t>(mantissa);
    packed.high_ = static_cast<std::int64_t>(static_cast<std::uint64_t>(mantissa >> 64U));
    packed.scale_ = static_cast<std::int32_t>(scale);
    packed.format_ = format;
    return packed;
  }
};

}  // namespace rescheduler::kube
