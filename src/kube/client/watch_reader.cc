#include "kube/client/watch_reader.h"

#include <optional>
#include <string_view>

#include "kube/client/response.h"
#include "kube/codec/json.h"
#include "kube/codec/metadata.h"
#include "kube/codec/protobuf.h"
#include "kube/codec/watch_frames.h"
#include "kube/codec/wire.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::kube {
namespace {

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

// One event before its object is decoded. The views point into the frame, or into `json` below.
struct RawEvent {
  std::string_view type;
  std::string_view object;
};

// A bare WatchEvent: 1 = type, 2 = RawExtension { 1 = bytes }. Walked by hand: the object is not copied on the way.
Result<RawEvent> open_protobuf_event(std::string_view frame) {
  RawEvent event;
  WireReader reader(frame);
  for (WireField field; reader.next(field);) {
    if (field.is_bytes(1)) event.type = field.bytes;
    if (!field.is_bytes(2)) continue;
    WireReader inner(field.bytes);
    for (WireField raw; inner.next(raw);) {
      if (raw.is_bytes(1)) event.object = raw.bytes;
    }
    if (inner.fault() != nullptr) return fail(Errc::Unavailable, "a broken watch event: {}", inner.fault());
  }
  if (reader.fault() != nullptr) return fail(Errc::Unavailable, "a broken watch event: {}", reader.fault());
  return event;
}

class WatchReader final : public WatchStream {
 public:
  WatchReader(std::unique_ptr<net::BodyStream> body, const ResourceType& resource, Encoding encoding, std::string where)
      : body_(std::move(body)), resource_(resource), encoding_(encoding), where_(std::move(where)), frames_(encoding) {}

  net::Task<Result<std::vector<WatchEvent>>> next() override {
    std::vector<WatchEvent> events;
    while (events.empty()) {
      chunk_.clear();
      auto got = co_await body_->read(chunk_);
      if (!got) co_return fail(std::move(got.error()).within(where_));
      if (*got == 0) {
        if (frames_.is_mid_frame()) co_return fail(Errc::Unavailable, "{}: the stream ended inside an event", where_);
        break;
      }
      auto taken = take_frames(events);
      if (!taken) co_return fail(std::move(taken.error()));
    }
    co_return events;
  }

 private:
  Result<void> take_frames(std::vector<WatchEvent>& events) {
    frames_.feed(chunk_);
    for (;;) {
      auto frame = frames_.next();
      if (!frame) return fail(std::move(frame.error()).within(where_));
      if (!*frame) return {};
      auto event = decode_event(**frame);
      if (!event) return fail(std::move(event.error()));
      if (*event) events.push_back(std::move(**event));
    }
  }

  Result<std::optional<WatchEvent>> decode_event(std::string_view frame) {
    api::WatchEvent json;
    RawEvent raw;
    if (encoding_ == Encoding::Json) {
      if (auto read = from_json(frame, json); !read) return fail(std::move(read.error()).within(where_));
      raw = {json.type(), json.object().raw()};
    } else {
      auto opened = open_protobuf_event(frame);
      if (!opened) return fail(std::move(opened.error()).within(where_));
      raw = *opened;
    }
    if (raw.type == "ERROR") return fail(error_of(raw.object));
    return object_event(raw);
  }

  Result<void> decode(std::string_view bytes, Message& into) const {
    return decode_object(media_type(encoding_), bytes, into, UnknownFields::Drop);
  }

  Error error_of(std::string_view object) const {
    api::Status status;
    if (auto read = decode(object, status); !read) return std::move(read.error()).within(where_);
    return error_from_status(status, where_);
  }

  Result<std::optional<WatchEvent>> object_event(const RawEvent& raw) const {
    WatchEvent event;
    if (raw.type == "ADDED") {
      event.kind = WatchKind::Added;
    } else if (raw.type == "MODIFIED") {
      event.kind = WatchKind::Modified;
    } else if (raw.type == "DELETED") {
      event.kind = WatchKind::Deleted;
    } else if (raw.type != "BOOKMARK") {
      return std::nullopt;  // a kind of event later servers may invent says nothing about objects we know
    }
    std::shared_ptr<Message> object = resource_.make();
    if (auto read = decode(raw.object, *object); !read) return fail(std::move(read.error()).within(where_));
    const api::ObjectMeta& meta = metadata_of(*object);
    event.resource_version = meta.resource_version();
    if (event.kind == WatchKind::Bookmark) {
      const auto mark = meta.annotations().find(std::string{kInitialEventsEnd});
      event.initial_events_end = mark != meta.annotations().end() && mark->second == "true";
    } else {
      event.object = std::move(object);
    }
    return event;
  }

  std::unique_ptr<net::BodyStream> body_;
  const ResourceType& resource_;
  Encoding encoding_;
  std::string where_;
  WatchFrames frames_;
  std::string chunk_;
};

}  // namespace

Result<std::unique_ptr<WatchStream>> make_watch_reader(std::unique_ptr<net::BodyStream> body,
                                                       const ResourceType& resource,
                                                       std::string where) {
  const auto encoding = encoding_of(body->headers().get("Content-Type"));
  if (!encoding) return fail(Error{encoding.error()}.within(where));
  return std::make_unique<WatchReader>(std::move(body), resource, *encoding, std::move(where));
}

}  // namespace rescheduler::kube
