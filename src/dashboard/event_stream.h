// Server-sent events. What is published is written as text once and shared by everybody who looks; who does not read
// is dropped when too much has piled up for them, and fetches everything anew when they come back.
//
// Belongs to the loop's thread; viewers being served may outlive it.
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
  std::size_t most_backlog = std::size_t{8} << 20;  // bytes for one viewer: some ten pictures of 5,000 nodes
  std::size_t most_viewers = 200;
  std::chrono::nanoseconds heartbeat = std::chrono::seconds{10};  // proxies and browsers give up on silence
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
  void close();  // everybody's stream ends

  // `hello` is the first event. `welcome` is asked with every heartbeat.
  net::Task<void> serve(std::string hello, std::function<net::Task<bool>()> welcome, net::Responder& responder);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// "event: name\ndata: json\n\n". JSON of ours has no line breaks.
std::string event_text(std::string_view event, std::string_view json);

}  // namespace rescheduler::dashboard
