// One connection of the server, from its first byte to its last. Internal to net/.
//
//   first byte --(0x16)--> TLS handshake --> request --> handler --> request ... --> orderly close
//              `-(else)-> plain HTTP ------^    `-- malformed, too slow, too long: refusal --^
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "net/http/http_parser.h"
#include "net/http/http_server.h"
#include "net/http/input_buffer.h"
#include "net/http/responder.h"
#include "net/tcp_stream.h"
#include "net/tls/tls_context.h"

namespace rescheduler::net {

// Shared by all connections of one server.
struct ServerShared {
  HttpServerSettings settings;
  Handler handler;
  TlsContext tls;  // for new connections; null: plain HTTP only
};

class ServerConnection {
 public:
  enum class Admission { Serve, Reject };  // Reject: answer 503 and close

  ServerConnection(const ServerShared& shared, Accepted accepted, Admission admission);

  Task<void> run();
  // Accepts no further request: closes at once if no request is in progress.
  void wind_down();
  void close() noexcept;

 private:
  // A request, or a refusal, or neither: the client has disconnected.
  struct Arrival {
    std::optional<HttpRequest> request;
    std::optional<HttpResponse> refusal;
    bool http_1_0 = false;
    bool keep_alive = false;
  };

  Task<bool> open();
  Task<bool> secure();
  Task<bool> wait_for_bytes(std::chrono::nanoseconds limit);
  Task<Arrival> next_request();
  Task<std::optional<HttpResponse>> read_message(MessageParser& parser, std::string& body, bool& disconnected);
  Task<std::optional<HttpResponse>> ask_gatekeeper(const MessageHead& head);
  Task<bool> answer(Arrival arrival);
  Task<void> call_handler(const HttpRequest& request, StreamResponder& responder);
  Task<void> refuse(HttpResponse refusal);
  Task<void> close_gracefully();

  const ServerShared& shared_;
  std::unique_ptr<Stream> stream_;
  PeerIdentity peer_;
  Admission admission_;
  InputBuffer input_;
  bool winding_down_ = false;
  bool idle_ = true;  // no byte of the next request has arrived yet
};

}  // namespace rescheduler::net
