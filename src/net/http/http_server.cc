#include "net/http/http_server.h"

#include <list>

#include <boost/asio/post.hpp>

#include "base/log.h"
#include "net/event_loop.h"
#include "net/http/server_connection.h"
#include "net/tcp_stream.h"
#include "net/waiter.h"

namespace rescheduler::net {

namespace {

// This many connections above the limit get a 503; further connections are closed without an answer.
constexpr std::size_t kMostRejected = 64;
// When file descriptors run out, the server recovers as connections end. An immediate retry would only use CPU.
constexpr std::chrono::milliseconds kPauseAfterFailedAccept{50};

struct Served {
  std::unique_ptr<ServerConnection> connection;
  Job job;
};

struct Server {
  Server(Executor on, ServerShared with) : executor(std::move(on)), shared(std::move(with)) {}

  void stop_listening() {
    winding_down = true;
    listener->close();
    accepting.cancel();
  }
  void cancel_all() {
    for (const auto& served : connections) {
      served->job.cancel();
      served->connection->close();
    }
  }
  void forget(const std::shared_ptr<Served>& served) {
    connections.remove(served);
    if (!connections.empty()) return;
    for (Waiter* waiter : waiting_for_none) waiter->wake();
  }

  Executor executor;
  ServerShared shared;
  std::unique_ptr<TcpListener> listener;
  Job accepting;
  std::list<std::shared_ptr<Served>> connections;
  std::list<Waiter*> waiting_for_none;
  bool winding_down = false;
};

Task<void> serve(std::shared_ptr<Server> server, std::shared_ptr<Served> served) {
  co_await served->connection->run();
  server->forget(served);
}

void admit(const std::shared_ptr<Server>& server, Accepted accepted) {
  const std::size_t most = server->shared.settings.most_connections;
  const std::size_t now = server->connections.size();
  if (now >= most + kMostRejected) return;  // the destructor closes the connection
  const auto admission = now < most ? ServerConnection::Admission::Serve : ServerConnection::Admission::Reject;
  auto served = std::make_shared<Served>();
  served->connection = std::make_unique<ServerConnection>(server->shared, std::move(accepted), admission);
  server->connections.push_back(served);
  served->job = spawn(server->executor, "http connection", serve(server, served));
}

Task<void> accept_all(std::shared_ptr<Server> server) {
  RealTimers timers;
  while (!server->winding_down) {
    auto accepted = co_await server->listener->accept();
    if (accepted) {
      admit(server, std::move(*accepted));
      continue;
    }
    if (accepted.error().code == Errc::Cancelled) co_return;
    log_warning("http server on port {}: {}", server->listener->port(), accepted.error().message);
    (void)co_await timers.sleep_for(kPauseAfterFailedAccept);  // if cancelled, the next accept reports it
  }
}

// Errc::Timeout or Errc::Cancelled when connections are left.
Task<Result<void>> wait_for_none(std::shared_ptr<Server> server, SteadyTime deadline) {
  if (server->connections.empty()) co_return Result<void>{};
  Waiter waiter(server->executor);
  server->waiting_for_none.push_back(&waiter);
  auto waited = co_await waiter.wait(deadline);
  server->waiting_for_none.remove(&waiter);
  co_return waited;
}

Task<void> stop_server(std::shared_ptr<Server> server, std::chrono::nanoseconds grace) {
  server->stop_listening();
  for (const auto& served : server->connections) served->connection->wind_down();
  auto finished = co_await wait_for_none(server, deadline_after(grace));
  if (finished) co_return;
  server->cancel_all();
  // Handlers may use objects that the caller destroys next: wait without limit, unless the caller is cancelled.
  (void)co_await wait_for_none(server, kNoDeadline);
}

class LoopHttpServer final : public HttpServer {
 public:
  explicit LoopHttpServer(std::shared_ptr<Server> server) : server_(std::move(server)) {}
  // Sockets belong to the loop's thread, but any thread may destroy the server.
  ~LoopHttpServer() override {
    const Executor executor = server_->executor;
    boost::asio::post(executor, [server = std::move(server_)] {
      server->stop_listening();
      server->cancel_all();
    });
  }

  std::uint16_t port() const override { return server_->listener->port(); }
  Task<void> stop(std::chrono::nanoseconds grace) override { return stop_server(server_, grace); }

  Result<void> set_tls(const TlsServerSettings& tls) override {
    auto context = make_server_context(tls);
    if (!context) return fail(std::move(context.error()));
    server_->shared.tls = std::move(*context);
    return {};
  }

 private:
  std::shared_ptr<Server> server_;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> serve_http(Executor executor, HttpServerSettings settings, Handler handler) {
  ServerShared shared{std::move(settings), std::move(handler), nullptr};
  if (shared.settings.tls) {
    auto context = make_server_context(*shared.settings.tls);
    if (!context) return fail(std::move(context.error()));
    shared.tls = std::move(*context);
  }
  auto listener = TcpListener::bind(executor, shared.settings.address, shared.settings.port);
  if (!listener) return fail(std::move(listener.error()));
  auto server = std::make_shared<Server>(executor, std::move(shared));
  server->listener = std::move(*listener);
  server->accepting = spawn(executor, "http accept", accept_all(server));
  return std::make_unique<LoopHttpServer>(std::move(server));
}

}  // namespace rescheduler::net
