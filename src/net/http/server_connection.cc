#include "net/http/server_connection.h"

#include <algorithm>
#include <exception>

#include "base/log.h"
#include "net/tls/tls_stream.h"
#include "net/waiter.h"

namespace rescheduler::net {

namespace {

constexpr char kTlsHandshakeByte = 0x16;
// How long the server reads and discards what a refused client still sends. Closing at once would reset the connection,
// and the client might never read the reason.
constexpr std::chrono::seconds kLinger{2};

HttpResponse sentence(int status, std::string_view text) {
  HttpResponse response;
  response.status = status;
  response.headers.set("Content-Type", "text/plain; charset=utf-8");
  response.body = fmt::format("{}\n", text);
  return response;
}

int status_of(ParseFailure::Kind kind) {
  switch (kind) {
    case ParseFailure::Kind::HeadTooLong: return 431;
    case ParseFailure::Kind::BodyTooLong: return 413;
    default: return 400;
  }
}

// The text of an exception that escaped from a handler. Call only inside a catch block.
std::string escaped_exception() {
  try {
    throw;
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception of unknown type";
  }
}

}  // namespace

ServerConnection::ServerConnection(const ServerShared& shared, Accepted accepted, Admission admission)
    : shared_(shared), stream_(std::move(accepted.stream)), admission_(admission) {
  peer_.address = std::move(accepted.peer);
}

void ServerConnection::wind_down() {
  winding_down_ = true;
  if (idle_) close();
}

void ServerConnection::close() noexcept {
  if (stream_) stream_->close();
}

Task<void> ServerConnection::run() {
  bool go_on = co_await open();
  while (go_on && !winding_down_) {
    auto arrival = co_await next_request();
    go_on = co_await answer(std::move(arrival));
  }
  close();
}

// Detects TLS or plain HTTP by the first byte. False: the connection is done.
Task<bool> ServerConnection::open() {
  const auto limit = std::min(shared_.settings.first_byte_limit, shared_.settings.idle_limit);
  const bool arrived = co_await wait_for_bytes(limit);
  if (!arrived) co_return false;
  const bool client_speaks_tls = input_.unread().front() == kTlsHandshakeByte;
  std::optional<HttpResponse> refusal;
  if (client_speaks_tls && !shared_.tls) {
    refusal = sentence(400, "Client sent a TLS handshake to an HTTP server.");
  } else if (!client_speaks_tls && shared_.tls && !shared_.settings.allow_plain) {
    refusal = sentence(400, "Client sent an HTTP request to an HTTPS server.");
  }
  if (refusal) {
    co_await refuse(std::move(*refusal));
    co_return false;
  }
  if (!client_speaks_tls) co_return true;
  const bool secured = co_await secure();
  co_return secured;
}

Task<bool> ServerConnection::secure() {
  std::string hello(input_.unread());
  input_.consume(hello.size());
  stream_->set_deadline(deadline_after(shared_.settings.request_timeout));
  auto accepted = co_await tls_accept(std::move(stream_), shared_.tls, std::move(hello));
  if (!accepted) {
    log_debug("TLS handshake with {} failed: {}", peer_.address, accepted.error().message);
    co_return false;
  }
  stream_ = std::move(accepted->stream);
  peer_.tls = true;
  peer_.verified = accepted->verified;
  peer_.common_name = std::move(accepted->common_name);
  peer_.organizations = std::move(accepted->organizations);
  co_return true;
}

// True when unread bytes are there; false when the client has disconnected or the limit has passed.
Task<bool> ServerConnection::wait_for_bytes(std::chrono::nanoseconds limit) {
  if (!input_.unread().empty()) co_return true;
  stream_->set_deadline(deadline_after(limit));
  auto count = co_await stream_->read_some(input_.room());
  if (!count || *count == 0) co_return false;
  input_.commit(*count);
  co_return true;
}

Task<ServerConnection::Arrival> ServerConnection::next_request() {
  Arrival arrival;
  idle_ = input_.unread().empty();
  const bool arrived = co_await wait_for_bytes(shared_.settings.idle_limit);
  idle_ = false;
  if (!arrived) co_return arrival;
  ParserLimits limits;
  limits.head_bytes = shared_.settings.most_header_bytes;
  limits.body_bytes = shared_.settings.most_body_bytes;
  MessageParser parser(MessageParser::Kind::Request, limits);
  std::string body;
  bool disconnected = false;
  stream_->set_deadline(deadline_after(shared_.settings.request_timeout));
  auto refusal = co_await read_message(parser, body, disconnected);
  arrival.refusal = std::move(refusal);
  if (disconnected || arrival.refusal) co_return arrival;
  MessageHead& head = parser.head();
  arrival.http_1_0 = head.http_1_0;
  arrival.keep_alive = parser.keep_alive();
  if (!head.http_1_0 && !head.headers.find("host")) {
    arrival.refusal = sentence(400, "The Host header is missing.");
    co_return arrival;
  }
  arrival.request.emplace();
  arrival.request->method = std::move(head.method);
  arrival.request->target = std::move(head.target);
  arrival.request->headers = std::move(head.headers);
  arrival.request->body = std::move(body);
  co_return arrival;
}

Task<std::optional<HttpResponse>> ServerConnection::read_message(MessageParser& parser,
                                                                 std::string& body,
                                                                 bool& disconnected) {
  bool continue_sent = false;
  bool asked = false;
  for (;;) {
    while (!parser.begun() && input_.unread().starts_with("\r\n")) input_.consume(2);  // RFC 9112, 2.2
    auto used = parser.feed(input_.unread(), body);
    if (!used) {
      co_return sentence(status_of(used.error().kind), fmt::format("The request is refused: {}.", used.error().text));
    }
    input_.consume(*used);
    if (parser.head_done() && !std::exchange(asked, true)) {
      auto refusal = co_await ask_gatekeeper(parser.head());
      if (refusal) co_return refusal;
    }
    if (parser.done()) co_return std::nullopt;
    if (*used > 0) continue;
    if (parser.head_done() && !continue_sent && has_token(parser.head().headers.get("expect"), "100-continue")) {
      continue_sent = true;
      // If this write fails, the next read reports the failure.
      (void)co_await stream_->write_all("HTTP/1.1 100 Continue\r\n\r\n");
    }
    auto count = co_await stream_->read_some(input_.room());
    if (!count && count.error().code == Errc::Timeout) {
      co_return sentence(408, "The request did not arrive in time.");
    }
    disconnected = !count || *count == 0;
    if (disconnected) co_return std::nullopt;
    input_.commit(*count);
  }
}

Task<std::optional<HttpResponse>> ServerConnection::ask_gatekeeper(const MessageHead& head) {
  if (admission_ == Admission::Reject) {
    co_return sentence(503, "The server has reached its maximum number of connections; try again later.");
  }
  if (!shared_.settings.gatekeeper) co_return std::nullopt;
  HttpRequest request;
  request.method = head.method;
  request.target = head.target;
  request.headers = head.headers;
  std::string problem;
  try {
    auto refusal = co_await shared_.settings.gatekeeper(request, peer_);
    co_return refusal;
  } catch (...) {
    problem = escaped_exception();
  }
  log_error("the gatekeeper failed on {} {}: {}", request.method, request.target, problem);
  co_return sentence(500, "The server failed to answer this request.");
}

// False: this was the last request.
Task<bool> ServerConnection::answer(Arrival arrival) {
  if (arrival.refusal) {
    co_await refuse(std::move(*arrival.refusal));
    co_return false;
  }
  if (!arrival.request) co_return false;
  StreamResponder::Traits traits;
  traits.head_only = arrival.request->method == "HEAD";
  traits.http_1_0 = arrival.http_1_0;
  traits.keep_alive = arrival.keep_alive && !winding_down_;
  traits.stall_limit = shared_.settings.idle_limit;
  StreamResponder responder(*stream_, traits);
  co_await call_handler(*arrival.request, responder);
  if (responder.may_serve_another()) co_return true;
  if (responder.finished()) {
    co_await close_gracefully();
  }
  co_return false;
}

Task<void> ServerConnection::call_handler(const HttpRequest& request, StreamResponder& responder) {
  std::string problem = "it returned without a response";
  try {
    co_await shared_.handler(request, peer_, responder);
  } catch (...) {
    problem = escaped_exception();
  }
  if (!responder.untouched()) co_return;
  auto sent = co_await responder.send(sentence(500, "The server failed to answer this request."));
  if (!sent && sent.error().code == Errc::Cancelled) co_return;  // a cancelled handler need not answer
  log_error("the handler of {} {} failed: {}", request.method, request.target, problem);
}

Task<void> ServerConnection::refuse(HttpResponse refusal) {
  log_debug("refusing a request from {} with {}: {}", peer_.address, refusal.status, refusal.body);
  StreamResponder::Traits traits;
  traits.stall_limit = kLinger;
  StreamResponder responder(*stream_, traits);
  auto sent = co_await responder.send(std::move(refusal));
  if (sent) {
    co_await close_gracefully();
  }
}

Task<void> ServerConnection::close_gracefully() {
  idle_ = true;
  stream_->set_deadline(deadline_after(kLinger));
  auto ended = co_await stream_->end_writing();
  std::size_t swallowed = 1;
  while (ended && swallowed > 0) {
    input_.consume(input_.unread().size());
    auto count = co_await stream_->read_some(input_.room());
    swallowed = count.value_or(0);
  }
}

}  // namespace rescheduler::net
