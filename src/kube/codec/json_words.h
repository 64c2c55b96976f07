// Small functions that write JSON values as strings, for documents and pages that users read.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "kube/codec/json_scalars.h"

namespace rescheduler::kube {

std::string json_string_or_null(std::string_view text);  // null for an empty string
std::string json_time(WallTime time);                    // in quotes; null for the epoch, which means "never"
std::string json_number(double value, int digits = 2);   // null for NaN and infinity
std::string json_percent(double share);                  // 0.345 becomes 34.5

// [a,b,c]; `one` writes each element.
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

// {"a":"b"} from pairs of strings.
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
