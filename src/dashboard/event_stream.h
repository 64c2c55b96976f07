// Server-sent events. Each published event is serialized once and shared by all viewers. A viewer whose backlog gets
// too large is disconnected, and loads everything again when it reconnects.
//
// Used only on the thread of the event loop. serve() of a viewer can outlive the object.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "net/http/http_server.h"
#include "net/task.h"

namespace rescheduler::dashboard {

struct EventStreamSettings {
  std::size_t most_backlog = std::size_t{8} << 20;  // bytes per viewer: about ten full updates of 5,000 nodes
  std::size_t most_viewers = 200;
  std::chrono::nanoseconds heartbeat = std::chrono::seconds{10};  // proxies and browsers close idle connections
};

class EventStream {
 public:
  explicit EventStream(net::Executor executor, EventStreamSettings settings = {});
  ~EventStream();  // closes
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  void publish(std::string_view event, std::string_view json);
  std::size_t viewers() const;
  bool full() const;
  void close();  // ends all streams

  // `hello` is the first event. `authorized` is called at every heartbeat, also while events arrive without a pause;
  // false ends the stream.
  net::Task<void> serve(std::string hello, std::function<net::Task<bool>()> authorized, net::Responder& responder);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// "event: name\ndata: json\n\n". Our JSON contains no line breaks.
std::string event_text(std::string_view event, std::string_view json);

}  // namespace rescheduler::dashboard
