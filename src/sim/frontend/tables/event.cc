// Events of core/v1 and events.k8s.io/v1, which have different field names.
#include <cctype>
#include <string>

#include "sim/frontend/tables/age.h"
#include "sim/frontend/tables/printer.h"

namespace rescheduler::sim {
namespace {

Field either(const Field& object, std::string_view core, std::string_view events) {
  const Field field = object[core];
  return field.present() ? field : object[events];
}

std::string target_text(const Field& target) {
  std::string text(target["kind"].text());
  for (char& letter : text) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  const std::string_view name = target["name"].text();
  return name.empty() ? text : text + "/" + std::string(name);
}

std::string source_text(const Field& event) {
  const Field source = either(event, "source", "deprecatedSource");
  std::string text(source["component"].text(either(event, "reportingComponent", "reportingController").text()));
  const std::string_view instance = source["host"].text(event["reportingInstance"].text());
  return instance.empty() ? text : text + ", " + std::string(instance);
}

std::string trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kSpace) - first + 1));
}

boost::json::array event_cells(const Field& event, WallTime now) {
  const std::string_view first =
      either(event, "firstTimestamp", "deprecatedFirstTimestamp").text(event["eventTime"].text());
  const Field series = event["series"];
  std::string_view last = either(event, "lastTimestamp", "deprecatedLastTimestamp").text(first);
  std::int64_t count = either(event, "count", "deprecatedCount").number();
  if (series.present()) {
    last = series["lastObservedTime"].text();
    count = series["count"].number();
  } else if (count == 0) {
    count = 1;  // events.k8s.io sets no count for a single occurrence
  }
  const Field target = either(event, "involvedObject", "regarding");
  return {human_age(last, now),
          event["type"].text(),
          event["reason"].text(),
          target_text(target),
          target["fieldPath"].text(),
          source_text(event),
          trimmed(either(event, "message", "note").text()),
          human_age(first, now),
          count,
          name_of(event)};
}

}  // namespace

const Printer* event_printer(std::string_view group, std::string_view kind) {
  if (kind != "Event" || (!group.empty() && group != "events.k8s.io")) return nullptr;
  static const Printer printer{.columns = {text_column("Last Seen"),
                                           text_column("Type"),
                                           text_column("Reason"),
                                           text_column("Object"),
                                           wide_column("Subobject"),
                                           wide_column("Source"),
                                           text_column("Message"),
                                           wide_column("First Seen"),
                                           wide_column("Count"),
                                           {.name = "Name", .format = "name", .priority = 1}},
                               .cells = event_cells};
  return &printer;
}

}  // namespace rescheduler::sim
