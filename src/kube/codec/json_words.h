// The few words of JSON that documents for people and pages are made of, one string at a time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "kube/codec/json_scalars.h"

namespace rescheduler::kube {

std::string json_string_or_null(std::string_view text);  // empty: null
std::string json_time(WallTime time);                    // quoted; the epoch, which is "never": null
std::string json_number(double value, int digits = 2);   // null when it is none
std::string json_percent(double share);                  // 0.345 is 34.5
std::string json_boolean(bool value);

// [a,b,c] of what `one` says of each.
template <class List, class One>
std::string json_array(const List& list, const One& one) {
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
std::string json_texts(const Map& map) {
  std::string out = "{";
  for (const auto& [key, value] : map) {
    if (out.size() > 1) out += ',';
    out += json_string(key);
    out += ':';
    out += json_string(value);
  }
  out += '}';
  return out;
}

}  // namespace rescheduler::kube
