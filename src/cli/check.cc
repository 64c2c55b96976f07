#include "cli/check.h"

#include <cstdio>

#include <fmt/core.h>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/rng.h"
#include "cli/permissions.h"
#include "kube/client/https_api.h"
#include "kube/config/in_cluster.h"
#include "kube/discovery/self_check.h"
#include "kube/discovery/server_info.h"
#include "net/event_loop.h"

namespace rescheduler::cli {
namespace {

struct Findings {
  kube::ServerVersion version;
  std::size_t resources = 0;
  std::vector<std::string> uncertainties;
  std::vector<kube::Permission> missing;
};

net::Task<Result<Findings>> look_at(kube::Api& api, kube::LoopServices services) {
  Findings findings;
  auto version = co_await kube::read_server_version(api);
  if (!version) co_return fail(std::move(version.error()));
  findings.version = std::move(*version);
  auto resources = co_await kube::discover_resources(api);
  if (!resources) co_return fail(std::move(resources.error()));
  findings.resources = resources->size();
  findings.uncertainties = resources->uncertainties();
  auto missing = co_await kube::find_missing(api, needed_permissions(), services);
  if (!missing) co_return fail(std::move(missing.error()));
  findings.missing = std::move(*missing);
  co_return findings;
}

int complain(const Error& error) {
  fmt::print(stderr, "rescheduler check: {}\n", error.message);
  return 1;
}

int report(const kube::ClientConfig& config, const Findings& findings) {
  fmt::print("cluster      {} ({})\n", config.origin.text(), config.description);
  const auto supported = kube::check_supported(findings.version);
  fmt::print("version      {}{}\n", findings.version.git_version,
             !supported   ? ": " + supported.error().message
             : *supported ? " (" + **supported + ")"
                          : "");
  fmt::print("resources    {} known to the server\n", findings.resources);
  for (const std::string& uncertainty : findings.uncertainties) fmt::print("             unknown: {}\n", uncertainty);
  const std::size_t wanted = needed_permissions().size();
  fmt::print("permissions  {} of {} granted\n", wanted - findings.missing.size(), wanted);
  fmt::print("{}", kube::describe_missing(findings.missing));
  if (!findings.missing.empty()) fmt::print("\n`rescheduler check --role` prints the role that would grant these.\n");
  return supported && findings.missing.empty() ? 0 : 1;
}

int print_role(const std::vector<kube::Permission>& permissions) {
  fmt::print("{}", kube::roles_yaml(permissions, "rescheduler-scheduler", {"kube-system", "rescheduler-scheduler"}));
  return 0;
}

}  // namespace

int run_check(const CheckOptions& options) {
  if (options.print_whole_role) return print_role(needed_permissions());
  const kube::KubeconfigSource source{options.kubeconfig, options.context, kube::process_environment()};
  const auto config = kube::default_config(source);
  if (!config) return complain(config.error());

  MetricRegistry metrics;
  const SystemClock clock;
  Rng rng(static_cast<std::uint64_t>(clock.wall_now().time_since_epoch().count()));
  net::RealTimers timers;
  net::EventLoop loop;
  const kube::LoopServices services{loop.executor(), &timers, &clock, &rng, &metrics};
  auto api = kube::make_https_api(*config, {}, services);
  if (!api) return complain(api.error());
  auto findings = loop.await_result(look_at(**api, services));
  if (!findings) return complain(findings.error());
  if (options.print_role) return print_role(findings->missing);
  return report(*config, *findings);
}

}  // namespace rescheduler::cli
