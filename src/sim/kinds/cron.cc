#include "sim/kinds/cron.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include <fmt/ranges.h>

#include "kube/value/duration.h"

namespace rescheduler::sim {
namespace {

using namespace std::chrono;  // NOLINT(google-build-using-namespace): calendars

struct Field {
  int least;
  int most;
  std::array<std::string_view, 12> names{};  // for `least` and the following values
};
constexpr Field kMinute{0, 59, {}};
constexpr Field kHour{0, 23, {}};
constexpr Field kDay{1, 31, {}};
constexpr Field kMonth{1, 12, {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}};
constexpr Field kWeekday{0, 6, {"sun", "mon", "tue", "wed", "thu", "fri", "sat"}};
constexpr Field kStep{0, 1000, {}};

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto at = text.find(by);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> parts;
  for (const std::string_view part : split(text, ' ')) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

Result<int> number(const Field& field, std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  for (std::size_t i = 0; i < field.names.size(); ++i) {
    if (!field.names[i].empty() && lower == field.names[i]) return field.least + static_cast<int>(i);
  }
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return fail(Errc::Invalid, "failed to parse int from {}: strconv.Atoi: parsing \"{}\": invalid syntax", text, text);
  }
  if (value < 0) return fail(Errc::Invalid, "negative number ({}) not allowed: {}", value, text);
  return value;
}

struct Span {
  int from = 0;
  int to = 0;
  int step = 1;
  bool any = false;
};

// "3", "3-9".
Result<void> parse_ends(const Field& field, std::string_view text, std::string_view whole, Span& into) {
  const auto ends = split(text, '-');
  const auto from = number(field, ends[0]);
  if (!from) return fail(from.error());
  into.from = into.to = *from;
  if (ends.size() > 1) {
    const auto to = number(field, ends[1]);
    if (!to) return fail(to.error());
    into.to = *to;
  }
  if (ends.size() > 2) return fail(Errc::Invalid, "too many hyphens: {}", whole);
  return {};
}

// "*", "3", "3-9", each with "/step".
Result<Span> parse_span(const Field& field, std::string_view text) {
  const auto parts = split(text, '/');
  Span span{field.least, field.most};
  if (parts[0] == "*" || parts[0] == "?") {
    span.any = true;
  } else if (auto ends = parse_ends(field, parts[0], text, span); !ends) {
    return fail(std::move(ends.error()));
  }
  if (parts.size() > 2) return fail(Errc::Invalid, "too many slashes: {}", text);
  if (parts.size() == 2) {
    const auto step = number(kStep, parts[1]);
    if (!step) return fail(step.error());
    span.step = *step;
    if (!span.any && parts[0].find('-') == std::string_view::npos) span.to = field.most;  // "5/10" is "5-59/10"
    if (span.step > 1) span.any = false;
  }
  if (span.from < field.least) {
    return fail(Errc::Invalid, "beginning of range ({}) below minimum ({}): {}", span.from, field.least, text);
  }
  if (span.to > field.most) {
    return fail(Errc::Invalid, "end of range ({}) above maximum ({}): {}", span.to, field.most, text);
  }
  if (span.from > span.to) {
    return fail(Errc::Invalid, "beginning of range ({}) beyond end of range ({}): {}", span.from, span.to, text);
  }
  if (span.step == 0) return fail(Errc::Invalid, "step of range should be a positive number: {}", text);
  return span;
}

template <std::size_t N>
Result<bool> parse_field(const Field& field, std::string_view text, std::bitset<N>& into) {
  bool any = false;
  for (const std::string_view part : split(text, ',')) {
    const auto span = parse_span(field, part);
    if (!span) return fail(span.error());
    for (int at = span->from; at <= span->to; at += span->step) into.set(static_cast<std::size_t>(at));
    any = any || span->any;
  }
  return any;
}

std::string_view meaning(std::string_view nickname) {
  if (nickname == "@yearly" || nickname == "@annually") return "0 0 1 1 *";
  if (nickname == "@monthly") return "0 0 1 * *";
  if (nickname == "@weekly") return "0 0 * * 0";
  if (nickname == "@daily" || nickname == "@midnight") return "0 0 * * *";
  if (nickname == "@hourly") return "0 * * * *";
  return {};
}

}  // namespace

