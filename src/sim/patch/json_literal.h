// JSON documents in tests: R"({"a":1})"_json. Single quotes are read as double quotes, which is easier to read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <string>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "sim/patch/json_values.h"

namespace rescheduler::sim {

inline boost::json::value operator""_json(const char* text, std::size_t size) {
  std::string plain(text, size);
  std::ranges::replace(plain, '\'', '"');
  return boost::json::parse(plain);
}

// Compares as data and prints as text.
struct Json {
  boost::json::value value;
  bool operator==(const Json& other) const { return same_value(value, other.value); }
  friend std::ostream& operator<<(std::ostream& out, const Json& json) {
    return out << boost::json::serialize(json.value);
  }
};

}  // namespace rescheduler::sim
