// What is said in one Event, and how it becomes one of events.k8s.io/v1. Values and pure functions.
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

// For any object with metadata, as the client and the informers hand them out.
ObjectRef ref_to(const google::protobuf::Message& object);

enum class EventType { Normal, Warning };
std::string_view to_string(EventType type) noexcept;

struct EventRecord {
  ObjectRef regarding{};
  std::optional<ObjectRef> related{};
  EventType type = EventType::Normal;
  std::string reason{};  // why, one word: "Rescheduled"
  std::string action{};  // what was done or tried, one word; empty: as the reason
  std::string note{};    // for people
};

// Who says it. The instance tells two processes of one controller apart.
struct EventReporter {
  std::string controller{};  // "rescheduler-scheduler", or with a domain: "rescheduler.io/scheduler"
  std::string instance{};
};

// What the server would refuse is shortened: reason and action to 128 bytes, the note to 1024 and never in the middle
// of a character.
EventRecord within_limits(EventRecord record);

// Equal for records that differ in nothing a reader would see. A newer version of the object is the same object.
std::string series_key(const EventRecord& record);
// Equal for records about the same object.
std::string spam_key(const EventRecord& record);

// The namespace an Event about this object has to be in.
std::string event_namespace(const EventRecord& record);
// "<object>.<nanoseconds in hex>", made a valid name whatever the object's own is like.
std::string event_name(std::string_view object, std::int64_t nanos);

// The same record, seen again and again.
struct EventSeries {
  std::string name{};  // of the Event
  WallTime first{};
  WallTime last{};
  std::int32_t count = 1;
};

api::Event to_event(const EventRecord& record, const EventSeries& series, const EventReporter& reporter);
std::string series_patch(const EventSeries& series);  // a JSON merge patch

}  // namespace rescheduler::kube
