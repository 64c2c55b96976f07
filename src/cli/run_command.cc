#include "cli/run_command.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <unistd.h>

#include <fmt/core.h>

#include "base/log.h"
#include "base/version.h"
#include "cli/daemon.h"
#include "cli/stop_signals.h"
#include "kube/config/file.h"
#include "kube/config/in_cluster.h"
#include "placement/registry.h"
#include "scheduler/config/read.h"

namespace rescheduler::cli {
namespace {

constexpr std::size_t kMostConfigBytes = std::size_t{16} << 20U;

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

Result<scheduler::Configuration> configuration_of(const scheduler::RunOptions& options) {
  const auto catalog = scheduler::default_catalog();
  if (options.config.empty()) return scheduler::default_configuration(catalog);
  const auto text = kube::read_whole_file(options.config, kMostConfigBytes);
  if (!text) return fail(text.error());
  auto reading = scheduler::load_configuration(*text, options.config, catalog);
  if (!reading) return fail(std::move(reading.error()));
  for (const kube::YamlRemark& note : reading->notes) log_info("{}: {}", options.config, scheduler::sentence(note));
  return std::move(reading->configuration);
}

// Plugins that a configuration may name but this version does not have. Better said than met.
void leave_out_missing(scheduler::Configuration& configuration) {
  const placement::Registry& registry = placement::Registry::standard();
  for (placement::Profile& profile : configuration.profiles) {
    std::set<std::string> missing;
    for (auto& uses : profile.plugins) {
      std::erase_if(uses, [&](const placement::PluginUse& use) {
        if (registry.find(use.name) != nullptr) return false;
        missing.insert(use.name);
        return true;
      });
    }
    for (const std::string& name : missing) {
      log_warning("profile {}: this version does not have the plugin {} yet; it is left out", profile.scheduler_name,
                  name);
    }
  }
}

Result<DaemonSettings> settings_of(const scheduler::RunOptions& options) {
  auto configuration = configuration_of(options);
  if (!configuration) return fail(std::move(configuration.error()));
  auto applied = scheduler::apply(options, std::move(*configuration));
  if (!applied) return fail(std::move(applied.error()));
  for (const std::string& note : applied->notes) log_info("{}", note);
  leave_out_missing(applied->configuration);
  auto cluster =
      kube::default_config({applied->configuration.client_connection.kubeconfig, {}, kube::process_environment()});
  if (!cluster) return fail(std::move(cluster.error()));
  DaemonSettings settings{options, std::move(applied->configuration), *cluster, *cluster, *cluster, host_name()};
  for (const auto& [path, config] : {std::pair{&options.authentication_kubeconfig, &settings.token_reviews},
                                     std::pair{&options.authorization_kubeconfig, &settings.access_reviews}}) {
    if (path->empty()) continue;
    auto other = kube::default_config({*path, {}, kube::process_environment()});
    if (!other) return fail(std::move(other.error()));
    *config = std::move(*other);
  }
  return settings;
}

int complain(const Error& error) {
  fmt::print(stderr, "rescheduler: {}\n", error.message);
  return 1;
}

}  // namespace

int run_daemon(const scheduler::RunOptions& options) {
  set_log_level(options.verbosity >= 4 ? LogLevel::Debug : LogLevel::Info);
  StopSignals signals;  // before any thread
  auto settings = settings_of(options);
  if (!settings) return complain(settings.error());
  log_info("rescheduler {}: {} ({})", kVersion, settings->cluster.origin.text(), settings->cluster.description);
  auto daemon = Daemon::start(std::move(*settings));
  if (!daemon) return complain(daemon.error());
  if ((*daemon)->port() != 0) log_info("serving on port {}", (*daemon)->port());
  while (!signals.wait_for(std::chrono::milliseconds{200})) {
    if ((*daemon)->lost_the_lead()) break;
  }
  const bool lost = (*daemon)->lost_the_lead();
  if (!lost) log_info("stopping: what was begun is finished");
  const int code = lost ? 1 : 0;
  // What would not end still uses the daemon's parts: they must not go before it.
  if (!(*daemon)->stop()) std::_Exit(code);
  return code;
}

}  // namespace rescheduler::cli
