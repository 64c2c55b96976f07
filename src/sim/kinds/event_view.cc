#include "sim/kinds/event_view.h"

#include <array>
#include <string_view>
#include <utility>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace rescheduler::sim {
namespace {

namespace json = boost::json;
using Names = std::pair<std::string_view, std::string_view>;

// The core name and the events.k8s.io name. All other fields have the same name in both.
constexpr std::array<Names, 7> kNames = {{
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"reportingComponent", "reportingController"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
}};

json::string_view key(std::string_view text) { return {text.data(), text.size()}; }

void rename(json::object& object, std::string_view from, std::string_view to) {
  const auto found = object.find(key(from));
  if (found == object.end()) return;
  json::value value = std::move(found->value());
  object.erase(found);
  object[key(to)] = std::move(value);
}

// Go writes these fields of core events even if they are empty, because they have no omitempty.
void show_if_absent(json::object& event, std::string_view name, json::value value) {
  if (event.if_contains(key(name)) == nullptr) event[key(name)] = std::move(value);
}

}  // namespace

void to_core_event(json::object& event) {
  for (const auto& [core, other] : kNames) rename(event, other, core);
  show_if_absent(event, "involvedObject", json::object{});
  show_if_absent(event, "source", json::object{});
  show_if_absent(event, "firstTimestamp", nullptr);
  show_if_absent(event, "lastTimestamp", nullptr);
  show_if_absent(event, "eventTime", nullptr);
  show_if_absent(event, "reportingComponent", "");
  show_if_absent(event, "reportingInstance", "");
  event["apiVersion"] = "v1";
}

void from_core_event(json::object& event) {
  for (const auto& [core, other] : kNames) rename(event, core, other);
  event["apiVersion"] = "events.k8s.io/v1";
}

}  // namespace rescheduler::sim
