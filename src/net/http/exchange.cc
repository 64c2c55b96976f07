#include "net/http/exchange.h"

#include "net/resolve.h"
#include "net/tcp_stream.h"
#include "net/tls/tls_stream.h"

namespace rescheduler::net {

namespace {

// A body up to this size is sent in the same write as its head.
constexpr std::size_t kSmallBody = 32 * 1024;
constexpr std::string_view kProtocol = "HTTP/";

}  // namespace

std::string_view to_string(Phase phase) {
  switch (phase) {
    case Phase::WaitingForPlace: return "waiting for a free connection";
    case Phase::Resolving: return "resolving the name";
    case Phase::Connecting: return "connecting";
    case Phase::Handshaking: return "in the TLS handshake";
    case Phase::Sending: return "sending the request";
    case Phase::WaitingForAnswer: return "waiting for the answer";
    case Phase::ReadingAnswer: return "reading the answer";
  }
  return "working";
}

Task<Result<std::unique_ptr<Stream>>> dial(DialTarget target, SteadyTime deadline, Phase& phase) {
  phase = Phase::Resolving;
  auto endpoints = co_await resolve(target.origin.host, target.origin.port, deadline);
  if (!endpoints) co_return fail(std::move(endpoints.error()));
  phase = Phase::Connecting;
  auto stream = co_await connect_tcp(std::move(*endpoints), deadline);
  if (!stream || !target.tls) co_return stream;
  phase = Phase::Handshaking;
  (*stream)->set_deadline(deadline);
  auto secured = co_await tls_connect(std::move(*stream), target.tls, target.tls_name);
  co_return secured;
}

Exchange::Exchange(ClientConnection& connection, std::string_view method, std::uint64_t most_body_bytes, Phase& phase)
    : connection_(connection),
      kind_(method == "HEAD" ? MessageParser::Kind::ResponseToHead : MessageParser::Kind::Response),
      most_body_bytes_(most_body_bytes),
      phase_(phase),
      parser_(new_parser()) {}

MessageParser Exchange::new_parser() const {
  ParserLimits limits;
  limits.body_bytes = most_body_bytes_;
  return MessageParser(kind_, limits);
}

Task<Result<void>> Exchange::begin(std::string_view head, std::string_view body) {
  phase_ = Phase::Sending;
  std::string first(head);
  if (body.size() <= kSmallBody) first += body;
  auto written = co_await connection_.stream->write_all(first);
  if (written && body.size() > kSmallBody) {
    written = co_await connection_.stream->write_all(body);
  }
  if (!written) {
    if (written.error().code != Errc::Unavailable) co_return written;
    write_error_ = std::move(written.error());  // the server may have sent the reason before it disconnected
  }
  phase_ = Phase::WaitingForAnswer;
  auto got = co_await read_head();
  const bool says_more = got || got.error().code != Errc::Unavailable || answered_;
  if (says_more || !write_error_) co_return got;
  co_return fail(*write_error_);
}

Task<Result<void>> Exchange::read_head() {
  for (;;) {
    if (auto used = parse(early_body_); !used) co_return fail(std::move(used.error()));
    if (!parser_.head_done()) {
      auto more = co_await read_more();
      if (!more) co_return more;
      continue;
    }
    const int status = parser_.head().status;
    if (status == 101) co_return fail(Errc::Unavailable, "the server switched to another protocol without a request");
    if (status >= 200) break;
    status_line_read_ = false;
    parser_ = new_parser();  // 1xx responses such as 100 Continue precede the final answer
  }
  phase_ = Phase::ReadingAnswer;
  co_return Result<void>{};
}

Task<Result<std::size_t>> Exchange::read_body(std::string& into) {
  const std::size_t before = into.size();
  for (;;) {
    if (auto used = parse(into); !used) co_return fail(std::move(used.error()));
    const std::size_t got = into.size() - before;
    body_bytes_ += got;
    if (got > 0 || parser_.done()) co_return got;
    auto more = co_await read_more();
    if (!more) co_return fail(std::move(more.error()));
  }
}

Result<std::size_t> Exchange::parse(std::string& body) {
  const bool had_head = parser_.head_done();
  const std::string_view start = connection_.input.unread().substr(0, kProtocol.size());
  if (!status_line_read_ && !kProtocol.starts_with(start)) {  // fail now: the line may never end
    return fail(garbage(ParseFailure{ParseFailure::Kind::Malformed, "the answer does not begin with HTTP/"}));
  }
  std::size_t total = 0;
  while (!parser_.done() && !connection_.input.unread().empty()) {
    auto used = parser_.feed(connection_.input.unread(), body);
    if (!used) return fail(garbage(used.error()));
    connection_.input.consume(*used);
    total += *used;
    status_line_read_ = status_line_read_ || *used > 0;
    if (*used == 0 || parser_.head_done() != had_head) break;
  }
  return total;
}

Task<Result<void>> Exchange::read_more() {
  auto count = co_await connection_.stream->read_some(connection_.input.room());
  if (!count && count.error().code == Errc::Unavailable) {
    if (!answered_) co_return fail(std::move(count.error()));
    co_return fail(Errc::Unavailable, "the answer was cut short after {} bytes of its body: {}", body_bytes_,
                   count.error().message);
  }
  if (!count) co_return fail(std::move(count.error()));
  connection_.input.commit(*count);
  if (*count > 0) {
    answered_ = true;
    co_return Result<void>{};
  }
  if (!answered_) co_return fail(Errc::Unavailable, "the server closed the connection without an answer");
  if (auto ended = parser_.feed_end(); ended) co_return Result<void>{};
  if (!parser_.head_done()) co_return fail(Errc::Unavailable, "the answer was cut short within its header");
  co_return fail(Errc::Unavailable, "the answer was cut short after {} bytes of its body", body_bytes_);
}

Error Exchange::garbage(const ParseFailure& failure) const {
  using Kind = ParseFailure::Kind;
  if (failure.kind == Kind::BodyTooLong) {
    return Error{Errc::Unsupported, fmt::format("the answer is longer than the limit of {} bytes", most_body_bytes_)};
  }
  if (parser_.head_done()) {
    return Error{Errc::Unavailable, fmt::format("the body of the answer is not valid ({})", failure.text)};
  }
  const std::string_view start = connection_.input.unread();
  if (start.size() >= 2 && (start[0] == '\x15' || start[0] == '\x16') && start[1] == '\x03') {
    return Error{Errc::Unavailable, "the server speaks TLS on this port, not plain HTTP (use https://)"};
  }
  return Error{Errc::Unavailable, fmt::format("the server on this port does not speak HTTP ({})", failure.text)};
}

}  // namespace rescheduler::net
