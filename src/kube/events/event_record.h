// The content of one Event, and its conversion to events.k8s.io/v1. Values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf
namespace rescheduler::api {
class Event;
}  // namespace rescheduler::api

namespace rescheduler::kube {

struct ObjectRef {
  std::string api_version{};
  std::string kind{};
  std::string ns{};  // empty: cluster-scoped
  std::string name{};
  std::string uid{};
  std::string resource_version{};
  std::string field_path{};
};

// For any object with metadata.
ObjectRef ref_to(const google::protobuf::Message& object);

enum class EventType { Normal, Warning };
std::string_view to_string(EventType type) noexcept;

struct EventRecord {
  ObjectRef regarding{};
  std::optional<ObjectRef> related{};
  EventType type = EventType::Normal;
  std::string reason{};  // why, one word: "Rescheduled"
  std::string action{};  // the action, one word; empty: same as the reason
  std::string note{};    // a sentence for users
};

// The reporter of the Event. `instance` distinguishes two processes of one controller.
struct EventReporter {
  std::string controller{};  // "rescheduler-scheduler", or with a domain: "rescheduler.io/scheduler"
  std::string instance{};
};

// Makes the texts valid for the server: fills an empty reason or action, and shortens reason and action to 128 bytes
// and the note to 1024 bytes, at a character boundary.
EventRecord within_limits(EventRecord record);

// Equal for records that look the same to a reader. The resourceVersion of the object does not count.
std::string series_key(const EventRecord& record);
// Equal for records with the same object.
std::string spam_key(const EventRecord& record);

// The namespace that the server requires for an Event about this object.
std::string event_namespace(const EventRecord& record);
// "<object>.<nanoseconds in hex>", always a valid name, for any object name.
std::string event_name(std::string_view object, std::int64_t nanos);

// Repeated occurrences of one record.
struct EventSeries {
  std::string name{};  // of the Event
  WallTime first{};
  WallTime last{};
  std::int32_t count = 1;
};

api::Event to_event(const EventRecord& record, const EventSeries& series, const EventReporter& reporter);
std::string series_patch(const EventSeries& series);  // a JSON merge patch

}  // namespace rescheduler::kube
