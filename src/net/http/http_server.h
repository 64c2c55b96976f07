// An HTTP/1.1 server: plain, TLS, or both on one port (distinguished by the first byte).
//
// A handler is a coroutine on the server's executor. It answers through the Responder, at once or in parts. The server
// itself refuses slow, oversized or malformed requests (408, 413, 431, 400), and connections above the limit with 503.
// All members belong to the executor's thread. Only port() and the destructor, which cancels the handlers, may run on
// any thread, while the loop exists.
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
  bool verified = false;                   // the client sent a certificate that the client CA of the server has signed
  std::string common_name;                 // of the client certificate, else empty
  std::vector<std::string> organizations;  // of the client certificate, else empty
};

class Responder {
 public:
  virtual ~Responder() = default;
  virtual Task<Result<void>> send(HttpResponse response) = 0;
  // A streamed answer: start(), any number of write() (chunked), finish().
  virtual Task<Result<void>> start(HttpResponse head) = 0;
  virtual Task<Result<void>> write(std::string chunk) = 0;
  virtual Task<Result<void>> finish() = 0;
  // Sends no answer, or no further part of it: the connection is closed when the handler returns. For tests of clients
  // and for the failures that the embedded cluster simulates.
  virtual void abandon() noexcept = 0;
};

using Handler = std::function<Task<void>(const HttpRequest&, const PeerIdentity&, Responder&)>;

// Called when the head of a request has arrived, before any byte of the body is stored. A response refuses the request
// and ends the connection; nullopt accepts it. So only clients with permission can make the server buffer megabytes.
using Gatekeeper = std::function<Task<std::optional<HttpResponse>>(const HttpRequest& head, const PeerIdentity&)>;

struct HttpServerSettings {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;                  // 0: any free port
  std::optional<TlsServerSettings> tls{};  // if set, plain HTTP is refused unless allow_plain
  bool allow_plain = false;
  Gatekeeper gatekeeper{};  // empty: all requests are accepted
  std::size_t most_connections = 4096;
  std::size_t most_body_bytes = 16u << 20;
  std::size_t most_header_bytes = 64u << 10;
  std::chrono::milliseconds first_byte_limit{30'000};  // for the first byte of a new client
  std::chrono::milliseconds request_timeout{30'000};   // for a whole request, from its first byte
  std::chrono::milliseconds idle_limit{120'000};       // between requests, and for a client to accept written bytes
};

class HttpServer {
 public:
  virtual ~HttpServer() = default;
  virtual std::uint16_t port() const = 0;
  // Stops listening, waits up to `grace` for running requests, then closes all connections.
  virtual Task<void> stop(std::chrono::nanoseconds grace) = 0;
  virtual Result<void> set_tls(const TlsServerSettings& tls) = 0;  // for renewed certificates
};

// Binds at once, so that port() is known, and starts to serve.
Result<std::unique_ptr<HttpServer>> serve_http(Executor executor, HttpServerSettings settings, Handler handler);

}  // namespace rescheduler::net
