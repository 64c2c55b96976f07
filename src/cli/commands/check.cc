#include "cli/commands/check.h"

#include <cstdio>

#include <fmt/core.h>

#include "cli/connection.h"
#include "cli/daemon/permissions.h"
#include "kube/discovery/self_check.h"
#include "kube/discovery/server_info.h"

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
  if (!findings.missing.empty())
    fmt::print("\n`rescheduler check --role` prints a ClusterRole that grants the missing permissions.\n");
  return supported && findings.missing.empty() ? 0 : 1;
}

const kube::RoleSubject kAccount{"kube-system", "rescheduler-scheduler"};

int print_whole_role() {
  fmt::print("{}", kube::roles_yaml(needed_permissions(), kAccount.service_account, kAccount));
  return 0;
}

// FNV-1a: the same permissions give the same name on every machine and in every build.
std::string addition_name(const std::vector<kube::Permission>& missing) {
  std::uint32_t hash = 2166136261U;
  for (const kube::Permission& one : missing) {
    for (const char byte : kube::describe(one) + '\n') hash = (hash ^ static_cast<unsigned char>(byte)) * 16777619U;
  }
  return fmt::format("{}-addition-{:08x}", kAccount.service_account, hash);
}

// The name of the role depends on its permissions. So `kubectl apply` replaces neither the role of the manifests nor an
// earlier addition.
int print_addition(const std::vector<kube::Permission>& missing) {
  if (missing.empty()) {
    fmt::print(stderr, "rescheduler check: no permission is missing; there is no ClusterRole to add\n");
    return 0;
  }
  fmt::print(
      "# Permissions that rescheduler needs and that the user of this kubeconfig does not have, for ServiceAccount "
      "{}/{}.\n"
      "# Pipe them into `kubectl apply -f -` to add them to the granted permissions. `rescheduler check --whole-role`\n"
      "# prints all permissions, under the name that the manifests use.\n{}",
      kAccount.ns, kAccount.service_account, kube::roles_yaml(missing, addition_name(missing), kAccount));
  return 0;
}

}  // namespace

int run_check(const CheckOptions& options) {
  if (options.print_whole_role) return print_whole_role();
  const auto config = cluster_named(options.kubeconfig, options.context);
  if (!config) return complain(config.error());
  Connection connection;
  const auto api = connection.open(*config);
  if (!api) return complain(api.error());
  auto findings = connection.await(look_at(**api, connection.services()));
  if (!findings) return complain(findings.error());
  if (options.print_role) return print_addition(findings->missing);
  return report(*config, *findings);
}

}  // namespace rescheduler::cli
