#include "config/time_window.h"

#include <array>
#include <optional>

#include <fmt/core.h>

namespace rescheduler::config {
namespace {

constexpr std::array<std::string_view, 7> kDays = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
constexpr std::uint8_t kEveryDay = 0x7f;
constexpr int kDayMinutes = 24 * 60;

std::optional<unsigned> day_of(std::string_view word) {
  for (unsigned day = 0; day < kDays.size(); ++day) {
    if (kDays[day] == word) return day;
  }
  return std::nullopt;
}

// "Mon-Fri" or "Sat". A range can include the end of the week, as in "Sat-Mon".
std::optional<std::uint8_t> days_of(std::string_view part) {
  const auto dash = part.find('-');
  const auto first = day_of(part.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : day_of(part.substr(dash + 1));
  if (!first || !last) return std::nullopt;
  std::uint8_t days = 0;
  for (unsigned day = *first;; day = (day + 1) % kDays.size()) {
    days = static_cast<std::uint8_t>(days | (1U << day));
    if (day == *last) return days;
  }
}

std::optional<std::uint8_t> all_days_of(std::string_view text) {
  std::uint8_t days = 0;
  while (true) {
    const auto comma = text.find(',');
    const auto part = days_of(text.substr(0, comma));
    if (!part) return std::nullopt;
    days = static_cast<std::uint8_t>(days | *part);
    if (comma == std::string_view::npos) return days;
    text.remove_prefix(comma + 1);
  }
}

std::optional<int> minute_of(std::string_view text) {
  if (text.size() != 5 || text[2] != ':') return std::nullopt;
  for (const std::size_t i : {0U, 1U, 3U, 4U}) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
  }
  const int hour = (text[0] - '0') * 10 + (text[1] - '0');
  const int minute = (text[3] - '0') * 10 + (text[4] - '0');
  if (minute > 59 || hour > 24 || (hour == 24 && minute > 0)) return std::nullopt;
  return hour * 60 + minute;
}

std::string minute_text(int minute) { return fmt::format("{:02}:{:02}", minute / 60, minute % 60); }

}  // namespace

Result<TimeWindow> parse_time_window(std::string_view text) {
  const auto wrong = [text] {
    return fail(Errc::Invalid, "'{}' is not a time window; write days and times in UTC, such as Mon-Fri 22:00-06:00",
                text);
  };
  TimeWindow window;
  const auto blank = text.find(' ');
  std::string_view times = text;
  if (blank != std::string_view::npos) {
    const auto days = all_days_of(text.substr(0, blank));
    if (!days) return wrong();
    window.days = *days;
    times = text.substr(blank + 1);
  }
  const auto dash = times.find('-');
  if (dash == std::string_view::npos) return wrong();
  const auto from = minute_of(times.substr(0, dash));
  const auto to = minute_of(times.substr(dash + 1));
  if (!from || !to || *from == kDayMinutes) return wrong();
  if (*from == *to) return fail(Errc::Invalid, "'{}' is empty; a whole day is 00:00-24:00", text);
  window.from = static_cast<std::uint16_t>(*from);
  window.to = static_cast<std::uint16_t>(*to);
  return window;
}

std::string format_time_window(const TimeWindow& window) {
  std::string days;
  if (window.days != kEveryDay) {
    for (unsigned day = 0; day < kDays.size(); ++day) {
      if ((window.days >> day & 1U) == 0) continue;
      unsigned last = day;
      while (last + 1 < kDays.size() && (window.days >> (last + 1) & 1U) != 0) ++last;
      if (!days.empty()) days += ',';
      days += kDays[day];
      if (last > day) days += fmt::format("-{}", kDays[last]);
      day = last;
    }
    days += ' ';
  }
  return days + minute_text(window.from) + "-" + minute_text(window.to);
}

}  // namespace rescheduler::config
