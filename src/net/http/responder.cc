#include "net/http/responder.h"

#include "net/waiter.h"

namespace rescheduler::net {

namespace {

// A body up to this size is sent in the same write as its head.
constexpr std::size_t kSmallBody = 64 * 1024;

bool has_no_body(int status) { return status == 204 || status == 304; }

}  // namespace

Task<Result<void>> StreamResponder::put(std::string_view bytes) {
  stream_.set_deadline(deadline_after(traits_.stall_limit));
  auto written = co_await stream_.write_all(bytes);
  if (written) co_return written;
  state_ = State::Broken;
  Error error = std::move(written.error());
  if (error.code == Errc::Timeout) error.message = "the client does not read the response";
  if (error.code == Errc::Unavailable)
    error.message = fmt::format("the client closed the connection: {}", error.message);
  co_return fail(std::move(error));
}

Task<Result<void>> StreamResponder::send(HttpResponse response) {
  if (state_ != State::Untouched) co_return fail(Errc::Internal, "this request already has a response");
  framing_ = has_no_body(response.status) ? BodyFraming::None : BodyFraming::Length;
  auto head = response_head(response, framing_, traits_.keep_alive);
  if (!head) co_return fail(std::move(head.error()));
  const bool with_body = framing_ == BodyFraming::Length && !traits_.head_only;
  const std::string_view body = with_body ? std::string_view(response.body) : std::string_view();
  if (body.size() <= kSmallBody) *head += body;
  state_ = State::Finished;
  auto written = co_await put(*head);
  if (!written || body.size() <= kSmallBody) co_return written;
  auto rest = co_await put(body);
  co_return rest;
}

Task<Result<void>> StreamResponder::start(HttpResponse head) {
  if (state_ != State::Untouched) co_return fail(Errc::Internal, "this request already has a response");
  framing_ = traits_.http_1_0 ? BodyFraming::UntilClose : BodyFraming::Chunked;
  if (has_no_body(head.status)) framing_ = BodyFraming::None;
  if (framing_ == BodyFraming::UntilClose) traits_.keep_alive = false;
  auto text = response_head(head, framing_, traits_.keep_alive);
  if (!text) co_return fail(std::move(text.error()));
  state_ = State::Streaming;
  auto written = co_await put(*text);
  co_return written;
}

Task<Result<void>> StreamResponder::write(std::string chunk) {
  if (state_ != State::Streaming) co_return fail(Errc::Internal, "this response is not open for writing");
  if (chunk.empty() || traits_.head_only || framing_ == BodyFraming::None) co_return Result<void>{};
  if (framing_ == BodyFraming::Chunked) {
    chunk.insert(0, fmt::format("{:x}\r\n", chunk.size()));
    chunk += "\r\n";
  }
  auto written = co_await put(chunk);
  co_return written;
}

Task<Result<void>> StreamResponder::finish() {
  if (state_ != State::Streaming) co_return fail(Errc::Internal, "this response is not open for writing");
  state_ = State::Finished;
  if (traits_.head_only || framing_ != BodyFraming::Chunked) co_return Result<void>{};
  auto written = co_await put("0\r\n\r\n");
  co_return written;
}

}  // namespace rescheduler::net
