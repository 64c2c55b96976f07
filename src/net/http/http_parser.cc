#include "net/http/http_parser.h"

#include <algorithm>

#include <boost/beast/http/basic_parser.hpp>
#include <fmt/core.h>

namespace rescheduler::net {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

// A peer can announce any length: reserve at most this size before the bytes arrive.
constexpr std::uint64_t kMostReserved = 16 << 20;

std::string_view view(beast::string_view text) { return std::string_view(text.data(), text.size()); }

template <bool IsRequest>
class BeastParser final : public http::basic_parser<IsRequest> {
 public:
  BeastParser(MessageHead& head, ParserLimits limits, bool skip_body) : head_(head) {
    this->eager(true);
    this->header_limit(static_cast<std::uint32_t>(std::min<std::size_t>(limits.head_bytes, UINT32_MAX)));
    this->body_limit(limits.body_bytes);
    if (skip_body) this->skip(true);
  }

  std::string* body = nullptr;  // the destination of the body during one put()

 private:
  void on_request_impl(http::verb,
                       beast::string_view method,
                       beast::string_view target,
                       int version,
                       error_code&) override {
    head_.method = view(method);
    head_.target = view(target);
    head_.http_1_0 = version == 10;
  }
  void on_response_impl(int status, beast::string_view, int version, error_code&) override {
    head_.status = status;
    head_.http_1_0 = version == 10;
  }
  void on_field_impl(http::field, beast::string_view name, beast::string_view value, error_code&) override {
    if (!this->is_header_done()) head_.headers.add(view(name), view(value));  // trailers are ignored
  }
  // The caller decides about the head before it accepts the body.
  void on_header_impl(error_code&) override { this->eager(false); }
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code&) override {
    if (length) body->reserve(body->size() + static_cast<std::size_t>(std::min(*length, kMostReserved)));
  }
  std::size_t on_body_impl(beast::string_view bytes, error_code&) override {
    body->append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view bytes, error_code&) override {
    body->append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_finish_impl(error_code&) override {}

  MessageHead& head_;
};

ParseFailure failure_of(error_code error) {
  using Kind = ParseFailure::Kind;
  if (error == http::error::header_limit) return {Kind::HeadTooLong, "the header is too long"};
  if (error == http::error::body_limit) return {Kind::BodyTooLong, "the body is too long"};
  if (error == http::error::partial_message) return {Kind::CutShort, "the message was cut short"};
  return {Kind::Malformed, error.message()};
}

}  // namespace

struct MessageParser::Parser {
  virtual ~Parser() = default;
  virtual std::size_t put(std::string_view bytes, std::string& body, error_code& error) = 0;
  virtual void put_end(error_code& error) = 0;
  virtual bool begun() const = 0;
  virtual bool head_done() const = 0;
  virtual bool done() const = 0;
  virtual bool keep_alive() const = 0;
  virtual bool ends_with_peer() const = 0;

  MessageHead head;
  std::size_t most_line_bytes = 0;
};

namespace {

template <class Base, bool IsRequest>
class Adapter final : public Base {
 public:
  Adapter(ParserLimits limits, bool skip_body) : beast_(this->head, limits, skip_body) {
    this->most_line_bytes = limits.head_bytes;
  }

  std::size_t put(std::string_view bytes, std::string& body, error_code& error) override {
    if (beast_.is_header_done()) beast_.eager(true);
    beast_.body = &body;
    const std::size_t used = beast_.put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
    beast_.body = nullptr;
    return used;
  }
  void put_end(error_code& error) override { beast_.put_eof(error); }
  bool begun() const override { return beast_.got_some(); }
  bool head_done() const override { return beast_.is_header_done(); }
  bool done() const override { return beast_.is_done(); }
  bool keep_alive() const override { return beast_.keep_alive(); }
  bool ends_with_peer() const override { return beast_.need_eof(); }

 private:
  BeastParser<IsRequest> beast_;
};

}  // namespace

MessageParser::MessageParser(Kind kind, ParserLimits limits) {
  if (kind == Kind::Request) {
    parser_ = std::make_unique<Adapter<Parser, true>>(limits, false);
  } else {
    parser_ = std::make_unique<Adapter<Parser, false>>(limits, kind == Kind::ResponseToHead);
  }
}
MessageParser::~MessageParser() = default;
MessageParser::MessageParser(MessageParser&&) noexcept = default;
MessageParser& MessageParser::operator=(MessageParser&&) noexcept = default;

tl::expected<std::size_t, ParseFailure> MessageParser::feed(std::string_view bytes, std::string& body) {
  if (done() || bytes.empty()) return std::size_t{0};
  error_code error;
  const std::size_t used = parser_->put(bytes, body, error);
  if (error == http::error::need_more) {
    // The head has its own limit. Chunk size lines and trailers need a limit too.
    if (used == 0 && head_done() && bytes.size() > parser_->most_line_bytes) {
      return tl::unexpected(ParseFailure{ParseFailure::Kind::HeadTooLong, "a line within the body is too long"});
    }
    return used;
  }
  if (error) return tl::unexpected(failure_of(error));
  return used;
}

tl::expected<void, ParseFailure> MessageParser::feed_end() {
  if (done()) return {};
  error_code error = http::error::partial_message;
  if (begun()) parser_->put_end(error);
  if (error) return tl::unexpected(failure_of(error));
  return {};
}

bool MessageParser::begun() const { return parser_->begun(); }
bool MessageParser::head_done() const { return parser_->head_done(); }
bool MessageParser::done() const { return parser_->done(); }
bool MessageParser::keep_alive() const { return parser_->keep_alive(); }
bool MessageParser::ends_with_peer() const { return parser_->ends_with_peer(); }
MessageHead& MessageParser::head() { return parser_->head; }

}  // namespace rescheduler::net
