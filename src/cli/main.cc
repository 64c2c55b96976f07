// The command line: composition only.
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/version.h"
#include "cli/check.h"
#include "cli/selftest.h"

int main(int argc, char** argv) {
  using namespace rescheduler;
  CLI::App app{"rescheduler: schedules pods by real load, and keeps rebalancing what already runs"};
  app.require_subcommand(1);

  auto* version = app.add_subcommand("version", "print the version");
  auto* self_test = app.add_subcommand("self-test", "check that this binary works on this machine; needs no cluster");

  cli::CheckOptions check_options;
  auto* check = app.add_subcommand("check", "check a cluster before installing: reachable, version, permissions");
  check->add_option("--kubeconfig", check_options.kubeconfig,
                    "kubeconfig to use (default: $KUBECONFIG, then in-cluster, then ~/.kube/config)");
  check->add_option("--context", check_options.context, "context of the kubeconfig (default: its current-context)");
  check->add_flag("--role", check_options.print_role,
                  "print the role that would grant what is missing, and nothing else");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem);
  }
  if (version->parsed()) fmt::print("rescheduler {}\n", kVersion);
  if (self_test->parsed()) return cli::run_self_test();
  if (check->parsed()) return cli::run_check(check_options);
  return 0;
}
