#include "net/http/http_client.h"

#include <boost/asio/post.hpp>

#include "net/http/connection_pool.h"
#include "net/http/exchange.h"
#include "net/http/http_text.h"

namespace rescheduler::net {

namespace {

struct Client {
  Client(const Executor& executor, HttpClientSettings with)
      : settings(std::move(with)), pool(executor, settings.most_connections, settings.idle_limit) {}

  DialTarget target() const {
    const std::string& name = settings.tls.server_name;
    return DialTarget{settings.origin, tls, name.empty() ? settings.origin.host : name};
  }
  SteadyTime dial_deadline(SteadyTime of_call) const {
    return std::min(of_call, deadline_after(settings.connect_timeout));
  }

  HttpClientSettings settings;
  TlsContext tls;
  ConnectionPool pool;
};

std::string duration_text(std::chrono::nanoseconds duration) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
  return ms % 1000 == 0 ? fmt::format("{} s", ms / 1000) : fmt::format("{} ms", ms);
}

// The state of a call that its error message needs.
struct Call {
  std::string method;
  std::chrono::nanoseconds timeout;
  SteadyTime deadline;
  Phase phase = Phase::WaitingForPlace;
  bool stale = false;  // the call failed on a reused connection before the first byte of an answer
};

Unexpected report(const Client& client, const Call& call, Error error) {
  if (error.code == Errc::Cancelled) return fail(std::move(error));
  if (error.code == Errc::Timeout) {
    const bool dialling = call.phase >= Phase::Resolving && call.phase <= Phase::Handshaking;
    const auto limit =
        dialling ? std::min<std::chrono::nanoseconds>(call.timeout, client.settings.connect_timeout) : call.timeout;
    error.message = fmt::format("the deadline of {} passed while {}", duration_text(limit), to_string(call.phase));
  }
  const bool sent = call.phase >= Phase::Sending && error.code != Errc::Unauthenticated;
  if (sent && !is_idempotent(call.method)) {
    error.message += fmt::format("; whether the {} took effect is unknown", call.method);
  }
  return fail(std::move(error).within(client.settings.origin.text()));
}

// Go servers send this answer to plain HTTP on a TLS port. The caller gets an error instead of this answer.
bool is_plain_to_tls_notice(const Client& client, const HttpResponse& response) {
  return !client.settings.origin.tls && response.status == 400
         && response.body.starts_with("Client sent an HTTP request to an HTTPS server");
}

Task<Result<std::unique_ptr<ClientConnection>>> connect(const Client& client, SteadyTime deadline, Phase& phase) {
  auto connection = std::make_unique<ClientConnection>();
  connection->generation = client.pool.generation();
  auto stream = co_await dial(client.target(), deadline, phase);
  if (!stream) co_return fail(std::move(stream.error()));
  connection->stream = std::move(*stream);
  co_return connection;
}

Task<Result<HttpResponse>> read_answer(Exchange& exchange) {
  HttpResponse response;
  for (;;) {
    auto count = co_await exchange.read_body(response.body);
    if (!count) co_return fail(std::move(count.error()));
    if (*count == 0) break;
  }
  response.status = exchange.head().status;
  response.headers = std::move(exchange.head().headers);
  co_return response;
}

Task<Result<HttpResponse>> attempt(Client& client,
                                   const HttpRequest& request,
                                   const std::string& head,
                                   Call& call,
                                   ConnectionPool::Want want) {
  call.stale = false;
  call.phase = Phase::WaitingForPlace;
  auto place = co_await client.pool.acquire(want, call.deadline);
  if (!place) co_return fail(std::move(place.error()));
  const bool reused = place->connection != nullptr;
  if (!reused) {
    auto fresh = co_await connect(client, client.dial_deadline(call.deadline), call.phase);
    if (!fresh) co_return fail(std::move(fresh.error()));
    place->connection = std::move(*fresh);
  }
  place->connection->stream->set_deadline(call.deadline);
  Exchange exchange(*place->connection, request.method, client.settings.most_body_bytes, call.phase);
  auto begun = co_await exchange.begin(head, request.body);
  if (!begun) {
    call.stale = reused && !exchange.answered() && begun.error().code == Errc::Unavailable;
    co_return fail(std::move(begun.error()));
  }
  auto response = co_await read_answer(exchange);
  if (response && exchange.reusable() && !has_token(request.headers.get("connection"), "close")) {
    std::move(*place).keep_connection();
  }
  co_return response;
}

Task<Result<HttpResponse>> send_call(std::shared_ptr<Client> client,
                                     HttpRequest request,
                                     std::chrono::nanoseconds timeout) {
  Call call{request.method, timeout, deadline_after(timeout)};
  auto head = request_head(request, client->settings.origin);
  if (!head) co_return report(*client, call, std::move(head.error()));
  auto response = co_await attempt(*client, request, *head, call, ConnectionPool::Want::AnyConnection);
  // The server can close an idle connection just when it is reused. That failure is independent of the request.
  if (!response && call.stale && is_idempotent(request.method)) {
    response = co_await attempt(*client, request, *head, call, ConnectionPool::Want::EmptyPlace);
  }
  if (!response) co_return report(*client, call, std::move(response.error()));
  if (is_plain_to_tls_notice(*client, *response)) {
    Error error{Errc::Unavailable, "the server speaks TLS on this port, not plain HTTP (use https://)"};
    co_return fail(std::move(error).within(client->settings.origin.text()));
  }
  co_return response;
}

// Shared by the handle and by a read that still runs when the handle is closed.
struct OpenStream {
  OpenStream(std::shared_ptr<Client> of, Call with, std::unique_ptr<ClientConnection> on)
      : client(std::move(of)),
        call(std::move(with)),
        connection(std::move(on)),
        exchange(*connection, call.method, UINT64_MAX, call.phase) {}

