#include "sim/patch/strategic_lists.h"

#include <algorithm>
#include <map>
#include <utility>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "sim/patch/json_values.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;
using Fault = StrategicFault;

const json::value* key_of(const json::value& item, std::string_view merge_key) {
  return merge_key.empty() ? &item : member_of(item, merge_key);
}

bool same_item(const json::value& left, const json::value& right, std::string_view merge_key) {
  const json::value* one = key_of(left, merge_key);
  const json::value* two = key_of(right, merge_key);
  return one != nullptr && two != nullptr && same_value(*one, *two);
}

tl::unexpected<Fault> failed(Fault::Kind kind, std::string message) {
  return tl::unexpected<Fault>(Fault{kind, std::move(message)});
}

struct Placed {
  std::size_t live;  // index in the live list
  json::value value;
};

}  // namespace

std::size_t find_item(const json::array& list, const json::value& item, std::string_view merge_key) {
  const auto found =
      std::ranges::find_if(list, [&](const json::value& candidate) { return same_item(candidate, item, merge_key); });
  return found == list.end() ? kNoItem : static_cast<std::size_t>(found - list.begin());
}

tl::expected<void, Fault> check_alike(const json::array& original, const json::array& patch, bool& objects) {
  std::size_t structures = 0;
  for (const json::array* list : {&original, &patch}) {
    for (const json::value& item : *list) {
      if (item.is_array()) return failed(Fault::Kind::Unprocessable, "lists of lists are not supported");
      if (item.is_object()) ++structures;
    }
  }
  if (structures != 0 && structures != original.size() + patch.size()) {
    return failed(Fault::Kind::Failed, fmt::format("list element types are not identical: {} {}",
                                                   json::serialize(original), json::serialize(patch)));
  }
  objects = structures != 0;
  return {};
}

tl::expected<void, Fault> check_keys(const json::array& list, std::string_view merge_key) {
  for (const json::value& item : list) {
    if (key_of(item, merge_key) == nullptr) {
      return failed(Fault::Kind::Failed,
                    fmt::format("map: {} does not contain declared merge key: {}", json::serialize(item), merge_key));
    }
  }
  return {};
}

json::array ordered(json::array merged,
                    const json::array& wanted_order,
                    const json::array& live_order,
                    std::string_view merge_key) {
  std::multimap<std::size_t, Placed> wanted;  // by index in the order; equal ones keep their sequence
  std::multimap<std::size_t, Placed> others;
  for (json::value& item : merged) {
    const std::size_t place = find_item(wanted_order, item, merge_key);
    const std::size_t live = find_item(live_order, item, merge_key);
    if (place == kNoItem) {
      others.emplace(live, Placed{live, std::move(item)});
    } else {
      wanted.emplace(place, Placed{live, std::move(item)});
    }
  }
  json::array out;
  auto next = wanted.begin();
  for (auto& entry : others) {
    Placed& other = entry.second;
    const auto comes_first = [&other](const Placed& item) {
      return other.live == kNoItem || item.live == kNoItem || item.live <= other.live;
    };
    while (next != wanted.end() && comes_first(next->second)) out.push_back(std::move((next++)->second.value));
    out.push_back(std::move(other.value));
  }
  while (next != wanted.end()) out.push_back(std::move((next++)->second.value));
  return out;
}

tl::expected<void, Fault> check_order(const json::array& patch, const json::array& order, std::string_view merge_key) {
  if (order.empty()) return {};
  std::size_t at = 0;
  for (const json::value& item : patch) {
    if (!merge_key.empty() && member_of(item, "$patch") != nullptr) continue;
    while (at < order.size() && !same_item(item, order[at], merge_key)) ++at;
    if (at == order.size()) {
      return failed(Fault::Kind::Failed, fmt::format("The order in patch list:\n{}\n doesn't match $setElementOrder "
                                                     "list:\n{}\n",
                                                     json::serialize(patch), json::serialize(order)));
    }
    ++at;
  }
  return {};
}

}  // namespace rescheduler::sim
