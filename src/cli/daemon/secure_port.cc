#include "cli/daemon/secure_port.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/effective.h"
#include "config/rescheduler_settings.h"
#include "dashboard/settings_view.h"
#include "kube/config/file.h"
#include "rescheduling/planning/plan_json.h"
#include "server/extender_routes.h"

namespace rescheduler::cli {
namespace {

constexpr std::chrono::seconds kServingGrace{2};

// The text of the configuration file now; the file can have changed since the start. Empty: no file.
std::string text_of(const config::RunOptions& options) {
  constexpr std::size_t kMostBytes = std::size_t{16} << 20U;
  if (options.config.empty()) return {};
  return kube::read_whole_file(options.config, kMostBytes).value_or("");
}

// The last plans of the leader, acted on and observed, and the brakes that hold.
net::Task<net::HttpResponse> rescheduling_page(const rescheduling::Controller* controller) {
  std::string holding;
  std::string acted_on = "null";
  std::string observed = "null";
  if (controller != nullptr) {
    const rescheduling::ControllerStatus& now = controller->status();
    if (now.acted_on) acted_on = rescheduling::to_json(*now.acted_on);
    if (now.observed) observed = rescheduling::to_json(*now.observed);
    for (const rescheduling::ActiveBrake& one : now.holding) {
      holding += fmt::format("{}\"{}\"", holding.empty() ? "" : ",", to_string(one.brake));
    }
  }
  co_return server::json_response(
      200, fmt::format(R"({{"actedOn":{},"observed":{},"brakes":[{}]}})", acted_on, observed, holding));
}

net::Task<net::HttpResponse> configz(const config::Configuration& configuration) {
  co_return server::text_response(200, config::effective_configuration(configuration, config::default_catalog()));
}

}  // namespace

Result<std::unique_ptr<SecurePort>> SecurePort::listen(const DaemonSettings& settings,
                                                       server::DelegatedAuth auth,
                                                       const kube::LoopServices& services) {
  std::unique_ptr<SecurePort> made(new SecurePort(std::move(auth)));
  const config::RunOptions& options = settings.options;
  server::ServerSettings serving;
  serving.address = options.bind_address;
  serving.port = static_cast<std::uint16_t>(options.secure_port);
  serving.files = {options.tls_cert_file, options.tls_private_key_file, options.client_ca_file};
  auto started = server::Server::start(services, &made->auth_, std::move(serving));
  if (!started) return fail(std::move(started.error()));
  made->server_ = std::move(*started);
  return made;
}

void SecurePort::serve(Composition& composition, std::function<dashboard::LeaderStatus()> leader, kube::Api& api) {
  server_->readyz().add("informers", [&composition]() -> Result<void> {
    const std::vector<std::string> resources = composition.scheduler().not_synced();
    if (resources.empty()) return {};
    return fail(Errc::Unavailable, "informers not synced: {}", fmt::join(resources, ", "));
  });
  server_->readyz().add("shutdown", [this]() -> Result<void> {
    if (!stopping_) return {};
    return fail(Errc::Unavailable, "this process is shutting down");
  });
  server_->readyz().add_note("load", [&composition] { return composition.scheduler().load_status(); });
  server_->readyz().add_note("recovery", [&composition, leader]() -> std::optional<std::string> {
    return leader().here ? composition.recovery_status() : std::nullopt;
  });
  server_->readyz().add_note("webhook", [&composition, leader]() -> std::optional<std::string> {
    return leader().here ? composition.webhook_status() : std::nullopt;
  });
  server_->readyz().add_note("rescheduling",
                             [&composition, leader = std::move(leader)]() -> std::optional<std::string> {
                               const auto* controller = composition.controller();
                               if (controller == nullptr || !leader().here) return std::nullopt;
                               return controller->status_text();
                             });
  server_->add_route(
      {.path = "/configz", .handle = [&composition](const net::HttpRequest&, const server::RequestTarget&) {
         return configz(composition.configuration());
       }});
  server_->add_route(
      {.path = "/rescheduling", .handle = [&composition](const net::HttpRequest&, const server::RequestTarget&) {
         return rescheduling_page(composition.controller());
       }});
  extender_ = std::make_unique<server::PluginExtender>(composition.scheduler(), api);
  server::add_extender_routes(*server_, *extender_);
}

void SecurePort::serve(const InstallationMonitor& monitor) {
  for (const std::string_view part : kInstallationParts) {
    server_->readyz().add_note(std::string(part), [&monitor, part] { return monitor.text(part); });
  }
}

net::Task<bool> SecurePort::stop(std::chrono::nanoseconds grace) {
  co_await server_->stop(std::min<std::chrono::nanoseconds>(grace, kServingGrace));
  co_return true;
}

std::optional<LiveDashboardSettings> dashboard_settings(const DaemonSettings& settings,
                                                        kube::Api& api,
                                                        kube::Api& events,
                                                        const kube::LoopServices& services) {
  const config::ReschedulerSettings& product = settings.configuration.rescheduler;
  if (!product.dashboard.enabled) return std::nullopt;
  const auto& lease = settings.configuration.leader_election;
  LiveDashboardSettings made{.parts = {.executor = services.executor}, .actions = {.api = &api, .services = services}};
  made.parts.clock = services.clock;
  made.parts.api = &api;
  made.parts.lease_namespace = lease.resource_namespace;
  made.parts.lease_name = lease.resource_name;
  made.parts.model.cluster = settings.cluster.origin.text();
  made.parts.model.boot = fmt::format("{:x}", services.clock->wall_now().time_since_epoch().count());
  made.parts.model.pools = product.rescheduling.pools;
  made.parts.model.weights = product.placing.balance_weights();
  made.parts.grafana = product.dashboard.grafana;
  made.parts.settings_json = dashboard::settings_json(settings.configuration, config::default_catalog(),
                                                      settings.options, text_of(settings.options), "file");
  made.actions.events = &events;
  made.actions.ns = lease.resource_namespace;
  made.actions.lease = lease.resource_name;
  made.actions.host = settings.host;
  return made;
}

}  // namespace rescheduler::cli
