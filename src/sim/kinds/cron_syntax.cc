#include "sim/kinds/cron_syntax.h"

#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kube/value/duration.h"

namespace rescheduler::sim {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kDays = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

struct Bounds {
  int lowest;
  int highest;
  enum class Names { None, Months, Days } names = Names::None;
};
constexpr std::array<Bounds, 5> kFields = {
    {{0, 59}, {0, 23}, {1, 31}, {1, 12, Bounds::Names::Months}, {0, 6, Bounds::Names::Days}}};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  for (const std::string_view word : split(text, ' ')) {
    if (!word.empty()) found.push_back(word);
  }
  return found;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

template <std::size_t N>
std::optional<int> index_of(const std::array<std::string_view, N>& names, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<int>(i);
  }
  return std::nullopt;
}

// A number or a name; `fault` is set when it is neither.
int number_of(std::string_view text, const Bounds& bounds, std::string& fault) {
  if (bounds.names == Bounds::Names::Months) {
    if (const auto month = index_of(kMonths, lower(text))) return *month + 1;
  }
  if (bounds.names == Bounds::Names::Days) {
    if (const auto day = index_of(kDays, lower(text))) return *day;
  }
  int number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || end != text.data() + text.size()) {
    fault = fmt::format("failed to parse int from {}: strconv.Atoi: parsing \"{}\": invalid syntax", text, text);
    return 0;
  }
  if (number < 0) fault = fmt::format("negative number ({}) not allowed: {}", number, text);
  return number;
}

std::string range_fault(std::string_view text, const Bounds& bounds) {
  const auto by_step = split(text, '/');
  const auto ends = split(by_step[0], '-');
  std::string fault;
  int first = bounds.lowest;
  int last = bounds.highest;
  const bool any = ends[0] == "*" || ends[0] == "?";
  if (!any) {
    first = number_of(ends[0], bounds, fault);
    if (!fault.empty()) return fault;
    last = first;
    if (ends.size() == 2) last = number_of(ends[1], bounds, fault);
    if (!fault.empty()) return fault;
    if (ends.size() > 2) return fmt::format("too many hyphens: {}", text);
  }
  if (by_step.size() > 2) return fmt::format("too many slashes: {}", text);
  int step = 1;
  if (by_step.size() == 2) {
    step = number_of(by_step[1], {0, 1000}, fault);
    if (!fault.empty()) return fault;
    if (!any && ends.size() == 1) last = bounds.highest;  // "5/10" is "5-59/10"
  }
  if (first < bounds.lowest) {
    return fmt::format("beginning of range ({}) below minimum ({}): {}", first, bounds.lowest, text);
  }
  if (last > bounds.highest) return fmt::format("end of range ({}) above maximum ({}): {}", last, bounds.highest, text);
  if (first > last) return fmt::format("beginning of range ({}) beyond end of range ({}): {}", first, last, text);
  if (step == 0) return fmt::format("step of range should be a positive number: {}", text);
  return {};
}

std::string word_fault(std::string_view word) {
  for (const std::string_view known :
       {"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}) {
    if (word == known) return {};
  }
  constexpr std::string_view kEvery = "@every ";
  if (!word.starts_with(kEvery)) return fmt::format("unrecognized descriptor: {}", word);
  const std::string_view duration = word.substr(kEvery.size());
  if (kube::parse_duration(duration)) return {};
  return fmt::format("failed to parse duration {}: time: invalid duration \"{}\"", word, duration);
}

}  // namespace

std::string cron_fault(std::string_view schedule) {
  if (schedule.empty()) return "empty spec string";
  if (schedule.starts_with("TZ=") || schedule.starts_with("CRON_TZ=")) {
    const std::size_t space = schedule.find(' ');
    if (space == std::string_view::npos) return "invalid schedule format: no schedule after the time zone";
    schedule.remove_prefix(space + 1);
  }
  if (schedule.starts_with('@')) return word_fault(schedule);
  const auto fields = words(schedule);
  if (fields.size() != kFields.size()) {
    return fmt::format("expected exactly 5 fields, found {}: [{}]", fields.size(), fmt::join(fields, " "));
  }
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    for (const std::string_view range : split(fields[i], ',')) {
      std::string fault = range_fault(range, kFields[i]);
      if (!fault.empty()) return fault;
    }
  }
  return {};
}

}  // namespace rescheduler::sim
