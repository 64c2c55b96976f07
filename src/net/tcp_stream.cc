#include "net/tcp_stream.h"

#include <cerrno>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "net/cancellation.h"
#include "net/waiter.h"

namespace rescheduler::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

void set_option(int socket, int level, int name, int value) {
  // These options only tune the socket: it also works on a platform that refuses one of them.
  (void)::setsockopt(socket, level, name, &value, sizeof value);
}

// Child processes (credential plugins) must not inherit our connections and keep them open.
void not_for_children(int fd) { (void)::fcntl(fd, F_SETFD, FD_CLOEXEC); }

// A peer that disappears without closing is detected after about a minute, for reads and for writes.
void tune(tcp::socket& socket) {
  const int fd = socket.native_handle();
  not_for_children(fd);
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
#ifdef TCP_KEEPIDLE
  set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, 30);
  set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, 10);
  set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
#endif
#ifdef TCP_USER_TIMEOUT
  set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, 60'000);
#endif
}

std::string text_of(const tcp::endpoint& endpoint) {
  return Endpoint{endpoint.address().to_string(), endpoint.port()}.text();
}

std::string reason_of(error_code error) {
  if (error == asio::error::connection_refused) return "the connection was refused";
  if (error == asio::error::connection_reset || error == asio::error::broken_pipe) return "the connection was reset";
  if (error == asio::error::host_unreachable || error == asio::error::network_unreachable) {
    return "the address is unreachable";
  }
  if (error == asio::error::timed_out) return "the peer stopped answering";
  return error.message();
}

// Shared with the deadline timer, whose last callback can run after the stream is destroyed.
class Socket : public std::enable_shared_from_this<Socket> {
 public:
  explicit Socket(tcp::socket socket) : socket_(std::move(socket)), timer_(socket_.get_executor()) {}

  tcp::socket& get() { return socket_; }

  // Arms the timer only for an earlier deadline. A later deadline costs nothing here: rang() arms the timer again.
  void set_deadline(SteadyTime deadline) {
    deadline_ = deadline;
    timed_out_ = false;
    if (deadline_ < armed_until_) arm();
  }

  void close() noexcept {
    closed_ = true;
    error_code ignored;  // nothing can be done if close fails
    socket_.close(ignored);
    timer_.cancel();
  }

  bool is_closed() const { return closed_; }
  bool is_usable() const { return !closed_ && !timed_out_; }

  Unexpected failure(error_code error, bool job_cancelled) {
    if (job_cancelled) return cancelled();
    if (timed_out_) return fail(Errc::Timeout, "the deadline passed");
    if (closed_) return fail(Errc::Cancelled, "the connection was closed on this side");
    return fail(Errc::Unavailable, "{}", reason_of(error));
  }

 private:
  void arm() {
    armed_until_ = deadline_;
    timer_.expires_at(deadline_);
    timer_.async_wait([weak = weak_from_this()](error_code error) {
      const auto self = weak.lock();
      if (!error && self) self->rang();
    });
  }

  void rang() {
    armed_until_ = kNoDeadline;
    if (deadline_ == kNoDeadline || closed_) return;
    if (std::chrono::steady_clock::now() < deadline_) return arm();
    timed_out_ = true;
    error_code ignored;  // fails if no operation is pending
    socket_.cancel(ignored);
  }

  tcp::socket socket_;
  asio::steady_timer timer_;
  SteadyTime deadline_ = kNoDeadline;
  SteadyTime armed_until_ = kNoDeadline;
  bool timed_out_ = false;
  bool closed_ = false;
};

Task<Result<std::size_t>> read_from(std::shared_ptr<Socket> socket, std::span<char> into) {
  auto state = co_await asio::this_coro::cancellation_state;
  if (is_cancelled(state) || !socket->is_usable()) co_return socket->failure(error_code(), is_cancelled(state));
  const auto buffer = asio::buffer(into.data(), into.size());
  auto [error, count] = co_await socket->get().async_read_some(buffer, asio::as_tuple(asio::use_awaitable));
  if (is_cancelled(state)) co_return cancelled();
  if (error == asio::error::eof) co_return std::size_t{0};
  if (error) co_return socket->failure(error, false);
  co_return count;
}

Task<Result<void>> write_to(std::shared_ptr<Socket> socket, std::string_view bytes) {
  auto state = co_await asio::this_coro::cancellation_state;
  if (is_cancelled(state) || !socket->is_usable()) co_return socket->failure(error_code(), is_cancelled(state));
  while (!bytes.empty()) {
    if (!socket->is_usable()) co_return socket->failure(error_code(), false);
    const auto buffer = asio::buffer(bytes.data(), bytes.size());
    auto [error, count] = co_await socket->get().async_write_some(buffer, asio::as_tuple(asio::use_awaitable));
    if (error || is_cancelled(state)) co_return socket->failure(error, is_cancelled(state));
    bytes.remove_prefix(count);
  }
  co_return Result<void>{};
}

Task<Result<void>> end_writing_to(std::shared_ptr<Socket> socket) {
  error_code error;
  socket->get().shutdown(tcp::socket::shutdown_send, error);
  if (error) co_return socket->failure(error, false);
  co_return Result<void>{};
}

