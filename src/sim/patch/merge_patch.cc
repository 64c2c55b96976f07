#include "sim/patch/merge_patch.h"

#include <utility>

#include <boost/json/value.hpp>

namespace rescheduler::sim {
namespace json = boost::json;

json::value merge_patched(json::value document, const json::value& patch) {
  const json::object* changes = patch.if_object();
  if (changes == nullptr) return patch;
  if (!document.is_object()) document.emplace_object();
  json::object& object = document.get_object();
  for (const auto& change : *changes) {
    if (change.value().is_null()) {
      object.erase(change.key());
      continue;
    }
    const auto found = object.find(change.key());
    json::value before = found == object.end() ? json::value() : std::move(found->value());
    object.insert_or_assign(change.key(), merge_patched(std::move(before), change.value()));
  }
  return document;
}

}  // namespace rescheduler::sim
