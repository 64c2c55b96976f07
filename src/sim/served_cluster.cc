#include "sim/served_cluster.h"

#include <utility>

#include <fmt/format.h>

#include "kube/value/base64.h"
#include "net/tls/certificates.h"
#include "sim/frontend/http_frontend.h"
#include "sim/frontend/local_api.h"
#include "sim/frontend/webhooks/webhooks.h"
#include "sim/time/pacer.h"

namespace rescheduler::sim {
namespace {

constexpr std::chrono::seconds kAuthorityLasts = std::chrono::hours{24 * 365};

net::Task<Result<void>> ran(std::function<void()> look) {
  look();
  co_return Result<void>{};
}

net::Task<Result<void>> stopped(HttpFrontend& frontend) {
  co_await frontend.stop(std::chrono::milliseconds(100));
  co_return Result<void>{};
}

struct Identity {
  std::string ca_pem;
  net::TlsServerSettings tls;
};

Result<Identity> make_identity() {
  auto authority = net::CertificateAuthority::make("embedded cluster", kAuthorityLasts);
  if (!authority) return fail(std::move(authority.error()));
  auto issued = authority->issue({"embedded-apiserver", {}, {"localhost", "127.0.0.1", "::1"}});
  if (!issued) return fail(std::move(issued.error()));
  Identity identity;
  identity.ca_pem = authority->pem();
  identity.tls.certificate_pem = std::move(issued->certificate_pem);
  identity.tls.key_pem = std::move(issued->key_pem);
  return identity;
}

}  // namespace

struct ServedCluster::Parts {
  SystemClock clock;
  std::string ca_pem;
  bool tls = true;
  std::uint16_t port = 0;
  // Created and used on the loop's thread.
  std::unique_ptr<EmbeddedCluster> cluster{};
  std::unique_ptr<WebhookCaller> webhooks{};
  std::unique_ptr<LocalApi> api{};
  std::unique_ptr<Pacer> pacer{};
  std::unique_ptr<HttpFrontend> frontend{};
  net::Job pacing{};
  net::EventLoop loop{};  // last member: its jobs end before the parts they use are destroyed
};

Result<std::unique_ptr<ServedCluster>> ServedCluster::start(ServeSettings settings) {
  auto parts = std::make_unique<Parts>();
  HttpFrontendSettings frontend;
  frontend.http.port = settings.port;
  parts->tls = settings.tls;
  if (settings.tls) {
    auto identity = make_identity();
    if (!identity) return fail(std::move(identity.error()).within("the embedded cluster's certificate"));
    parts->ca_pem = std::move(identity->ca_pem);
    frontend.http.tls = std::move(identity->tls);
  }
  settings.cluster.start = parts->clock.wall_now();

  std::unique_ptr<ServedCluster> served(new ServedCluster(std::move(parts)));
  Parts& made = *served->parts_;
  Result<void> opened;
  served->on_loop([&] {
    made.cluster = std::make_unique<EmbeddedCluster>(settings.cluster);
    made.webhooks = std::make_unique<WebhookCaller>(made.loop.executor(), made.cluster->server());
    made.cluster->server().set_admission(made.webhooks.get());
    made.api = std::make_unique<LocalApi>(made.cluster->server(), made.cluster->documents(), &made.cluster->faults());
    made.cluster->agenda().follow(made.clock, settings.speed);
    made.pacer = std::make_unique<Pacer>(made.cluster->agenda());
    made.pacing = net::spawn(made.loop.executor(), "embedded cluster", made.pacer->run());
    auto listening = HttpFrontend::open(made.loop.executor(), made.cluster->server(), made.cluster->documents(),
                                        &made.cluster->faults(), std::move(frontend));
    if (!listening) {
      opened = fail(std::move(listening.error()));
      return;
    }
    made.frontend = std::move(*listening);
    made.port = made.frontend->port();
  });
  if (!opened) return fail(std::move(opened.error()));
  return served;
}

ServedCluster::ServedCluster(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

ServedCluster::~ServedCluster() {
  if (parts_->frontend) (void)parts_->loop.await_result(stopped(*parts_->frontend));
  parts_->pacing.cancel();
  on_loop([this] {
    parts_->frontend.reset();
    if (parts_->cluster) parts_->cluster->server().set_admission(nullptr);
    parts_->webhooks.reset();  // needs the running loop to close its connections
  });
}

std::string ServedCluster::url() const {
  return fmt::format("{}://127.0.0.1:{}", parts_->tls ? "https" : "http", parts_->port);
}

const std::string& ServedCluster::ca_pem() const { return parts_->ca_pem; }

std::string ServedCluster::kubeconfig() const {
  std::string cluster = fmt::format("    server: {}\n", url());
  if (parts_->tls) cluster += fmt::format("    certificate-authority-data: {}\n", kube::base64_encode(ca_pem()));
  return fmt::format(
      "apiVersion: v1\n"
      "kind: Config\n"
      "clusters:\n"
      "- name: embedded\n"
      "  cluster:\n"
      "{}"
      "users:\n"
      "- name: embedded\n"
      "  user:\n"
      "    token: anybody\n"  // not checked; without credentials kubectl asks for a user name
      "contexts:\n"
      "- name: embedded\n"
      "  context:\n"
      "    cluster: embedded\n"
      "    user: embedded\n"
      "current-context: embedded\n",
      cluster);
}

net::EventLoop& ServedCluster::loop() { return parts_->loop; }
void ServedCluster::on_loop(const std::function<void()>& look) { (void)parts_->loop.await_result(ran(look)); }
EmbeddedCluster& ServedCluster::cluster() { return *parts_->cluster; }
kube::Api& ServedCluster::api() { return *parts_->api; }
HttpFrontend& ServedCluster::frontend() { return *parts_->frontend; }

}  // namespace rescheduler::sim
