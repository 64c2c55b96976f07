#include "kube/value/time.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "base/clock.h"
#include "base/error.h"
#include "kube/value/quote.h"

namespace rescheduler::kube {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;
using std::chrono::sys_seconds;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads from the front. Every step returns nullopt on failure; the error names the position of the last step.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  // Reads exactly `digits` digits; the value must be at most `limit`.
  std::optional<int> number(std::size_t digits, int limit) {
    if (text_.size() - at_ < digits) return std::nullopt;
    int out = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (!is_digit(text_[at_ + i])) return std::nullopt;
      out = out * 10 + (text_[at_ + i] - '0');
    }
    if (out > limit) return std::nullopt;
    at_ += digits;
    return out;
  }
  // Reads the digits after the point, at least one. The result is in nanoseconds.
  std::optional<nanoseconds> fraction() {
    const std::size_t began = at_;
    std::int64_t out = 0;
    for (; at_ < text_.size() && is_digit(text_[at_]); ++at_) {
      if (at_ - began < 9) out = out * 10 + (text_[at_] - '0');
    }
    if (at_ == began) return std::nullopt;
    for (std::size_t i = at_ - began; i < 9; ++i) out *= 10;
    return nanoseconds{out};
  }
  bool done() const { return at_ == text_.size(); }

  Unexpected refuse(std::string_view why) const {
    return fail(Errc::Invalid, "time {}: at byte {}: {}; write such as 2006-01-02T15:04:05Z", kube::quoted(text_), at_,
                why);
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

Result<sys_seconds> read_date(Reader& in) {
  const auto year = in.number(4, 9999);
  if (!year || !in.take('-')) return in.refuse("expected a year of four digits and '-'");
  const auto month = in.number(2, 12);
  if (!month || *month == 0 || !in.take('-')) return in.refuse("expected a month 01 to 12 and '-'");
  const auto day = in.number(2, 31);
  if (!day) return in.refuse("expected a day 01 to 31");
  const std::chrono::year_month_day date{std::chrono::year{*year}, std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return in.refuse("the month has no such day");
  return std::chrono::sys_days{date};
}

Result<seconds> read_clock(Reader& in) {
  if (!in.take('T')) return in.refuse("expected 'T' between date and time");
  const auto hour = in.number(2, 23);
  if (!hour || !in.take(':')) return in.refuse("expected an hour 00 to 23 and ':'");
  const auto minute = in.number(2, 59);
  if (!minute || !in.take(':')) return in.refuse("expected a minute 00 to 59 and ':'");
  const auto second = in.number(2, 59);
  if (!second) return in.refuse("expected a second 00 to 59 (there is no leap second)");
  return std::chrono::hours{*hour} + std::chrono::minutes{*minute} + seconds{*second};
}

Result<seconds> read_offset(Reader& in) {
  if (in.take('Z')) return seconds{0};
  const bool west = in.take('-');
  if (!west && !in.take('+')) return in.refuse("expected 'Z' or an offset such as +02:00");
  const auto hour = in.number(2, 23);
  if (!hour || !in.take(':')) return in.refuse("expected the offset's hours 00 to 23 and ':'");
  const auto minute = in.number(2, 59);
  if (!minute) return in.refuse("expected the offset's minutes 00 to 59");
  const seconds offset = std::chrono::hours{*hour} + std::chrono::minutes{*minute};
  return west ? -offset : offset;
}

// Excludes one second at both ends, so that adding a fraction cannot overflow.
bool fits(sys_seconds time) {
  return time > std::chrono::ceil<seconds>(WallTime::min()) && time < std::chrono::floor<seconds>(WallTime::max());
}

// Computed by hand, because the whole second below WallTime::min() is not a valid WallTime.
UnixTime unix_time(WallTime time) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t count = time.time_since_epoch().count();
  const std::int64_t rest = count % kSecond;
  if (rest >= 0) return {count / kSecond, static_cast<std::int32_t>(rest)};
  return {count / kSecond - 1, static_cast<std::int32_t>(rest + kSecond)};
}

}  // namespace