class TcpStream final : public Stream {
 public:
  explicit TcpStream(std::shared_ptr<Socket> socket) : socket_(std::move(socket)) {}
  ~TcpStream() override { socket_->close(); }

  Task<Result<std::size_t>> read_some(std::span<char> into) override { return read_from(socket_, into); }
  Task<Result<void>> write_all(std::string_view bytes) override { return write_to(socket_, bytes); }
  Task<Result<void>> end_writing() override { return end_writing_to(socket_); }
  void set_deadline(SteadyTime deadline) override { socket_->set_deadline(deadline); }
  void close() noexcept override { socket_->close(); }

  bool is_quiet() override {
    if (socket_->is_closed()) return false;
    char byte = 0;
    const auto got = ::recv(socket_->get().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }

 private:
  std::shared_ptr<Socket> socket_;
};

Task<Result<std::unique_ptr<Stream>>> connect_one(Endpoint endpoint, SteadyTime deadline) {
  auto executor = co_await asio::this_coro::executor;
  auto state = co_await asio::this_coro::cancellation_state;
  if (is_cancelled(state)) co_return cancelled();
  const tcp::endpoint target(asio::ip::make_address(endpoint.address), endpoint.port);
  tcp::socket raw(executor);
  error_code opened;
  raw.open(target.protocol(), opened);
  if (opened) co_return fail(Errc::Unavailable, "no socket could be opened: {}", opened.message());
  tune(raw);
  auto socket = std::make_shared<Socket>(std::move(raw));
  socket->set_deadline(deadline);
  auto [error] = co_await socket->get().async_connect(target, asio::as_tuple(asio::use_awaitable));
  if (error || is_cancelled(state)) {
    auto failure = socket->failure(error, is_cancelled(state));
    socket->close();
    co_return failure;
  }
  co_return std::make_unique<TcpStream>(std::move(socket));
}

SteadyTime share_of(SteadyTime deadline, std::size_t candidates) {
  if (deadline == kNoDeadline) return deadline;
  const SteadyTime now = std::chrono::steady_clock::now();
  return now + (deadline - now) / static_cast<std::int64_t>(candidates);
}

}  // namespace

std::string Endpoint::text() const {
  return address.find(':') == std::string::npos ? fmt::format("{}:{}", address, port)
                                                : fmt::format("[{}]:{}", address, port);
}

Task<Result<std::unique_ptr<Stream>>> connect_tcp(std::vector<Endpoint> endpoints, SteadyTime deadline) {
  Error last{Errc::Unavailable, "there is no address to connect to"};
  for (std::size_t i = 0; i < endpoints.size(); ++i) {
    const SteadyTime until = share_of(deadline, endpoints.size() - i);
    auto connected = co_await connect_one(endpoints[i], until);
    if (connected || connected.error().code == Errc::Cancelled) co_return connected;
    // "Refused" by one address is more useful to the user than a timeout of another address.
    if (connected.error().code != Errc::Timeout || i == 0) last = std::move(connected.error());
  }
  co_return fail(std::move(last));
}

struct TcpListener::State {
  explicit State(const Executor& executor) : acceptor(executor) {}
  tcp::acceptor acceptor;
  std::uint16_t port = 0;
};

TcpListener::TcpListener(std::unique_ptr<State> state) : state_(std::move(state)) {}
TcpListener::~TcpListener() = default;

Result<std::unique_ptr<TcpListener>> TcpListener::bind(const Executor& executor,
                                                       const std::string& address,
                                                       std::uint16_t port) {
  error_code error;
  const auto parsed = asio::ip::make_address(address, error);
  if (error) {
    return fail(Errc::Invalid, "cannot listen on '{}': it must be a numeric address, such as 0.0.0.0 or ::", address);
  }
  const tcp::endpoint endpoint(parsed, port);
  auto state = std::make_unique<State>(executor);
  auto& acceptor = state->acceptor;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (!error) state->port = acceptor.local_endpoint(error).port();
  not_for_children(acceptor.native_handle());
  if (error) return fail(Errc::Unavailable, "cannot listen on {}: {}", text_of(endpoint), error.message());
  return std::unique_ptr<TcpListener>(new TcpListener(std::move(state)));
}

std::uint16_t TcpListener::port() const { return state_->port; }

Task<Result<Accepted>> TcpListener::accept() {
  auto state = co_await asio::this_coro::cancellation_state;
  if (is_cancelled(state)) co_return cancelled();
  auto [error, raw] = co_await state_->acceptor.async_accept(asio::as_tuple(asio::use_awaitable));
  if (is_cancelled(state) || error == asio::error::operation_aborted) co_return cancelled();
  if (error) co_return fail(Errc::Unavailable, "a connection could not be accepted: {}", error.message());
  tune(raw);
  error_code unknown;
  const auto peer = raw.remote_endpoint(unknown);
  Accepted accepted;
  accepted.peer = unknown ? "unknown" : text_of(peer);
  accepted.stream = std::make_unique<TcpStream>(std::make_shared<Socket>(std::move(raw)));
  co_return accepted;
}

void TcpListener::close() noexcept {
  error_code ignored;  // nothing can be done if close fails
  state_->acceptor.close(ignored);
}

}  // namespace rescheduler::net
