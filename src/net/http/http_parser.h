// Reads one HTTP/1.x message; the caller feeds the bytes as they arrive. Internal to net/. Uses Beast's parser, which
// only the .cc includes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "net/http/http.h"

namespace rescheduler::net {

struct MessageHead {
  int status = 0;      // of a response
  std::string method;  // of a request, as is target
  std::string target;
  bool http_1_0 = false;
  Headers headers;
};

struct ParseFailure {
  enum class Kind { Malformed, HeadTooLong, BodyTooLong, CutShort };
  Kind kind = Kind::Malformed;
  std::string text;
};

struct ParserLimits {
  std::size_t head_bytes = 256 * 1024;
  std::uint64_t body_bytes = UINT64_MAX;
};

class MessageParser {
 public:
  enum class Kind { Request, Response, ResponseToHead };

  MessageParser(Kind kind, ParserLimits limits);
  ~MessageParser();
  MessageParser(MessageParser&&) noexcept;
  MessageParser& operator=(MessageParser&&) noexcept;

  // Consumes as many bytes as possible and appends those of the body to `body`. Returns the number of consumed bytes.
  // The caller must feed the rest again together with more bytes, unless the rest belongs to the next message. Stops
  // after the head.
  tl::expected<std::size_t, ParseFailure> feed(std::string_view bytes, std::string& body);
  // The peer has closed its side. Fails if the message is not complete.
  tl::expected<void, ParseFailure> feed_end();

  bool begun() const;
  bool head_done() const;
  bool done() const;
  bool keep_alive() const;      // valid when the head is done
  bool ends_with_peer() const;  // valid when the head is done: only the end of the connection ends the body
  MessageHead& head();

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace rescheduler::net
