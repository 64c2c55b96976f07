// Go's notation for durations.
#include <array>
#include <cstdint>
#include <utility>

#include <fmt/core.h>

#include "kube/codec/json_scalars.h"

namespace rescheduler::kube {
namespace {

constexpr std::int64_t kMicro = 1000;
constexpr std::int64_t kMilli = 1000 * kMicro;
constexpr std::int64_t kSecond = 1000 * kMilli;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;

constexpr std::array<std::pair<std::string_view, std::int64_t>, 8> kUnits{{
    {"ns", 1},
    {"us", kMicro},
    {"\xc2\xb5s", kMicro},  // micro sign
    {"\xce\xbcs", kMicro},  // Greek mu
    {"ms", kMilli},
    {"s", kSecond},
    {"m", kMinute},
    {"h", kHour},
}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_digits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

std::optional<std::int64_t> take_unit(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && text[length] != '.' && !is_digit(text[length])) ++length;
  const std::string_view word = text.substr(0, length);
  text.remove_prefix(length);
  for (const auto& [name, nanos] : kUnits) {
    if (name == word) return nanos;
  }
  return std::nullopt;
}

// Adds digits.fraction units to total, negative so that the smallest int64 can be reached. False: out of range.
bool subtract(std::int64_t& total, std::string_view digits, std::string_view fraction, std::int64_t unit) {
  std::int64_t whole = 0;
  for (const char c : digits) {
    if (__builtin_mul_overflow(whole, 10, &whole) || __builtin_add_overflow(whole, c - '0', &whole)) return false;
  }
  std::int64_t nanos = 0;
  if (__builtin_mul_overflow(whole, unit, &nanos)) return false;
  std::int64_t place = unit;
  for (const char c : fraction) {
    place /= 10;
    if (__builtin_add_overflow(nanos, (c - '0') * place, &nanos)) return false;
  }
  return !__builtin_sub_overflow(total, nanos, &total);
}

// value in units of `unit`, with the fraction cut to the digits that say something.
std::string with_fraction(std::uint64_t value, std::uint64_t unit) {
  std::string text = fmt::format("{}", value / unit);
  std::uint64_t rest = value % unit;
  if (rest == 0) return text;
  text += '.';
  for (std::uint64_t place = unit / 10; rest != 0; place /= 10) {
    text += static_cast<char>('0' + rest / place);
    rest %= place;
  }
  return text;
}

}  // namespace

std::string format_duration(std::int64_t nanos) {
  if (nanos == 0) return "0s";
  const auto size = nanos < 0 ? 0 - static_cast<std::uint64_t>(nanos) : static_cast<std::uint64_t>(nanos);
  const std::string sign = nanos < 0 ? "-" : "";
  if (size < kMicro) return fmt::format("{}{}ns", sign, size);
  if (size < kMilli) return sign + with_fraction(size, kMicro) + "\xc2\xb5s";
  if (size < kSecond) return sign + with_fraction(size, kMilli) + "ms";
  std::string text = sign;
  if (size >= kHour) text += fmt::format("{}h", size / kHour);
  if (size >= kMinute) text += fmt::format("{}m", size % kHour / kMinute);
  return text + with_fraction(size % kMinute, kSecond) + "s";
}

std::optional<std::int64_t> parse_duration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  std::int64_t total = 0;
  while (!text.empty()) {
    const std::string_view digits = take_digits(text);
    std::string_view fraction;
    if (text.starts_with('.')) {
      text.remove_prefix(1);
      fraction = take_digits(text);
    }
    if (digits.empty() && fraction.empty()) return std::nullopt;
    const auto unit = take_unit(text);
    if (!unit || !subtract(total, digits, fraction, *unit)) return std::nullopt;
  }
  if (negative) return total;
  std::int64_t positive = 0;
  if (__builtin_sub_overflow(std::int64_t{0}, total, &positive)) return std::nullopt;
  return positive;
}

}  // namespace rescheduler::kube