  std::shared_ptr<Client> client;
  Call call;
  std::unique_ptr<ClientConnection> connection;
  Exchange exchange;
  std::chrono::nanoseconds idle_limit{};
};

Task<Result<std::size_t>> read_stream(std::shared_ptr<OpenStream> stream, std::string& into) {
  stream->connection->stream->set_deadline(deadline_after(stream->idle_limit));
  auto count = co_await stream->exchange.read_body(into);
  if (count) co_return count;
  Error error = std::move(count.error());
  if (error.code == Errc::Cancelled) co_return fail(std::move(error));
  if (error.code == Errc::Timeout) {
    error.message = fmt::format("the stream was silent for {}", duration_text(stream->idle_limit));
  }
  co_return fail(std::move(error).within(stream->client->settings.origin.text()));
}

class HttpBodyStream final : public BodyStream {
 public:
  explicit HttpBodyStream(std::shared_ptr<OpenStream> stream) : stream_(std::move(stream)) {}
  ~HttpBodyStream() override { close(); }

  int status() const override { return stream_->exchange.head().status; }
  const Headers& headers() const override { return stream_->exchange.head().headers; }
  Task<Result<std::size_t>> read(std::string& into) override { return read_stream(stream_, into); }
  void close() noexcept override { stream_->connection->stream->close(); }

 private:
  std::shared_ptr<OpenStream> stream_;
};

Task<Result<std::unique_ptr<BodyStream>>> open_call(std::shared_ptr<Client> client,
                                                    HttpRequest request,
                                                    std::chrono::nanoseconds head_timeout,
                                                    std::chrono::nanoseconds idle_limit) {
  Call call{request.method, head_timeout, deadline_after(head_timeout)};
  auto head = request_head(request, client->settings.origin);
  if (!head) co_return report(*client, call, std::move(head.error()));
  auto connection = co_await connect(*client, client->dial_deadline(call.deadline), call.phase);
  if (!connection) co_return report(*client, call, std::move(connection.error()));
  (*connection)->stream->set_deadline(call.deadline);
  auto stream = std::make_shared<OpenStream>(client, std::move(call), std::move(*connection));
  stream->idle_limit = idle_limit;
  auto begun = co_await stream->exchange.begin(*head, request.body);
  if (!begun) co_return report(*client, stream->call, std::move(begun.error()));
  co_return std::make_unique<HttpBodyStream>(std::move(stream));
}

class PooledHttpClient final : public HttpClient {
 public:
  PooledHttpClient(Executor executor, std::shared_ptr<Client> client)
      : executor_(std::move(executor)), client_(std::move(client)) {}
  // Sockets belong to the loop's thread, but any thread may destroy the client.
  ~PooledHttpClient() override {
    boost::asio::post(executor_, [client = std::move(client_)] {});
  }

  Task<Result<HttpResponse>> send(HttpRequest request, std::chrono::nanoseconds timeout) override {
    return send_call(client_, std::move(request), timeout);
  }

  Task<Result<std::unique_ptr<BodyStream>>> open(HttpRequest request,
                                                 std::chrono::nanoseconds head_timeout,
                                                 std::chrono::nanoseconds idle_limit) override {
    return open_call(client_, std::move(request), head_timeout, idle_limit);
  }

  Result<void> set_tls(const TlsClientSettings& tls) override {
    if (client_->settings.origin.tls) {
      auto context = make_client_context(tls);
      if (!context) return fail(std::move(context.error()).within(client_->settings.origin.text()));
      client_->tls = std::move(*context);
    }
    client_->settings.tls = tls;
    client_->pool.start_generation();
    return {};
  }

 private:
  Executor executor_;
  std::shared_ptr<Client> client_;
};

}  // namespace

std::string Origin::text() const {
  const bool bracket = host.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}", tls ? "https" : "http", bracket ? "[" : "", host, bracket ? "]" : "", port);
}

Result<std::unique_ptr<HttpClient>> make_http_client(Executor executor, HttpClientSettings settings) {
  auto client = std::make_shared<Client>(executor, std::move(settings));
  if (client->settings.origin.tls) {
    auto context = make_client_context(client->settings.tls);
    if (!context) return fail(std::move(context.error()).within(client->settings.origin.text()));
    client->tls = std::move(*context);
  }
  return std::make_unique<PooledHttpClient>(std::move(executor), std::move(client));
}

}  // namespace rescheduler::net