bool CronSchedule::Days::match(sys_days day) const {
  const bool month_fits = of_month.test(static_cast<unsigned>(year_month_day(day).day()));
  const bool week_fits = of_week.test(weekday(day).c_encoding());
  return any_of_month || any_of_week ? month_fits && week_fits : month_fits || week_fits;
}

Result<CronSchedule> CronSchedule::parse(std::string_view text) {
  if (text.empty()) return fail(Errc::Invalid, "empty spec string");
  CronSchedule schedule;
  constexpr std::string_view kEvery = "@every ";
  if (text.starts_with(kEvery)) {
    const std::string_view written = text.substr(kEvery.size());
    const auto length = kube::parse_duration(written);
    if (!length) {
      return fail(Errc::Invalid, "failed to parse duration {}: time: invalid duration \"{}\"", text, written);
    }
    schedule.every_ = std::max(seconds{1}, duration_cast<seconds>(*length));
    return schedule;
  }
  if (text.starts_with('@')) {
    const std::string_view means = meaning(text);
    if (means.empty()) return fail(Errc::Invalid, "unrecognized descriptor: {}", text);
    return parse(means);
  }
  const auto fields = words(text);
  if (fields.size() != 5) {
    return fail(Errc::Invalid, "expected exactly 5 fields, found {}: [{}]", fields.size(), fmt::join(fields, " "));
  }
  const auto minutes = parse_field(kMinute, fields[0], schedule.minutes_);
  const auto hours = parse_field(kHour, fields[1], schedule.hours_);
  const auto of_month = parse_field(kDay, fields[2], schedule.days_.of_month);
  const auto months = parse_field(kMonth, fields[3], schedule.months_);
  const auto of_week = parse_field(kWeekday, fields[4], schedule.days_.of_week);
  for (const auto* field : {&minutes, &hours, &of_month, &months, &of_week}) {
    if (!*field) return fail(field->error());
  }
  schedule.days_.any_of_month = *of_month;
  schedule.days_.any_of_week = *of_week;
  return schedule;
}

std::string cron_fault(std::string_view schedule) {
  if (schedule.starts_with("TZ=") || schedule.starts_with("CRON_TZ=")) {
    const std::size_t space = schedule.find(' ');
    if (space == std::string_view::npos) return "invalid schedule format: no schedule after the time zone";
    schedule.remove_prefix(space + 1);
  }
  auto parsed = CronSchedule::parse(schedule);
  return parsed ? std::string{} : std::move(parsed.error().message);
}

std::optional<WallTime> CronSchedule::next(WallTime after) const {
  const auto second = floor<seconds>(after);
  if (every_) return WallTime{second + *every_};
  const auto start = floor<minutes>(after) + minutes{1};
  const auto first_day = floor<std::chrono::days>(start);
  const sys_days last_day = first_day + std::chrono::days{5 * 366};
  for (sys_days day = first_day; day <= last_day; day += std::chrono::days{1}) {
    if (!months_.test(static_cast<unsigned>(year_month_day(day).month())) || !days_.match(day)) continue;
    for (unsigned hour = 0; hour < 24; ++hour) {
      if (!hours_.test(hour) || day + hours{hour + 1} <= start) continue;
      for (unsigned minute = 0; minute < 60; ++minute) {
        const auto at = day + hours{hour} + minutes{minute};
        if (minutes_.test(minute) && at >= start) return WallTime{at};
      }
    }
  }
  return std::nullopt;
}

}  // namespace rescheduler::sim
