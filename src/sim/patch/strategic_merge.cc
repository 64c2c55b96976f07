#include "sim/patch/strategic_merge.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "sim/patch/json_values.h"
#include "sim/patch/place.h"
#include "sim/patch/strategic_lists.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;
using Fault = StrategicFault;
using Step = tl::expected<void, Fault>;
using List = tl::expected<json::array, Fault>;

constexpr std::string_view kDirective = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeleteFrom = "$deleteFromPrimitiveList";
constexpr std::string_view kElementOrder = "$setElementOrder";

std::string_view plain(json::string_view text) { return {text.data(), text.size()}; }

tl::unexpected<Fault> failed(Fault::Kind kind, std::string message) {
  return tl::unexpected<Fault>(Fault{kind, std::move(message)});
}

// "containers" for "$setElementOrder/containers"; nullopt for another prefix, empty if nothing follows the prefix.
std::optional<std::string_view> subject_of(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  return name.starts_with('/') ? name.substr(1) : std::string_view();
}

bool is_directive(std::string_view name) {
  return name == kRetainKeys || subject_of(name, kDeleteFrom) || subject_of(name, kElementOrder);
}

// The value for a field that the object does not have: without nulls and directives, which have nothing to change.
// Nullopt: add nothing.
std::optional<json::value> fresh(const json::value& value) {
  if (const auto* array = value.if_array()) {
    json::array out;
    for (const json::value& item : *array) {
      if (auto kept = fresh(item)) out.push_back(std::move(*kept));
    }
    return out;
  }
  const json::object* object = value.if_object();
  if (object == nullptr) return value;
  if (object->contains(kDirective)) return std::nullopt;
  json::object out;
  for (const auto& member : *object) {
    if (member.value().is_null() || is_directive(plain(member.key()))) continue;
    if (auto kept = fresh(member.value())) out.emplace(member.key(), std::move(*kept));
  }
  return out;
}

void put_fresh(json::object& object, std::string_view name, const json::value& value) {
  auto kept = fresh(value);
  if (kept) {
    object.insert_or_assign(name, std::move(*kept));
  } else {
    object.erase(name);
  }
}

Step merge_map(json::object& original, json::object patch, const Place& place);

// Removes the items with a directive from the patch and applies them. True: the patch replaces the list.
tl::expected<bool, Fault> obey_items(json::array& original, json::array& patch, std::string_view merge_key) {
  bool replace = false;
  json::array rest;
  for (json::value& item : patch) {
    const json::value* directive = member_of(item, kDirective);
    if (directive == nullptr) {
      rest.push_back(std::move(item));
      continue;
    }
    const std::string_view what = directive->is_string() ? plain(directive->get_string()) : "";
    if (what == "replace") {
      replace = true;
    } else if (what == "delete") {
      if (auto keyed = check_keys({item}, merge_key); !keyed) return tl::unexpected<Fault>(std::move(keyed.error()));
      for (std::size_t at = find_item(original, item, merge_key); at != kNoItem;
           at = find_item(original, item, merge_key)) {
        original.erase(original.begin() + static_cast<std::ptrdiff_t>(at));
      }
    } else if (what == "merge") {
      return failed(Fault::Kind::Failed, "merging lists cannot yet be specified in the patch");
    } else {
      return failed(Fault::Kind::Failed, fmt::format("unknown patch type: {} in map: {}", json::serialize(*directive),
                                                     json::serialize(item)));
    }
  }
  patch = std::move(rest);
  return replace;
}

List merge_objects(json::array original, json::array patch, const Place& place) {
  const std::string_view key = place.rule().merge_key;
  if (key.empty()) return failed(Fault::Kind::Failed, "cannot merge lists without merge key");
  const auto replace = obey_items(original, patch, key);
  if (!replace) return tl::unexpected<Fault>(replace.error());
  if (auto keyed = check_keys(patch, key); !keyed) return tl::unexpected<Fault>(std::move(keyed.error()));
  if (*replace) return fresh(patch)->get_array();
  if (auto keyed = check_keys(original, key); !keyed) return tl::unexpected<Fault>(std::move(keyed.error()));
  json::array merged = original;
  for (const json::value& item : patch) {
    const std::size_t at = find_item(merged, item, key);
    if (at == kNoItem) {
      if (auto added = fresh(item)) merged.push_back(std::move(*added));
    } else if (auto step = merge_map(merged[at].get_object(), item.get_object(), place.item()); !step) {
      return tl::unexpected<Fault>(std::move(step.error()));
    }
  }
  // A directive or a null in the patch can remove the key of an item. Such an item cannot be ordered.
  if (auto keyed = check_keys(merged, key); !keyed) return tl::unexpected<Fault>(std::move(keyed.error()));
  return ordered(std::move(merged), patch, original, key);
}

json::array merge_scalars(const json::array& original, const json::array& patch) {
  json::array merged;
  for (const json::array* list : {&original, &patch}) {
    for (const json::value& item : *list) {
      if (find_item(merged, item, {}) == kNoItem) merged.push_back(item);
    }
  }
  return ordered(std::move(merged), patch, original, {});
}

List merge_list(const json::array& original, const json::array& patch, const Place& place) {
  if (place.rule().strategy != Strategy::Merge) return fresh(patch)->get_array();
  if (original.empty() && patch.empty()) return original;
  bool objects = false;
  if (auto alike = check_alike(original, patch, objects); !alike) {
    return tl::unexpected<Fault>(std::move(alike.error()));
  }
  return objects ? merge_objects(original, patch, place) : merge_scalars(original, patch);
}

