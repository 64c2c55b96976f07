// Parses a Quantity: a fast path for digits with a suffix, and an exact slow path for all other forms.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "kube/value/quantity.h"
#include "kube/value/quantity_parts.h"
#include "kube/value/quote.h"

namespace rescheduler::kube {
namespace {

using Format = Quantity::Format;

constexpr std::int64_t kCap = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kFastDigits = 18;  // always fit in 64 bits
// Limit of digits before the point: far above any real quantity, and far enough below 2^31 that sums cannot overflow
// the scale.
constexpr std::int64_t kMostDigits = 1'000'000'000;

struct Suffix {
  Format format = Format::DecimalSI;
  std::int64_t exponent = 0;  // of two in BinarySI, else of ten
};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::int64_t digits_in(UInt128 number) { return std::ranges::upper_bound(kPowersOfTen, number) - kPowersOfTen.begin(); }

// Reads a suffix of one or two letters; false for other text.
bool read_unit(std::string_view text, Suffix& out) {
  if (text.empty()) return true;
  if (text.size() == 2 && text[1] == 'i') {
    constexpr std::string_view kBinary = "KMGTPE";
    const std::size_t step = kBinary.find(text[0]);
    if (step == std::string_view::npos) return false;
    out = {Format::BinarySI, static_cast<std::int64_t>(step + 1) * 10};
    return true;
  }
  if (text.size() != 1) return false;
  switch (text[0]) {
    case 'n': out.exponent = -9; return true;
    case 'u': out.exponent = -6; return true;
    case 'm': out.exponent = -3; return true;
    case 'k': out.exponent = 3; return true;
    case 'M': out.exponent = 6; return true;
    case 'G': out.exponent = 9; return true;
    case 'T': out.exponent = 12; return true;
    case 'P': out.exponent = 15; return true;
    case 'E': out.exponent = 18; return true;
    default: return false;
  }
}

Unexpected refuse(std::string_view text, std::size_t at, std::string_view why) {
  return fail(Errc::Invalid,
              "quantity {}: at byte {}: {}; write a number and one of n u m k M G T P E Ki Mi Gi Ti Pi Ei, "
              "or an exponent such as e3",
              kube::quoted(text), at, why);
}

Result<Suffix> read_suffix(std::string_view text, std::size_t at) {
  const std::string_view word = text.substr(at);
  Suffix suffix;
  if (read_unit(word, suffix)) return suffix;
  if (word[0] != 'e' && word[0] != 'E') return refuse(text, at, "unknown suffix");
  suffix.format = Format::DecimalExponent;
  const std::size_t skip = word.size() > 2 && word[1] == '+' && is_digit(word[2]) ? 2 : 1;
  const char* const end = word.data() + word.size();
  std::int32_t exponent = 0;
  const auto [stopped, problem] = std::from_chars(word.data() + skip, end, exponent);
  if (problem == std::errc::result_out_of_range) return refuse(text, at, "the exponent is out of range");
  if (problem != std::errc{} || stopped != end) return refuse(text, at, "the exponent is not a number");
  suffix.exponent = exponent;
  return suffix;
}

// number * 2^exponent, exact and without allocation: multiplies the fraction digit by digit from its end.
QuantityParts scale_binary(std::string_view whole, std::string_view fraction, std::int64_t exponent) {
  const UInt128 factor = UInt128{1} << static_cast<unsigned>(exponent);
  UInt128 units = 0;
  for (const char c : whole) {
    units = units * 10 + static_cast<unsigned>(c - '0');
    if (units > static_cast<UInt128>(kCap)) return {false, static_cast<UInt128>(kCap), 0};
  }
  units *= factor;
  UInt128 carry = 0;
  UInt128 nano = 0;
  bool finer = false;
  for (std::size_t i = fraction.size(); i-- > 0;) {
    const UInt128 product = static_cast<unsigned>(fraction[i] - '0') * factor + carry;
    carry = product / 10;
    const auto digit = static_cast<unsigned>(product % 10);
    if (i < 9)
      nano += digit * power_of_ten(8 - static_cast<std::int64_t>(i));
    else
      finer = finer || digit != 0;
  }
  units += carry;
  if (finer) ++nano;
  if (units >= static_cast<UInt128>(kCap)) return {false, static_cast<UInt128>(kCap), 0};
  if (nano == 0) return {false, units, 0};
  return {false, units * power_of_ten(9) + nano, kFinestScale};
}

// Uses the first 38 significant digits; rounds up if a cut digit is not zero.
QuantityParts scale_decimal(std::string_view whole, std::string_view fraction, std::int64_t exponent) {
  QuantityParts parts{false, 0, exponent - static_cast<std::int64_t>(fraction.size())};
  int taken = 0;
  bool finer = false;
  const auto take = [&](char c) {
    const auto digit = static_cast<unsigned>(c - '0');
    if (taken == kDigits) {
      finer = finer || digit != 0;
      ++parts.scale;
      return;
    }
    parts.magnitude = parts.magnitude * 10 + digit;
    if (parts.magnitude != 0) ++taken;
  };
  for (const char c : whole) take(c);
  for (const char c : fraction) take(c);
  if (finer) ++parts.magnitude;
  return parts;
}

struct Spelling {
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  std::size_t suffix_at = 0;
};

// Splits the text into its parts. As in Kubernetes, either side of the point may be missing.
Spelling spell(std::string_view text) {
  Spelling out;
  std::size_t at = 0;
  if (text[0] == '+' || text[0] == '-') {
    out.negative = text[0] == '-';
    at = 1;
  }
  const auto digits_from = [&](std::size_t from) {
    std::size_t end = from;
    while (end < text.size() && is_digit(text[end])) ++end;
    return text.substr(from, end - from);
  };
  out.whole = digits_from(at);
  at += out.whole.size();
  if (at < text.size() && text[at] == '.') {
    out.fraction = digits_from(at + 1);
    at += 1 + out.fraction.size();
  }
  out.suffix_at = at;
  return out;
}

Result<Quantity> parse_slowly(std::string_view text) {
  if (text.empty()) return refuse(text, 0, "it is empty");
  const Spelling spelling = spell(text);
  if (spelling.whole.empty() && spelling.fraction.empty())
    return refuse(text, spelling.suffix_at, "a number is missing");
  const auto suffix = read_suffix(text, spelling.suffix_at);
  if (!suffix) return Unexpected(suffix.error());

  Format format = suffix->format;
  QuantityParts parts = format == Format::BinarySI ? scale_binary(spelling.whole, spelling.fraction, suffix->exponent)
                                                   : scale_decimal(spelling.whole, spelling.fraction, suffix->exponent);
  parts.normalize();
  if (parts.scale + digits_in(parts.magnitude) > kMostDigits) {
    return refuse(text, spelling.suffix_at, "the number is too large to be held");
  }
  if (format == Format::BinarySI && parts.scale < 0 && parts.magnitude < power_of_ten(-parts.scale)) {
    format = Format::DecimalSI;  // values below 1 cannot be written in binary form
  }
  parts.negative = spelling.negative && parts.magnitude != 0;
  return parts.pack(format);
}

}  // namespace

Result<Quantity> Quantity::parse(std::string_view text) {
  std::size_t at = 0;
  std::uint64_t number = 0;
  while (at < text.size() && is_digit(text[at])) number = number * 10 + static_cast<unsigned>(text[at++] - '0');
  if (at == 0 || at > kFastDigits) return parse_slowly(text);
  Suffix suffix;
  if (!read_unit(text.substr(at), suffix)) return parse_slowly(text);

  Quantity quantity;
  quantity.format_ = suffix.format;
  if (number == 0) return quantity;
  if (suffix.format == Format::BinarySI) {
    const auto limit = static_cast<std::uint64_t>(kCap) >> static_cast<unsigned>(suffix.exponent);
    quantity.low_ =
        number > limit ? static_cast<std::uint64_t>(kCap) : number << static_cast<unsigned>(suffix.exponent);
    return quantity;
  }
  quantity.low_ = number;
  quantity.scale_ = static_cast<std::int32_t>(suffix.exponent);
  return quantity;
}

}  // namespace rescheduler::kube
