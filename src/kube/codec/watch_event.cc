#include "kube/codec/watch_event.h"

#include <array>
#include <utility>

#include <boost/json/monotonic_resource.hpp>
#include <google/protobuf/message.h>

#include "kube/codec/json.h"
#include "kube/codec/json_text.h"
#include "kube/codec/json_value.h"
#include "kube/codec/printable.h"
#include "kube/codec/protobuf.h"
#include "kube/codec/wire.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::kube {
namespace {

using google::protobuf::Message;

// Field numbers of WatchEvent and of the RawExtension that holds its object.
constexpr std::uint32_t kType = 1;
constexpr std::uint32_t kObject = 2;
constexpr std::uint32_t kRaw = 1;

constexpr std::array<std::pair<WatchEventType, std::string_view>, 5> kTypes{{
    {WatchEventType::Added, "ADDED"},
    {WatchEventType::Modified, "MODIFIED"},
    {WatchEventType::Deleted, "DELETED"},
    {WatchEventType::Bookmark, "BOOKMARK"},
    {WatchEventType::Error, "ERROR"},
}};

Result<WatchEventType> parse_type(std::string_view text) {
  for (const auto& [type, name] : kTypes) {
    if (name == text) return type;
  }
  return fail(Errc::Invalid, "a watch event has the unknown type {}", printable(text));
}

// Requires a Status for Error events, and only for them.
Result<WatchedEvent> checked(std::string_view type_text, Result<Decoded> decoded) {
  const auto type = parse_type(type_text);
  if (!type) return fail(type.error());
  if (!decoded) return fail(std::move(decoded.error()).within(fmt::format("watch event {}", to_string(*type))));
  if (decoded->is_status() != (*type == WatchEventType::Error)) {
    return fail(Errc::Invalid, "a watch event of type {} holds {}", to_string(*type),
                decoded->is_status() ? "a Status" : "an object instead of a Status");
  }
  return WatchedEvent{*type, std::move(decoded->status)};
}

std::string_view bytes_field(std::string_view message, std::uint32_t number, const char*& fault) {
  std::string_view found;
  WireReader reader(message);
  for (WireField field; reader.next(field);) {
    if (field.is_bytes(number)) found = field.bytes;
  }
  if (reader.fault() != nullptr) fault = reader.fault();
  return found;
}

// Decodes into a new message: only a complete and consistent event may replace the caller's object.
template <class Decode>
Result<WatchedEvent> decode_aside(std::string_view type, Message& into, const Decode& decode) {
  const std::unique_ptr<Message> fresh(into.New());
  auto event = checked(type, decode(*fresh));
  if (event && !event->status) into.GetReflection()->Swap(&into, fresh.get());
  return event;
}

Result<WatchedEvent> decode_protobuf_event(std::string_view frame, Message& into, UnknownFields unknown) {
  const char* fault = nullptr;
  const std::string_view type = bytes_field(frame, kType, fault);
  const std::string_view object = bytes_field(bytes_field(frame, kObject, fault), kRaw, fault);
  if (fault != nullptr) return fail(Errc::Invalid, "a watch event of {} bytes is broken: {}", frame.size(), fault);
  return decode_aside(type, into, [&](Message& fresh) { return decode_protobuf(object, fresh, unknown); });
}

Result<WatchedEvent> decode_json_event(std::string_view frame, Message& into, UnknownFields unknown) {
  boost::json::monotonic_resource memory;
  auto document = parse_json(frame, &memory);
  if (!document) return fail(std::move(document.error()).within("watch event"));
  const boost::json::object* event = document->if_object();
  const boost::json::value* type = event == nullptr ? nullptr : event->if_contains("type");
  const boost::json::value* object = event == nullptr ? nullptr : event->if_contains("object");
  if (type == nullptr || !type->is_string() || object == nullptr) {
    return fail(Errc::Invalid, "a watch event must be an object with a type and an object");
  }
  const boost::json::string& text = type->get_string();
  return decode_aside({text.data(), text.size()}, into,
                      [&](Message& fresh) { return decode_json_value(*object, fresh, unknown); });
}

std::string with_length(const std::string& frame) {
  std::string out;
  out.reserve(4 + frame.size());
  for (const unsigned shift : {24U, 16U, 8U, 0U}) out += static_cast<char>(frame.size() >> shift & 0xffU);
  return out + frame;
}

}  // namespace

std::string_view to_string(WatchEventType type) {
  for (const auto& [value, name] : kTypes) {
    if (value == type) return name;
  }
  return "ERROR";
}

Result<WatchedEvent> decode_watch_event(Encoding encoding,
                                        std::string_view frame,
                                        Message& into,
                                        UnknownFields unknown) {
  return encoding == Encoding::Protobuf ? decode_protobuf_event(frame, into, unknown)
                                        : decode_json_event(frame, into, unknown);
}

std::string encode_watch_event(Encoding encoding, WatchEventType type, const Message& object) {
  if (encoding == Encoding::Json) {
    return fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", to_string(type), to_json(object));
  }
  api::WatchEvent event;
  event.set_type(std::string(to_string(type)));
  event.mutable_object()->set_raw(encode_protobuf(object));
  return with_length(encode_bare(event));
}

}  // namespace rescheduler::kube
