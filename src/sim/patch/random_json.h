// Random documents for property tests: few names and few values, so that two documents have much in common.
#pragma once

#include <boost/json/value.hpp>
#include <rapidcheck.h>

namespace rescheduler::sim {

enum class Nulls { Never, Sometimes };

inline boost::json::value any_value(Nulls nulls, int depth);

inline boost::json::value any_object(Nulls nulls, int depth = 3) {
  boost::json::object object;
  const int count = *rc::gen::inRange(0, 5);
  for (int i = 0; i < count; ++i) {
    object[*rc::gen::element<std::string>("a", "b", "c", "d")] = any_value(nulls, depth - 1);
  }
  return object;
}

inline boost::json::value any_value(Nulls nulls, int depth) {
  const int sort = *rc::gen::inRange(0, depth > 0 ? 6 : 4);
  if (sort == 0 && nulls == Nulls::Sometimes) return nullptr;
  if (sort == 1) return *rc::gen::inRange(0, 3);
  if (sort == 2) return *rc::gen::arbitrary<bool>();
  if (sort < 4) return boost::json::value(*rc::gen::element<std::string>("x", "y", ""));
  if (sort == 4) return any_object(nulls, depth);
  boost::json::array items;
  const int count = *rc::gen::inRange(0, 3);
  for (int i = 0; i < count; ++i) items.push_back(any_value(nulls, depth - 1));
  return items;
}

}  // namespace rescheduler::sim