Result<UnixTime> parse_unix_time(std::string_view text) {
  Reader in(text);
  const auto date = read_date(in);
  if (!date) return Unexpected(date.error());
  const auto clock = read_clock(in);
  if (!clock) return Unexpected(clock.error());
  nanoseconds fraction{0};
  if (in.take('.')) {
    const auto read = in.fraction();
    if (!read) return in.refuse("expected digits after the point");
    fraction = *read;
  }
  const auto offset = read_offset(in);
  if (!offset) return Unexpected(offset.error());
  if (!in.done()) return in.refuse("unexpected text after the time");
  const sys_seconds time = *date + *clock - *offset;
  return UnixTime{time.time_since_epoch().count(), static_cast<std::int32_t>(fraction.count())};
}

Result<WallTime> parse_time(std::string_view text) {
  const auto time = parse_unix_time(text);
  if (!time) return Unexpected(time.error());
  if (!fits(sys_seconds{seconds{time->seconds}})) {
    return fail(Errc::Invalid, "time {}: the date is outside 1677-09-22 to 2262-04-11", kube::quoted(text));
  }
  return time_from_unix(time->seconds, time->nanoseconds);
}

Result<WallTime> time_from_unix(std::int64_t unix_seconds, std::int32_t nanosecond) {
  const sys_seconds time{seconds{unix_seconds}};
  if (!fits(time)) {
    return fail(Errc::Invalid, "time {} s after 1970 is outside 1677-09-22 to 2262-04-11", unix_seconds);
  }
  if (nanosecond < 0 || nanosecond > 999'999'999) {
    return fail(Errc::Invalid, "{} nanoseconds are not a fraction of a second", nanosecond);
  }
  return WallTime{time} + nanoseconds{nanosecond};
}

WallTime wall_time_or_epoch(std::int64_t unix_seconds, std::int32_t nanosecond) {
  constexpr sys_seconds kFirst = std::chrono::sys_days{std::chrono::year{1700} / 1 / 1};
  constexpr sys_seconds kEnd = std::chrono::sys_days{std::chrono::year{2200} / 1 / 1};
  const sys_seconds time{seconds{unix_seconds}};
  if (time < kFirst || time >= kEnd) return {};
  return time_from_unix(unix_seconds, nanosecond).value_or(WallTime{});
}

UnixTime unix_micros(WallTime time) {
  const auto micros = std::chrono::floor<std::chrono::microseconds>(time);
  const auto whole = std::chrono::floor<seconds>(micros);
  const nanoseconds rest = micros - whole;
  return UnixTime{whole.time_since_epoch().count(), static_cast<std::int32_t>(rest.count())};
}

std::string format_unix_time(UnixTime time, TimePrecision precision) {
  constexpr std::int64_t kFirst =
      sys_seconds{std::chrono::sys_days{std::chrono::year{0} / 1 / 1}}.time_since_epoch().count();
  constexpr std::int64_t kEnd =
      sys_seconds{std::chrono::sys_days{std::chrono::year{10000} / 1 / 1}}.time_since_epoch().count();
  const sys_seconds whole{seconds{std::clamp(time.seconds, kFirst, kEnd - 1)}};
  const auto day = std::chrono::floor<std::chrono::days>(whole);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{whole - day};
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                                 clock.hours().count(), clock.minutes().count(), clock.seconds().count());
  if (precision == TimePrecision::Micros) {
    text += fmt::format(".{:06}", std::clamp(time.nanoseconds, 0, 999'999'999) / 1000);
  }
  return text + 'Z';
}

std::string format_time(WallTime time) { return format_unix_time(unix_time(time), TimePrecision::Seconds); }

std::string format_micro_time(WallTime time) { return format_unix_time(unix_time(time), TimePrecision::Micros); }

}  // namespace rescheduler::kube
