#include "cli/commands/run_command.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <unistd.h>

#include <fmt/core.h>

#include "base/log.h"
#include "base/version.h"
#include "cli/daemon/daemon.h"
#include "cli/messages.h"
#include "cli/stop_signals.h"
#include "config/read.h"
#include "kube/config/file.h"
#include "kube/config/in_cluster.h"
#include "placement/registry.h"

namespace rescheduler::cli {
namespace {

constexpr std::size_t kMostConfigBytes = std::size_t{16} << 20U;

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

Result<config::Configuration> configuration_of(const config::RunOptions& options) {
  const config::PluginCatalog& catalog = config::default_catalog();
  if (options.config.empty()) return config::default_configuration(catalog);
  const auto text = kube::read_whole_file(options.config, kMostConfigBytes);
  if (!text) return fail(text.error());
  auto reading = config::load_configuration(*text, options.config, catalog);
  if (!reading) return fail(std::move(reading.error()));
  for (const kube::YamlRemark& note : reading->notes)
    log_info(messages::kConfigNote, {{"file", options.config}, {"note", config::sentence(note)}});
  return std::move(reading->configuration);
}

// Removes plugins that this version does not have, and logs them.
void leave_out_missing(config::Configuration& configuration) {
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
      log_warning(messages::kPluginLeftOut, {{"profile", profile.scheduler_name}, {"plugin", name}});
    }
  }
}

// A flag overrides the file.
void apply_log_settings(const config::LogSettings& log, const config::RunOptions& options) {
  set_log_language(log.language);
  if (!options.logging_format && log.json) set_log_format(LogFormat::Json);
}

void log_start(const DaemonSettings& settings) {
  log_info(messages::kStarting,
           {{"version", kVersion}, {"server", settings.cluster.origin.text()}, {"from", settings.cluster.description}});
  for (const config::Profile& profile : settings.configuration.profiles) {
    if (profile.rescheduler) log_info(messages::kPluginReady, {{"profile", profile.scheduler_name}});
  }
}

Result<DaemonSettings> settings_of(const config::RunOptions& options) {
  auto configuration = configuration_of(options);
  if (!configuration) return fail(std::move(configuration.error()));
  apply_log_settings(configuration->rescheduler.log, options);
  auto applied = config::apply(options, std::move(*configuration));
  if (!applied) return fail(std::move(applied.error()));
  for (const std::string& note : applied->notes) log_info(messages::kConfigNote, {{"note", note}});
  leave_out_missing(applied->configuration);
  auto cluster =
      kube::default_config({applied->configuration.client_connection.kubeconfig, {}, kube::process_environment()});
  if (!cluster) return fail(std::move(cluster.error()));
  DaemonSettings settings{options, std::move(applied->configuration), *cluster, *cluster, *cluster, host_name(), {}};
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

int run_daemon(const config::RunOptions& options) {
  set_log_verbosity(options.verbosity);
  if (options.logging_format == "json") set_log_format(LogFormat::Json);
  StopSignals signals;  // before any thread starts
  auto settings = settings_of(options);
  if (!settings) return complain(settings.error());
  log_start(*settings);
  settings->on_lost_lead = [] { StopSignals::wake(); };
  auto daemon = Daemon::start(std::move(*settings));
  if (!daemon) return complain(daemon.error());
  if ((*daemon)->port() != 0) log_info(messages::kServing, {{"port", (*daemon)->port()}});
  signals.wait();
  const bool lost = (*daemon)->lost_the_lead();
  if (!lost) log_info(messages::kStopping);
  const int code = lost ? 1 : 0;
  // Operations that did not end still use the daemon, so its destructor must not run.
  if (!(*daemon)->stop()) std::_Exit(code);
  return code;
}

}  // namespace rescheduler::cli
