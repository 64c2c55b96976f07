// An HTTP/1.1 server, plain or TLS or both on one port (the first byte tells).
//
// A handler is a coroutine on the server's executor; it answers through the Responder, whole or piece by piece.
// Slow, oversized or malformed requests are refused by the server itself (408, 413, 431, 400), and connections
// beyond the limit with 503. All members belong to the executor's thread; only dropping the server (which cancels
// its handlers) and port() are allowed anywhere, while the loop lives.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "net/http/http.h"
#include "net/task.h"
#include "net/tls/tls.h"

namespace rescheduler::net {

struct PeerIdentity {
  std::string address;  // "127.0.0.1:53211"
  bool tls = false;
  bool verified = false;                   // by a client certificate that the server's client authority signed
  std::string common_name;                 // of that certificate, else empty
  std::vector<std::string> organizations;  // likewise
};

class Responder {
 public:
  virtual ~Responder() = default;
  virtual Task<Result<void>> send(HttpResponse response) = 0;
  // A streamed answer: start, any number of writes (chunked), finish.
  virtual Task<Result<void>> start(HttpResponse head) = 0;
  virtual Task<Result<void>> write(std::string chunk) = 0;
  virtual Task<Result<void>> finish() = 0;
  // No (further) answer: the connection is closed when the handler returns. For tests of clients.
  virtual void abandon() noexcept = 0;
};

using Handler = std::function<Task<void>(const HttpRequest&, const PeerIdentity&, Responder&)>;

// Asked when the head of a request has arrived, before any of its body is kept: an answer refuses the request (and ends
// the connection), nothing lets it in. So that only who may ask makes the server hold megabytes.
using Gatekeeper = std::function<Task<std::optional<HttpResponse>>(const HttpRequest& head, const PeerIdentity&)>;

struct HttpServerSettings {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;                  // 0: any free one
  std::optional<TlsServerSettings> tls{};  // with it, plain HTTP is refused unless allow_plain
  bool allow_plain = false;
  Gatekeeper gatekeeper{};  // none: everybody is let in
  std::size_t most_connections = 4096;
  std::size_t most_body_bytes = 16u << 20;
  std::size_t most_header_bytes = 64u << 10;
  std::chrono::milliseconds first_byte_limit{30'000};  // for a new client to say something
  std::chrono::milliseconds request_timeout{30'000};   // for a whole request to arrive, once it has begun
  std::chrono::milliseconds idle_limit{120'000};  // between requests, and for a client to take what is written to it
};

class HttpServer {
 public:
  virtual ~HttpServer() = default;
  virtual std::uint16_t port() const = 0;
  // Stops listening, lets running requests finish for `grace`, then closes everything.
  virtual Task<void> stop(std::chrono::nanoseconds grace) = 0;
  virtual Result<void> set_tls(const TlsServerSettings& tls) = 0;  // for renewed certificates
};

// Binds at once (so that port() is known) and serves from then on.
Result<std::unique_ptr<HttpServer>> serve_http(Executor executor, HttpServerSettings settings, Handler handler);

}  // namespace rescheduler::net
