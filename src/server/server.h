// The daemon's port, with TLS and plain HTTP. Health and metrics are served on both; everything else needs TLS and
// credentials (see request_authorizer.h).
//
//   auto server = Server::start(services, &auth, settings);
//   (*server)->readyz().add("informers", [&] { return informers_synced(); });
//   (*server)->add_route({.path = "/configz", .handle = ...});
//   co_await (*server)->stop(std::chrono::seconds{5});
//
// All members belong to the loop's thread, except port() and the destructor. What routes and checks use must live until
// stop() has returned, or as long as the loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/error.h"
#include "kube/client/loop_services.h"
#include "server/health.h"
#include "server/request_authorizer.h"
#include "server/routes.h"
#include "server/serving_certificate.h"

namespace rescheduler::server {

struct ServerSettings {
  std::string address = "0.0.0.0";
  std::uint16_t port = 10259;  // kube-scheduler's port; 0: any free port. To serve no port, start no server.
  ServingFiles files{};
  ExtenderAccess extender{};
  bool open_actions = false;  // Access::Acting for everyone: for a loopback port that serves an embedded cluster
  std::chrono::seconds look_at_files_every{10};
  // A kube-scheduler with an extender that is not nodeCacheCapable sends every node with every pod, about 10 KiB each.
  std::size_t most_body_bytes = std::size_t{256} << 20;
  std::size_t most_connections = 1024;
};

class Server {
 public:
  // Listens at once. `auth` may be null (see RequestAuthorizer) and must outlive the server.
  static Result<std::unique_ptr<Server>> start(kube::LoopServices services,
                                               DelegatedAuth* auth,
                                               ServerSettings settings = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;
  HealthChecks& healthz();
  HealthChecks& livez();
  HealthChecks& readyz();
  void add_route(Route route);
  bool on_loopback() const;  // reachable from this machine only
  // Called when the server begins to stop, to end responses that would not end by themselves.
  void on_stop(std::function<void()> listener);

  // Reads the certificate files now. After an error the port keeps the old certificate.
  Result<void> reload();
  // Accepts no new connection; running requests may finish within `grace`.
  net::Task<void> stop(std::chrono::nanoseconds grace);

 private:
  struct Pages;
  struct Port;
  Server(std::shared_ptr<Pages> pages, std::shared_ptr<Port> port);
  static net::Task<void> call(std::shared_ptr<Pages> pages,
                              const Route& route,
                              const net::HttpRequest& request,
                              const RequestTarget& target,
                              net::Responder& responder);
  static net::Task<void> answer(std::shared_ptr<Pages> pages,
                                const net::HttpRequest& request,
                                net::Responder& responder);
  static net::Task<void> keep_reloading(std::weak_ptr<Port> port, net::Timers& timers, std::chrono::nanoseconds every);

  std::shared_ptr<Pages> pages_;
  std::shared_ptr<Port> port_;
  net::Job reloading_;
};

}  // namespace rescheduler::server
