#include "sim/controllers/job/index_set.h"

#include <charconv>
#include <iterator>
#include <optional>

namespace rescheduler::sim {
namespace {

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

}  // namespace

std::set<int> parse_indexes(std::string_view text) {
  std::set<int> indexes;
  while (!text.empty()) {
    const auto comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    const auto dash = part.find('-');
    const auto first = number(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number(part.substr(dash + 1));
    if (!first || !last) continue;
    for (int index = *first; index <= *last; ++index) indexes.insert(index);
  }
  return indexes;
}

std::string format_indexes(const std::set<int>& indexes) {
  std::string text;
  for (auto first = indexes.begin(); first != indexes.end();) {
    auto last = first;
    while (std::next(last) != indexes.end() && *std::next(last) == *last + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(*first);
    // Two consecutive indexes are listed, three or more are a range.
    if (last != first) text += (*last == *first + 1 ? ',' : '-') + std::to_string(*last);
    first = std::next(last);
  }
  return text;
}

}  // namespace rescheduler::sim
