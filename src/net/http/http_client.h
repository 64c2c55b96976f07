// An HTTP/1.1 client for one origin: keep-alive pool, TLS, and a deadline on every operation.
//
// Every call ends, with an answer or with an Error. The Error is one sentence with the origin and the cause: name not
// resolved, connection refused, certificate not trusted (and why) or expired, not HTTP, connection lost, deadline
// passed. Cancelling the awaiting job cancels the call. All members belong to the executor's thread. Only the
// destructor of the client may run on any thread, while the loop exists.
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
  std::size_t most_connections = 64;  // further calls wait for a connection until their deadline; streams do not count
  std::chrono::milliseconds idle_limit{90'000};  // a connection that was idle for longer is not reused
  std::chrono::milliseconds connect_timeout{10'000};
  std::size_t most_body_bytes = std::size_t{1} << 30;  // a longer answer is an error
};

// A response whose body arrives in parts. Destroying the stream closes the connection.
class BodyStream {
 public:
  virtual ~BodyStream() = default;
  virtual int status() const = 0;
  virtual const Headers& headers() const = 0;
  // Appends the bytes that have arrived to `into`; waits for at least one byte. 0 means that the body is complete. A
  // truncated body is an error (Unavailable), and so is a silence longer than the idle limit (Timeout).
  virtual Task<Result<std::size_t>> read(std::string& into) = 0;
  virtual void close() noexcept = 0;
};

class HttpClient {
 public:
  virtual ~HttpClient() = default;

  // The timeout covers waiting for a connection, connecting, sending and the whole answer.
  virtual Task<Result<HttpResponse>> send(HttpRequest request, std::chrono::nanoseconds timeout) = 0;

  // The head must arrive within `head_timeout`. After that, each read waits at most `idle_limit` for bytes.
  virtual Task<Result<std::unique_ptr<BodyStream>>> open(HttpRequest request,
                                                         std::chrono::nanoseconds head_timeout,
                                                         std::chrono::nanoseconds idle_limit) = 0;

  // For renewed client certificates. New connections use the new settings; running calls keep their connection.
  virtual Result<void> set_tls(const TlsClientSettings& tls) = 0;
};

// Fails if the key material cannot be used; the error names the PEM and the reason.
Result<std::unique_ptr<HttpClient>> make_http_client(Executor executor, HttpClientSettings settings);

}  // namespace rescheduler::net
