// TCP: connecting and listening. Internal to net/.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/error.h"
#include "net/stream.h"
#include "net/task.h"

namespace rescheduler::net {

struct Endpoint {
  std::string address;  // numeric
  std::uint16_t port = 0;

  std::string text() const;  // "10.0.0.1:80", "[::1]:80"
};

// Tries the endpoints in order until one accepts. An endpoint that does not answer uses only its share of the time, so
// that the next endpoint is tried too. Timeout: no endpoint answered. Unavailable otherwise, with the reason of the
// last that answered.
Task<Result<std::unique_ptr<Stream>>> connect_tcp(std::vector<Endpoint> endpoints, SteadyTime deadline);

struct Accepted {
  std::unique_ptr<Stream> stream;
  std::string peer;  // "127.0.0.1:53211"
};

class TcpListener {
 public:
  static Result<std::unique_ptr<TcpListener>> bind(const Executor& executor,
                                                   const std::string& address,
                                                   std::uint16_t port);
  ~TcpListener();

  std::uint16_t port() const;
  Task<Result<Accepted>> accept();
  void close() noexcept;

 private:
  struct State;
  explicit TcpListener(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace rescheduler::net
