// For tests of the client: a loop, a client, and short functions that use them.
#pragma once

#include <future>
#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "net/event_loop.h"
#include "net/http/http_client.h"
#include "net/http/scripted_peer.h"

namespace rescheduler::net {

class ClientFixture : public ::testing::Test {
 protected:
  // A working test never reaches this timeout.
  static constexpr std::chrono::seconds kPlenty{30};

  struct Pending {
    Job job;
    std::future<Result<HttpResponse>> result;
  };

  static HttpClientSettings plain(std::uint16_t port) {
    HttpClientSettings settings;
    settings.origin = Origin{false, "127.0.0.1", port};
    settings.connect_timeout = kPlenty;
    return settings;
  }

  void connect(HttpClientSettings settings) {
    auto made = make_http_client(loop_.executor(), std::move(settings));
    ASSERT_TRUE(made) << made.error().message;
    client_ = std::move(*made);
  }
  void connect_to(std::uint16_t port) { connect(plain(port)); }

  static HttpRequest request(std::string method, std::string target = "/", std::string body = {}) {
    HttpRequest made;
    made.method = std::move(method);
    made.target = std::move(target);
    made.body = std::move(body);
    return made;
  }

  Result<HttpResponse> send(HttpRequest what, std::chrono::nanoseconds timeout = kPlenty) {
    return loop_.await_result<HttpResponse>(client_->send(std::move(what), timeout));
  }
  Result<HttpResponse> get(std::chrono::nanoseconds timeout = kPlenty) { return send(request("GET"), timeout); }

  // Starts a call and returns while the call still runs.
  Pending start(HttpRequest what, std::chrono::nanoseconds timeout = kPlenty) {
    auto promise = std::make_shared<std::promise<Result<HttpResponse>>>();
    Pending pending;
    pending.result = promise->get_future();
    pending.job = spawn(loop_.executor(), "call", keep_result(client_->send(std::move(what), timeout), promise));
    return pending;
  }

  Result<std::unique_ptr<BodyStream>> open(HttpRequest what,
                                           std::chrono::nanoseconds head_timeout = kPlenty,
                                           std::chrono::nanoseconds idle_limit = kPlenty) {
    return loop_.await_result<std::unique_ptr<BodyStream>>(client_->open(std::move(what), head_timeout, idle_limit));
  }
  // The next part of the stream, in the size of one read.
  Result<std::string> read(BodyStream& stream) { return loop_.await_result<std::string>(read_piece(stream)); }
  // Streams belong to the loop's thread and must be destroyed there.
  void drop(std::unique_ptr<BodyStream> stream) { (void)loop_.await_result<void>(drop_there(std::move(stream))); }

  // The error message of the call, or its status if it succeeded.
  static std::string outcome_of(const Result<HttpResponse>& result) {
    return result ? "answered with " + std::to_string(result->status) : result.error().message;
  }
  static Errc code_of(const Result<HttpResponse>& result) { return result ? Errc::Internal : result.error().code; }

  EventLoop loop_;
  std::unique_ptr<HttpClient> client_;

 private:
  static Task<void> keep_result(Task<Result<HttpResponse>> call,
                                std::shared_ptr<std::promise<Result<HttpResponse>>> promise) {
    auto result = co_await std::move(call);
    promise->set_value(std::move(result));
  }
  static Task<Result<std::string>> read_piece(BodyStream& stream) {
    std::string piece;
    auto count = co_await stream.read(piece);
    if (!count) co_return fail(std::move(count.error()));
    co_return piece;
  }
  static Task<Result<void>> drop_there(std::unique_ptr<BodyStream> stream) {
    stream.reset();
    co_return Result<void>{};
  }
};

// Sends the same answer to every request of a connection.
inline ScriptedPeer::Script always(std::string answer) {
  return [answer](PeerSocket& socket) {
    while (!socket.read_request().empty()) socket.write(answer);
  };
}

inline const std::string kHello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

}  // namespace rescheduler::net
