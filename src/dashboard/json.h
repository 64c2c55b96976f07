// The few words of JSON that the views are made of. Text is escaped here and nowhere else.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace rescheduler::dashboard {

std::string quoted(std::string_view text);
std::string quoted_or_null(std::string_view text);  // empty: null
std::string time_text(WallTime time);               // quoted; the epoch, which is "never": null
std::string number(double value, int digits = 2);   // null when it is none
std::string percent(double share);                  // 0.345 is 34.5
std::string boolean(bool value);

// [a,b,c] of what `one` says of each.
template <class List, class One>
std::string array(const List& list, const One& one) {
  std::string out = "[";
  for (const auto& item : list) {
    if (out.size() > 1) out += ',';
    out += one(item);
  }
  out += ']';
  return out;
}

// {"a":"b"} of pairs of text.
template <class Map>
std::string text_object(const Map& map) {
  std::string out = "{";
  for (const auto& [key, value] : map) {
    if (out.size() > 1) out += ',';
    out += quoted(key);
    out += ':';
    out += quoted(value);
  }
  out += '}';
  return out;
}

}  // namespace rescheduler::dashboard
