#include "kube/config/rfc3339.h"

#include <cstdint>

namespace rescheduler::kube {
namespace {

// Takes `count` digits off the front.
std::optional<int> take_number(std::string_view& text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(0, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

std::chrono::nanoseconds take_fraction(std::string_view& text) {
  std::int64_t value = 0;
  std::int64_t unit = 1'000'000'000;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    if (unit > 1) {
      unit /= 10;
      value += (text.front() - '0') * unit;
    }
    text.remove_prefix(1);
  }
  return std::chrono::nanoseconds{value};
}

std::optional<std::chrono::minutes> take_offset(std::string_view& text) {
  if (take(text, "zZ")) return std::chrono::minutes{0};
  const bool west = !text.empty() && text.front() == '-';
  if (!take(text, "+-")) return std::nullopt;
  const auto hours = take_number(text, 2);
  if (!hours || !take(text, ":")) return std::nullopt;
  const auto minutes = take_number(text, 2);
  if (!minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const auto offset = std::chrono::hours{*hours} + std::chrono::minutes{*minutes};
  return west ? -offset : offset;
}

}  // namespace

std::optional<WallTime> parse_rfc3339(std::string_view text) {
  namespace chr = std::chrono;
  const auto year = take_number(text, 4);
  if (!year || !take(text, "-")) return std::nullopt;
  const auto month = take_number(text, 2);
  if (!month || !take(text, "-")) return std::nullopt;
  const auto day = take_number(text, 2);
  if (!day || !take(text, "Tt ")) return std::nullopt;
  const auto hour = take_number(text, 2);
  if (!hour || !take(text, ":")) return std::nullopt;
  const auto minute = take_number(text, 2);
  if (!minute || !take(text, ":")) return std::nullopt;
  const auto second = take_number(text, 2);
  if (!second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  const auto fraction = take(text, ".") ? take_fraction(text) : chr::nanoseconds{0};
  const auto offset = take_offset(text);
  const chr::year_month_day date{chr::year{*year}, chr::month{static_cast<unsigned>(*month)},
                                 chr::day{static_cast<unsigned>(*day)}};
  // The range that nanoseconds since 1970 can hold.
  if (!offset || !text.empty() || !date.ok() || *year < 1700 || *year > 2250) return std::nullopt;
  return WallTime{chr::sys_days{date}} + chr::hours{*hour} + chr::minutes{*minute} + chr::seconds{*second} + fraction
         - *offset;
}

}  // namespace rescheduler::kube
