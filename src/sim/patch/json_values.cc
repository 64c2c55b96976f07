#include "sim/patch/json_values.h"

#include <algorithm>

#include <boost/json/value.hpp>

namespace rescheduler::sim {
namespace {

namespace json = boost::json;

bool same_number(const json::value& left, const json::value& right) {
  if (!left.is_double() && !right.is_double()) return left == right;  // compares signed with unsigned by value
  return left.to_number<double>() == right.to_number<double>();
}

}  // namespace

bool same_value(const json::value& left, const json::value& right) {
  if (left.is_number() && right.is_number()) return same_number(left, right);
  if (left.kind() != right.kind()) return false;
  if (const auto* object = left.if_object()) {
    const json::object& other = right.get_object();
    return object->size() == other.size() && std::ranges::all_of(*object, [&other](const auto& member) {
             const json::value* found = other.if_contains(member.key());
             return found != nullptr && same_value(member.value(), *found);
           });
  }
  if (const auto* array = left.if_array()) {
    const json::array& other = right.get_array();
    return std::ranges::equal(*array, other, same_value);
  }
  return left == right;
}

std::size_t depth_of(const json::value& value) {
  std::size_t deepest = 0;
  if (const auto* object = value.if_object()) {
    for (const auto& member : *object) deepest = std::max(deepest, depth_of(member.value()) + 1);
  } else if (const auto* array = value.if_array()) {
    for (const json::value& item : *array) deepest = std::max(deepest, depth_of(item) + 1);
  }
  return deepest;
}

std::size_t weight_of(const json::value& value) {
  constexpr std::size_t kPunctuation = 4;  // quotes, a colon and a comma
  constexpr std::size_t kScalar = 8;       // a number of typical length
  std::size_t sum = kPunctuation;
  if (const auto* object = value.if_object()) {
    for (const auto& member : *object) sum += member.key().size() + kPunctuation + weight_of(member.value());
  } else if (const auto* array = value.if_array()) {
    for (const json::value& item : *array) sum += weight_of(item);
  } else if (const auto* text = value.if_string()) {
    sum += text->size();
  } else {
    sum += kScalar;
  }
  return sum;
}

const json::value* member_of(const json::value& value, std::string_view name) {
  const json::object* object = value.if_object();
  return object == nullptr ? nullptr : object->if_contains(name);
}

}  // namespace rescheduler::sim
