// Sends the answer to one request on one connection of the server. Internal to net/.
#pragma once

#include <chrono>
#include <string_view>

#include "net/http/http_server.h"
#include "net/http/http_text.h"
#include "net/stream.h"

namespace rescheduler::net {

class StreamResponder final : public Responder {
 public:
  struct Traits {
    bool head_only = false;   // a HEAD request: the answer has no body
    bool http_1_0 = false;    // HTTP/1.0 has no chunked encoding
    bool keep_alive = false;  // the connection may serve another request
    std::chrono::nanoseconds stall_limit{};
  };

  StreamResponder(Stream& stream, Traits traits) : stream_(stream), traits_(traits) {}

  Task<Result<void>> send(HttpResponse response) override;
  Task<Result<void>> start(HttpResponse head) override;
  Task<Result<void>> write(std::string chunk) override;
  Task<Result<void>> finish() override;
  void abandon() noexcept override { state_ = State::Broken; }

  bool untouched() const { return state_ == State::Untouched; }
  bool finished() const { return state_ == State::Finished; }
  bool may_serve_another() const { return state_ == State::Finished && traits_.keep_alive; }

 private:
  //  Untouched --send--> Finished <--finish-- Streaming <--start-- Untouched;   any failed write, abandon --> Broken
  enum class State { Untouched, Streaming, Finished, Broken };

  Task<Result<void>> put(std::string_view bytes);

  Stream& stream_;
  Traits traits_;
  State state_ = State::Untouched;
  BodyFraming framing_ = BodyFraming::None;
};

}  // namespace rescheduler::net
