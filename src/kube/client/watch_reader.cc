#include "kube/client/watch_reader.h"

#include <optional>
#include <string_view>

#include "kube/client/response.h"
#include "kube/codec/codec.h"
#include "kube/codec/metadata.h"
#include "kube/codec/watch_event.h"
#include "kube/codec/watch_frames.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::kube {
namespace {

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

class WatchReader final : public WatchStream {
 public:
  WatchReader(std::unique_ptr<net::BodyStream> body, const ResourceType& resource, Encoding encoding, std::string where)
      : body_(std::move(body)), resource_(resource), encoding_(encoding), where_(std::move(where)), frames_(encoding) {}

  net::Task<Result<std::vector<WatchEvent>>> next() override {
    if (failure_) co_return fail(*failure_);
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
      if (taken) continue;
      if (events.empty()) co_return fail(std::move(taken.error()));
      failure_ = std::move(taken.error());  // reported after the events before it
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
      events.push_back(std::move(*event));
    }
  }

  Result<WatchEvent> decode_event(std::string_view frame) const {
    std::shared_ptr<Message> object = resource_.make();
    auto watched = decode_watch_event(encoding_, frame, *object, UnknownFields::Drop);
    if (!watched) return fail(std::move(watched.error()).within(where_));
    if (watched->type == WatchEventType::Error) return fail(error_from_status(*watched->status, where_));

    const api::ObjectMeta& meta = metadata_of(*object);
    WatchEvent event;
    event.kind = watched->type;
    event.resource_version = meta.resource_version();
    if (event.kind == WatchEventType::Bookmark) {
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
  std::optional<Error> failure_;
};

}  // namespace

Result<std::unique_ptr<WatchStream>> make_watch_reader(std::unique_ptr<net::BodyStream> body,
                                                       const ResourceType& resource,
                                                       std::string where) {
  auto encoding = encoding_of(body->headers().get("Content-Type"));
  if (!encoding) return fail(std::move(encoding.error()).within(where));
  return std::make_unique<WatchReader>(std::move(body), resource, *encoding, std::move(where));
}

}  // namespace rescheduler::kube
