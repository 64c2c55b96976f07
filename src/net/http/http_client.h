// An HTTP/1.1 client for one origin: keep-alive pool, TLS, a deadline on everything.
//
// Every call ends: with an answer, or with one clear sentence (Error) that names the origin and what happened -
// name not resolved, refused, certificate not trusted (and why), expired, garbage instead of HTTP, connection
// lost, deadline passed. Cancelling the awaiting job cancels the call.
// All members belong to the executor's thread; only dropping the client is allowed anywhere, while the loop lives.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "net/http/http.h"
#include "net/task.h"
#include "net/tls/tls.h"

namespace rescheduler::net {

struct Origin {
  bool tls = true;
  std::string host;  // name or address, IPv6 without brackets
  std::uint16_t port = 443;

  std::string text() const;  // "https://10.0.0.1:6443"
};

struct HttpClientSettings {
  Origin origin;
  TlsClientSettings tls{};
  std::size_t most_connections = 64;  // further calls wait for a free one, within their deadline; streams do not count
  std::chrono::milliseconds idle_limit{90'000};  // an idle connection older than this is not reused
  std::chrono::milliseconds connect_timeout{10'000};
  std::size_t most_body_bytes = std::size_t{1} << 30;  // an answer longer than this is refused, not swallowed
};

// A response whose body arrives piece by piece. Destroying it closes the connection.
class BodyStream {
 public:
  virtual ~BodyStream() = default;
  virtual int status() const = 0;
  virtual const Headers& headers() const = 0;
  // Appends what has arrived to `into`, waiting for at least one byte; 0 means the body is complete. A body cut
  // short is an error (Unavailable), and silence longer than the idle limit is one too (Timeout).
  virtual Task<Result<std::size_t>> read(std::string& into) = 0;
  virtual void close() noexcept = 0;
};

class HttpClient {
 public:
  virtual ~HttpClient() = default;

  // The timeout covers waiting for a connection, connecting, sending and the whole answer.
  virtual Task<Result<HttpResponse>> send(HttpRequest request, std::chrono::nanoseconds timeout) = 0;

  // The head must arrive within `head_timeout`; after that each read may be silent for `idle_limit` at most.
  virtual Task<Result<std::unique_ptr<BodyStream>>> open(HttpRequest request,
                                                         std::chrono::nanoseconds head_timeout,
                                                         std::chrono::nanoseconds idle_limit) = 0;

  // New connections use these; a running call keeps what it has. For client certificates that are renewed.
  virtual Result<void> set_tls(const TlsClientSettings& tls) = 0;
};

// Fails if the key material cannot be used (which PEM, and why).
Result<std::unique_ptr<HttpClient>> make_http_client(Executor executor, HttpClientSettings settings);

}  // namespace rescheduler::net
