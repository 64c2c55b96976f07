// For tests: a server on the same loop as the client of ClientFixture.
#pragma once

#include <memory>
#include <string>

#include "net/http/client_fixture.h"
#include "net/http/http_server.h"

namespace rescheduler::net {

class ServerFixture : public ClientFixture {
 protected:
  ~ServerFixture() override {
    if (server_) stop(std::chrono::seconds(0));
  }

  void serve(HttpServerSettings settings, Handler handler) {
    auto made = serve_http(loop_.executor(), std::move(settings), std::move(handler));
    ASSERT_TRUE(made) << made.error().message;
    server_ = std::move(*made);
  }
  void serve(Handler handler) { serve(HttpServerSettings(), std::move(handler)); }

  void stop(std::chrono::nanoseconds grace) { (void)loop_.await_result<void>(stop_there(*server_, grace)); }

  static Task<void> respond(Responder& responder, int status, std::string body) {
    HttpResponse response;
    response.status = status;
    response.body = std::move(body);
    (void)co_await responder.send(std::move(response));  // the test itself may have disconnected the client
  }
  // Answers with method, target and body size: "PUT /x 4".
  static Task<void> echo(const HttpRequest& request, const PeerIdentity&, Responder& responder) {
    return respond(responder, 200, fmt::format("{} {} {}", request.method, request.target, request.body.size()));
  }

  std::unique_ptr<HttpServer> server_;

 private:
  static Task<Result<void>> stop_there(HttpServer& server, std::chrono::nanoseconds grace) {
    co_await server.stop(grace);
    co_return Result<void>{};
  }
};

}  // namespace rescheduler::net
