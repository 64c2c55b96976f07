#include "kube/value/duration.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "kube/value/quote.h"

namespace rescheduler::kube {
namespace {

constexpr std::uint64_t kLimit = std::uint64_t{1} << 63U;  // the absolute value of the most negative duration
constexpr std::uint64_t kSecond = 1'000'000'000;

constexpr std::pair<std::string_view, std::uint64_t> kUnits[] = {
    {"ns", 1},
    {"us", 1'000},
    {"\xC2\xB5s", 1'000},  // micro sign
    {"\xCE\xBCs", 1'000},  // Greek mu
    {"ms", 1'000'000},
    {"s", kSecond},
    {"m", 60 * kSecond},
    {"h", 3600 * kSecond},
};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::uint64_t unit_called(std::string_view name) {
  for (const auto& [known, nanoseconds] : kUnits) {
    if (known == name) return nanoseconds;
  }
  return 0;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool done() const { return at_ == text_.size(); }
  bool take(char c) {
    if (done() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  // One number with its unit, such as "1.5h", in nanoseconds.
  Result<std::uint64_t> term() {
    const std::size_t began = at_;
    std::uint64_t whole = 0;
    for (; !done() && is_digit(text_[at_]); ++at_) {
      if (whole > kLimit / 10) return too_large();
      whole = whole * 10 + static_cast<std::uint64_t>(text_[at_] - '0');
      if (whole > kLimit) return too_large();
    }
    std::size_t digits = at_ - began;
    std::uint64_t fraction = 0;
    double fraction_scale = 1;
    if (take('.')) {
      const std::size_t fraction_began = at_;
      read_fraction(fraction, fraction_scale);
      digits += at_ - fraction_began;
    }
    if (digits == 0) return refuse("a number is missing");

    const std::size_t unit_began = at_;
    while (!done() && text_[at_] != '.' && !is_digit(text_[at_])) ++at_;
    const std::string_view name = text_.substr(unit_began, at_ - unit_began);
    if (name.empty()) return refuse("the unit is missing");
    const std::uint64_t unit = unit_called(name);
    if (unit == 0) return refuse("unknown unit " + kube::quoted(name));
    if (whole > kLimit / unit) return too_large();
    // The same arithmetic as in Go, so that even the last nanosecond is equal.
    const std::uint64_t sum =
        whole * unit
        + static_cast<std::uint64_t>(static_cast<double>(fraction) * (static_cast<double>(unit) / fraction_scale));
    if (sum > kLimit) return too_large();
    return sum;
  }

  Unexpected refuse(std::string_view why) const {
    return fail(Errc::Invalid, "duration {}: at byte {}: {}; write such as 1h30m, 1.5s or 300ms", kube::quoted(text_),
                at_, why);
  }
  Unexpected too_large() const { return refuse("it is longer than 292 years"); }

 private:
  // Skips digits that do not fit in 63 bits: they are smaller than a nanosecond.
  void read_fraction(std::uint64_t& fraction, double& scale) {
    bool full = false;
    for (; !done() && is_digit(text_[at_]); ++at_) {
      if (full || fraction > (kLimit - 1) / 10) {
        full = true;
        continue;
      }
      const std::uint64_t next = fraction * 10 + static_cast<std::uint64_t>(text_[at_] - '0');
      if (next > kLimit) {
        full = true;
        continue;
      }
      fraction = next;
      scale *= 10;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// `number` with a decimal point `places` digits from the right, without trailing zeros.
std::string with_point(std::uint64_t number, unsigned places) {
  std::uint64_t unit = 1;
  for (unsigned i = 0; i < places; ++i) unit *= 10;
  std::string out = std::to_string(number / unit);
  std::string fraction = std::to_string(unit + number % unit).substr(1);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  if (!fraction.empty()) out += "." + fraction;
  return out;
}

std::string format_magnitude(std::uint64_t size) {
  if (size < 1'000) return std::to_string(size) + "ns";
  if (size < 1'000'000) return with_point(size, 3) + "\xC2\xB5s";
  if (size < kSecond) return with_point(size, 6) + "ms";
  const std::uint64_t minutes = size / (60 * kSecond);
  std::string out;
  if (minutes >= 60) out += std::to_string(minutes / 60) + "h";
  if (minutes > 0) out += std::to_string(minutes % 60) + "m";
  return out + with_point(size % (60 * kSecond), 9) + "s";
}

}  // namespace

Result<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  Reader reader(text);
  const bool negative = reader.take('-');
  if (!negative) reader.take('+');
  if (text == "0" || text == "+0" || text == "-0") return std::chrono::nanoseconds{0};
  if (reader.done()) return reader.refuse("it is empty");
  std::uint64_t total = 0;
  while (!reader.done()) {
    auto term = reader.term();
    if (!term) return Unexpected(std::move(term.error()));
    total += *term;
    if (total > kLimit) return reader.too_large();
  }
  if (!negative && total == kLimit) return reader.too_large();
  return std::chrono::nanoseconds{static_cast<std::int64_t>(negative ? 0 - total : total)};
}

std::string format_duration(std::chrono::nanoseconds duration) {
  const std::int64_t count = duration.count();
  if (count == 0) return "0s";
  if (count > 0) return format_magnitude(static_cast<std::uint64_t>(count));
  return "-" + format_magnitude(0 - static_cast<std::uint64_t>(count));
}

}  // namespace rescheduler::kube
