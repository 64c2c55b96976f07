// One request and its answer on one connection of the client, and dialling of a connection. Internal to net/.
//
// Errors are complete sentences without the origin: the caller adds the origin in front. `phase` is the current phase
// of the exchange, so that a timeout error can name the phase that it interrupted.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "net/http/connection_pool.h"
#include "net/http/http_client.h"
#include "net/http/http_parser.h"
#include "net/tls/tls_context.h"

namespace rescheduler::net {

enum class Phase { WaitingForPlace, Resolving, Connecting, Handshaking, Sending, WaitingForAnswer, ReadingAnswer };
std::string_view to_string(Phase phase);  // "waiting for the answer"

struct DialTarget {
  Origin origin;
  TlsContext tls;        // null for plain HTTP
  std::string tls_name;  // the name that the certificate must be valid for
};

Task<Result<std::unique_ptr<Stream>>> dial(DialTarget target, SteadyTime deadline, Phase& phase);

class Exchange {
 public:
  Exchange(ClientConnection& connection, std::string_view method, std::uint64_t most_body_bytes, Phase& phase);

  // Sends the request and reads the head of the final answer.
  Task<Result<void>> begin(std::string_view head, std::string_view body);
  // Appends the next part of the body; waits for at least one byte. 0: the body is complete.
  Task<Result<std::size_t>> read_body(std::string& into);

  MessageHead& head() { return parser_.head(); }
  bool answered() const { return answered_; }  // true after the first byte of the answer
  bool reusable() const { return parser_.done() && parser_.keep_alive() && !write_error_; }

 private:
  MessageParser new_parser() const;
  Task<Result<void>> read_more();
  Task<Result<void>> read_head();
  Result<std::size_t> parse(std::string& body);
  Error garbage(const ParseFailure& failure) const;

  ClientConnection& connection_;
  MessageParser::Kind kind_;
  std::uint64_t most_body_bytes_;
  Phase& phase_;
  MessageParser parser_;
  std::string early_body_;  // always empty: the parser stops after the head
  std::optional<Error> write_error_;
  std::uint64_t body_bytes_ = 0;
  bool answered_ = false;
  bool status_line_read_ = false;
};

}  // namespace rescheduler::net
