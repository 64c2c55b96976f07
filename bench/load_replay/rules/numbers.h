// Settings as they are written on the command line: "window=15 bonus=0".
#pragma once

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

#include "base/error.h"

namespace rescheduler::replay {

using NumbersByName = std::map<std::string_view, double*>;

inline Result<void> read_numbers(std::string_view text, const NumbersByName& fields) {
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const auto equals = word.find('=');
    const auto field = fields.find(word.substr(0, equals));
    if (field == fields.end() || equals == std::string_view::npos) {
      return fail(Errc::Invalid, "'{}' is not understood: settings are written name=number", word);
    }
    const std::string_view number = word.substr(equals + 1);
    const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), *field->second);
    if (problem != std::errc{} || end != number.data() + number.size()) {
      return fail(Errc::Invalid, "'{}' is not a number", number);
    }
  }
  return {};
}

}  // namespace rescheduler::replay