Step delete_from(json::object& original, std::string_view name, const json::value& gone) {
  if (name.empty() || !gone.is_array()) {
    return failed(Fault::Kind::BadFormat, "invalid patch format of primitive list");
  }
  json::value* list = original.if_contains(name);
  if (list == nullptr || !list->is_array()) return {};
  json::array& items = list->get_array();
  bool objects = false;
  if (auto alike = check_alike(items, gone.get_array(), objects); !alike) return alike;
  if (objects) return failed(Fault::Kind::BadFormat, "invalid patch format of primitive list");
  json::array rest;
  for (json::value& item : items) {
    if (find_item(gone.get_array(), item, {}) == kNoItem) rest.push_back(std::move(item));
  }
  items = std::move(rest);
  return {};
}

Step retain_keys(json::object& original, json::object& patch) {
  const json::value* directive = patch.if_contains(kRetainKeys);
  if (directive == nullptr) return {};
  const auto bad = [] { return failed(Fault::Kind::BadFormat, "invalid patch format of retainKeys"); };
  if (!directive->is_array()) return bad();
  const json::array keys = directive->get_array();
  patch.erase(kRetainKeys);
  const auto retained = [&keys](json::string_view name) {
    return std::ranges::any_of(keys,
                               [name](const json::value& key) { return key.is_string() && key.get_string() == name; });
  };
  for (const auto& member : patch) {
    if (member.value().is_null() || is_directive(plain(member.key()))) continue;
    if (!retained(member.key())) return bad();
  }
  json::object kept;
  for (auto& member : original) {
    if (retained(member.key())) kept.emplace(member.key(), std::move(member.value()));
  }
  original = std::move(kept);
  return {};
}

// Merges one list named by $setElementOrder with its part of the patch, then orders it.
Step set_order(json::object& original,
               json::object& patch,
               std::string_view name,
               const json::value& directive,
               const Place& place) {
  const auto bad = [] { return failed(Fault::Kind::BadFormat, "invalid patch format of setElementOrder list"); };
  if (name.empty() || !directive.is_array()) return bad();
  const json::array& order = directive.get_array();
  const json::value* live = original.if_contains(name);
  const json::value* change = patch.if_contains(name);
  const auto wrong = [](const json::value* value) { return value != nullptr && !value->is_array(); };
  if (wrong(live) || wrong(change)) return bad();
  if (live == nullptr && change == nullptr) return {};
  const Place list = place.member(name);
  const std::string_view key = list.rule().merge_key;
  const json::array before = live == nullptr ? json::array() : live->get_array();
  json::array merged = before;
  if (change != nullptr) {
    if (auto fits = check_order(change->get_array(), order, key); !fits) return fits;
    auto outcome = live == nullptr ? List(fresh(*change)->get_array()) : merge_list(before, change->get_array(), list);
    if (!outcome) return tl::unexpected<Fault>(std::move(outcome.error()));
    merged = std::move(*outcome);
  }
  if (!key.empty()) {
    if (auto keyed = check_keys(merged, key); !keyed) return keyed;
  }
  original.insert_or_assign(name, ordered(std::move(merged), order, before, key));
  patch.erase(name);
  return {};
}

Step set_orders(json::object& original, json::object& patch, const Place& place) {
  const json::object directives = patch;
  for (const auto& member : directives) {
    const auto name = subject_of(plain(member.key()), kElementOrder);
    if (!name) continue;
    patch.erase(member.key());
    if (auto step = set_order(original, patch, *name, member.value(), place); !step) return step;
  }
  return {};
}

Step merge_member(json::object& original, std::string_view name, json::value& change, const Place& place) {
  json::value* there = original.if_contains(name);
  if (change.is_null()) {
    original.erase(name);
  } else if (there != nullptr && there->is_object() && change.is_object()
             && place.rule().strategy != Strategy::Replace) {
    return merge_map(there->get_object(), std::move(change.get_object()), place);
  } else if (there != nullptr && there->is_array() && change.is_array()) {
    auto outcome = merge_list(there->get_array(), change.get_array(), place);
    if (!outcome) return tl::unexpected<Fault>(std::move(outcome.error()));
    *there = std::move(*outcome);
  } else {
    put_fresh(original, name, change);
  }
  return {};
}

Step merge_map(json::object& original, json::object patch, const Place& place) {
  if (const json::value* directive = patch.if_contains(kDirective)) {
    if (*directive == "delete") {
      original.clear();
    } else if (*directive == "replace") {
      patch.erase(kDirective);
      original = std::move(fresh(patch)->get_object());
    } else {
      return failed(Fault::Kind::Failed, fmt::format("unknown patch type: {} in map: {}", json::serialize(*directive),
                                                     json::serialize(patch)));
    }
    return {};
  }
  if (auto step = retain_keys(original, patch); !step) return step;
  if (auto step = set_orders(original, patch, place); !step) return step;
  for (auto& member : patch) {
    const std::string_view name = plain(member.key());
    const auto gone_from = subject_of(name, kDeleteFrom);
    auto step = gone_from ? delete_from(original, *gone_from, member.value())
                          : merge_member(original, name, member.value(), place.member(name));
    if (!step) return step;
  }
  return {};
}

}  // namespace

tl::expected<json::value, StrategicFault> strategically_merged(json::value document,
                                                               const json::value& patch,
                                                               const google::protobuf::Descriptor* schema) {
  if (!document.is_object() || !patch.is_object()) {
    return failed(Fault::Kind::BadFormat, "invalid JSON document");
  }
  if (auto step = merge_map(document.get_object(), patch.get_object(), Place::root(schema)); !step) {
    return tl::unexpected<Fault>(std::move(step.error()));
  }
  return document;
}

}  // namespace rescheduler::sim
