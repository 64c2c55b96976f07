#include "kube/events/event_record.h"

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

#include "kube/codec/metadata.h"
#include "kube/codec/resource.h"
#include "kube/proto/core_common.pb.h"
#include "kube/proto/events.pb.h"
#include "kube/proto/meta.pb.h"
#include "kube/value/time.h"

namespace rescheduler::kube {
namespace {

constexpr std::size_t kMostWordBytes = 128;
constexpr std::size_t kMostNoteBytes = 1024;
constexpr std::size_t kMostNameBytes = 253;
constexpr std::string_view kCutMark = "...";

void shorten(std::string& text, std::size_t most, std::string_view mark) {
  if (text.size() <= most) return;
  std::size_t end = most - mark.size();
  const auto continues_character = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  while (end > 0 && continues_character(end)) --end;
  text.resize(end);
  text += mark;
}

// Separates the parts by a zero byte, which no valid part contains.
std::string joined(std::initializer_list<std::string_view> parts) {
  std::string key;
  for (const std::string_view part : parts) {
    key += part;
    key += '\0';
  }
  return key;
}

std::string identity_of(const ObjectRef& ref) { return joined({ref.api_version, ref.kind, ref.ns, ref.name, ref.uid}); }

bool is_name_character(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

void put_reference(const ObjectRef& ref, api::ObjectReference& into) {
  if (!ref.api_version.empty()) into.set_api_version(ref.api_version);
  if (!ref.kind.empty()) into.set_kind(ref.kind);
  if (!ref.ns.empty()) into.set_namespace_(ref.ns);
  if (!ref.name.empty()) into.set_name(ref.name);
  if (!ref.uid.empty()) into.set_uid(ref.uid);
  if (!ref.resource_version.empty()) into.set_resource_version(ref.resource_version);
  if (!ref.field_path.empty()) into.set_field_path(ref.field_path);
}

}  // namespace

ObjectRef ref_to(const google::protobuf::Message& object) {
  const ResourceType& type = resource_of(*object.GetDescriptor());
  const api::ObjectMeta& meta = metadata_of(object);
  ObjectRef ref;
  ref.api_version = type.api_version();
  ref.kind = type.kind;
  ref.ns = meta.namespace_();
  ref.name = meta.name();
  ref.uid = meta.uid();
  ref.resource_version = meta.resource_version();
  return ref;
}

std::string_view to_string(EventType type) noexcept { return type == EventType::Normal ? "Normal" : "Warning"; }

EventRecord within_limits(EventRecord record) {
  if (record.reason.empty()) record.reason = "Unknown";
  if (record.action.empty()) record.action = record.reason;
  shorten(record.reason, kMostWordBytes, "");
  shorten(record.action, kMostWordBytes, "");
  shorten(record.note, kMostNoteBytes, kCutMark);
  return record;
}

std::string series_key(const EventRecord& record) {
  const std::string related = record.related ? identity_of(*record.related) : std::string();
  return joined({identity_of(record.regarding), record.regarding.field_path, related, to_string(record.type),
                 record.reason, record.action, record.note});
}

std::string spam_key(const EventRecord& record) { return identity_of(record.regarding); }

std::string event_namespace(const EventRecord& record) {
  return record.regarding.ns.empty() ? "default" : record.regarding.ns;
}

std::string event_name(std::string_view object, std::int64_t nanos) {
  const std::string suffix = fmt::format(".{:x}", static_cast<std::uint64_t>(nanos));
  std::string name(object.substr(0, kMostNameBytes - suffix.size()));
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (!is_name_character(c) && c != '-' && c != '.') c = '-';
  }
  while (!name.empty() && !is_name_character(name.back())) name.pop_back();
  name.erase(name.begin(), std::ranges::find_if(name, is_name_character));
  return (name.empty() ? "event" : name) + suffix;
}

api::Event to_event(const EventRecord& record, const EventSeries& series, const EventReporter& reporter) {
  api::Event event;
  event.mutable_metadata()->set_name(series.name);
  event.mutable_metadata()->set_namespace_(event_namespace(record));
  set_time(*event.mutable_event_time(), series.first);
  std::string instance = reporter.instance.empty() ? reporter.controller : reporter.instance;
  shorten(instance, kMostWordBytes, "");
  event.set_reporting_controller(reporter.controller);
  event.set_reporting_instance(std::move(instance));
  event.set_type(std::string(to_string(record.type)));
  event.set_reason(record.reason);
  event.set_action(record.action);
  event.set_note(record.note);
  put_reference(record.regarding, *event.mutable_regarding());
  if (record.related) put_reference(*record.related, *event.mutable_related());
  if (series.count > 1) {  // one occurrence is no series: the server requires a count of two
    event.mutable_series()->set_count(series.count);
    set_time(*event.mutable_series()->mutable_last_observed_time(), series.last);
  }
  return event;
}

std::string series_patch(const EventSeries& series) {
  return fmt::format(R"({{"series":{{"count":{},"lastObservedTime":"{}"}}}})", series.count,
                     format_micro_time(series.last));
}

}  // namespace rescheduler::kube
