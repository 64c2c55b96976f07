#include "server/server.h"

#include <algorithm>

#include "base/log.h"
#include "net/http/http_server.h"

namespace rescheduler::server {

// Routes and checks. Every request in progress keeps them alive, even after the server is destroyed.
struct Server::Pages {
  Pages(DelegatedAuth* auth, ExtenderAccess extender, BrowserAccess the_browser)
      : browser(the_browser), admission(routes, auth, std::move(extender), the_browser) {}

  Routes routes;
  HealthChecks healthz{"healthz"};
  HealthChecks livez{"livez"};
  HealthChecks readyz{"readyz"};
  BrowserAccess browser;
  RequestAuthorizer admission;
  std::vector<std::function<void()>> at_stop{};
};

struct Server::Port {
  Result<void> reload() {
    auto changed = certificate.changed();
    if (!changed) return fail(std::move(changed.error()));
    if (!*changed) return {};
    auto used = http->set_tls(**changed);
    if (!used) return used;
    certificate.adopt(std::move(**changed));
    log_info("the serving certificate of port {} was renewed", http->port());
    return {};
  }

  ServingCertificate certificate;
  std::unique_ptr<net::HttpServer> http;
};

namespace {

net::Task<net::HttpResponse> health_page(const HealthChecks& checks, const RequestTarget& target) {
  co_return checks.answer(target);
}

net::Task<net::HttpResponse> metrics_page(const MetricRegistry& metrics) {
  net::HttpResponse page = text_response(200, metrics.text());
  page.headers.set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
  co_return page;
}

void add_health(Routes& routes, const std::string& path, const HealthChecks& checks) {
  for (const char* below : {"", "/"}) {
    Route route;
    route.path = path + below;
    route.access = Access::Open;
    route.handle = [&checks](const net::HttpRequest&, const RequestTarget& target) {
      return health_page(checks, target);
    };
    routes.add(std::move(route));
  }
}

}  // namespace

namespace {

net::Task<bool> still(RequestAuthorizer& admission,
                      UserInfoPtr user_info,
                      Access access,
                      std::string verb,
                      std::string path) {
  auto allowed = co_await admission.would_allow(std::move(user_info), access, std::move(verb), std::move(path));
  co_return !allowed || *allowed;
}

}  // namespace

net::Task<void> Server::call(std::shared_ptr<Pages> pages,
                             const Route& route,
                             const net::HttpRequest& request,
                             const RequestTarget& target,
                             net::Responder& responder) {
  const CallHandler handle = route.call;  // a copy, because routes may be added during the call
  const Access access = route.access;
  Caller caller;
  auto user_info = co_await pages->admission.user_info(request);
  caller.user_info = user_info;
  caller.still_allowed = [pages, access, user_info, path = target.path] {
    return still(pages->admission, user_info, access, "get", path);
  };
  caller.would_allow = [pages, user_info](std::string verb, std::string path) {
    const Access asked = verb == "get" ? Access::Reading : Access::Acting;
    return pages->admission.would_allow(user_info, asked, std::move(verb), std::move(path));
  };
  co_await handle(request, target, caller, responder);
}

net::Task<void> Server::answer(std::shared_ptr<Pages> pages,
                               const net::HttpRequest& request,
                               net::Responder& responder) {
  const auto target = parse_target(request.target);
  const Route* route = target ? pages->routes.find(target->path) : nullptr;
  net::HttpResponse page;
  if (route == nullptr) {
    page = text_response(404, "Not found.\n");
  } else if (std::ranges::find(route->methods, request.method) == route->methods.end()) {
    page = method_not_allowed(*route);
  } else if (route->call) {
    co_await call(pages, *route, request, *target, responder);
    co_return;
  } else {
    const RouteHandler handle = route->handle;  // a copy, because routes may be added during the call
    page = co_await handle(request, *target);
  }
  (void)co_await responder.send(std::move(page));  // a client that has disconnected needs no answer
}

// Runs while the port exists. If the files are unusable, the port keeps the old certificate; one warning is logged.
net::Task<void> Server::keep_reloading(std::weak_ptr<Port> port, net::Timers& timers, std::chrono::nanoseconds every) {
  bool warned = false;
  for (;;) {
    auto slept = co_await timers.sleep_for(every);
    const auto held = port.lock();
    if (!slept || !held) co_return;
    auto reloaded = held->reload();
    if (!reloaded && !std::exchange(warned, true)) {
      log_warning("the renewed serving certificate is not used: {}", reloaded.error().message);
    }
    if (reloaded) warned = false;
  }
}

Server::Server(std::shared_ptr<Pages> pages, std::shared_ptr<Port> port)
    : pages_(std::move(pages)), port_(std::move(port)) {}

Server::~Server() { reloading_.cancel(); }

Result<std::unique_ptr<Server>> Server::start(kube::LoopServices services,
                                              DelegatedAuth* auth,
                                              ServerSettings settings) {
  auto certificate = ServingCertificate::load(settings.files);
  if (!certificate) return fail(std::move(certificate.error()));
  const BrowserAccess browser{is_loopback(settings.address), is_loopback(settings.address) && settings.open_actions};
  auto pages = std::make_shared<Pages>(auth, std::move(settings.extender), browser);
  add_health(pages->routes, "/healthz", pages->healthz);
  add_health(pages->routes, "/livez", pages->livez);
  add_health(pages->routes, "/readyz", pages->readyz);
  Route metrics;
  metrics.path = "/metrics";
  metrics.access = Access::Open;
  metrics.handle = [registry = services.metrics](const net::HttpRequest&, const RequestTarget&) {
    return metrics_page(*registry);
  };
  pages->routes.add(std::move(metrics));

  net::HttpServerSettings http;
  http.address = std::move(settings.address);
  http.port = settings.port;
  http.tls = certificate->tls();
  http.allow_plain = true;
  http.most_connections = settings.most_connections;
  http.most_body_bytes = settings.most_body_bytes;
  http.gatekeeper = [pages](const net::HttpRequest& head, const net::PeerIdentity& peer) {
    return pages->admission.check(head, peer);
  };
  net::Handler handler = [pages](const net::HttpRequest& request, const net::PeerIdentity&, net::Responder& responder) {
    return answer(pages, request, responder);
  };
  auto serving = net::serve_http(services.executor, std::move(http), std::move(handler));
  if (!serving) return fail(std::move(serving.error()));
  auto port = std::make_shared<Port>(Port{std::move(*certificate), std::move(*serving)});
  std::unique_ptr<Server> server(new Server(std::move(pages), port));
  server->reloading_ = net::spawn(services.executor, "certificate files",
                                  keep_reloading(port, *services.timers, settings.look_at_files_every));
  return server;
}

std::uint16_t Server::port() const { return port_->http->port(); }
HealthChecks& Server::healthz() { return pages_->healthz; }
HealthChecks& Server::livez() { return pages_->livez; }
HealthChecks& Server::readyz() { return pages_->readyz; }
void Server::add_route(Route route) { pages_->routes.add(std::move(route)); }
bool Server::on_loopback() const { return pages_->browser.loopback; }
void Server::on_stop(std::function<void()> listener) { pages_->at_stop.push_back(std::move(listener)); }
Result<void> Server::reload() { return port_->reload(); }

net::Task<void> Server::stop(std::chrono::nanoseconds grace) {
  reloading_.cancel();
  for (const auto& listener : pages_->at_stop) listener();
  co_await port_->http->stop(grace);
}

}  // namespace rescheduler::server
