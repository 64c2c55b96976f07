// The command line: composition only.
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/version.h"
#include "cli/check.h"
#include "cli/demo_command.h"
#include "cli/explain_command.h"
#include "cli/selftest.h"
#include "cli/sim_command.h"
#include "cli/validate_command.h"

namespace {

using namespace rescheduler;

void add_sim_options(CLI::App& command, cli::SimOptions& options) {
  command.add_option("--nodes", options.nodes, "how many nodes (default: the scenario's, or 3)")
      ->check(CLI::Range(1, 100'000));
  command.add_option("--scenario", options.scenario,
                     "imbalance, pressure, maintenance, failure, seed-12-pods, openb, or a YAML file");
  command.add_option("--kubeconfig-out", options.kubeconfig_out,
                     "write the kubeconfig here (default: a temporary file)");
  command.add_option("--prometheus-config-out", options.prometheus_config_out,
                     "write a Prometheus configuration that scrapes the nodes");
  command.add_option("--port", options.port, "serve on this port of 127.0.0.1 (default: any free one)");
  command.add_flag("--tls,!--no-tls", options.tls, "HTTPS with an authority made for the occasion (default), or HTTP");
  command.add_flag("--place,!--no-place", options.place,
                   "place pending pods (default), or leave them to your scheduler");
  command.add_option("--speed", options.speed, "seconds of cluster time in a second (default: 1)")
      ->check(CLI::Range(0.01, 10'000.0));
  command.add_option("--seed", options.seed, "seed of everything random (default: the scenario's)");
  command.add_option("--for", options.run_for, "end after this much cluster time, such as 90s or 1h");
  command.add_flag("--virtual", options.virtual_time, "virtual time, as fast as it goes; serves nobody; needs --for");
  command.add_option("--journal", options.journal, "write a line for every change to this file");
}

void add_demo_options(CLI::App& command, cli::DemoOptions& options) {
  command.add_option("--scenario", options.scenario,
                     "imbalance (default), pressure, maintenance, failure, seed-12-pods, openb, or a YAML file");
  command.add_option("--nodes", options.nodes, "how many nodes (default: the scenario's)")
      ->check(CLI::Range(1, 100'000));
  command.add_flag("--exit-when-done", options.exit_when_done,
                   "end when the scenario is over and nothing changes any more");
  command
      .add_option("--speed", options.speed, "seconds of cluster time in a second (default: 3 on a terminal, else 10)")
      ->check(CLI::Range(0.01, 1'000.0));
  command.add_option("--seconds", options.seconds, "end after so many seconds in any case")->check(CLI::PositiveNumber);
  command.add_option("--seed", options.seed, "seed of everything random (default: the scenario's)");
  command.add_option("--kubeconfig-out", options.kubeconfig_out, "write a kubeconfig, to look around with kubectl");
}

void add_explain_options(CLI::App& command, cli::ExplainOptions& options) {
  command.add_option("POD", options.pod, "the pod, as NAME or NAMESPACE/NAME; it must be waiting for a node");
  command.add_option("-n,--namespace", options.ns, "namespace of the pod (default: default)");
  command.add_option("--dump", options.dump, "decide in this cluster dump, `kubectl get ... -o json`; - is stdin");
  command.add_option("--batch", options.batch, "decide every *.dump.json of this folder, answers beside them");
  command.add_option("--config", options.config, "KubeSchedulerConfiguration (default: the default profile)");
  command.add_option("-o,--output", options.output, "table (default) or json")->check(CLI::IsMember({"table", "json"}));
  command.add_option("--kubeconfig", options.kubeconfig,
                     "kubeconfig to use (default: $KUBECONFIG, then in-cluster, then ~/.kube/config)");
  command.add_option("--context", options.context, "context of the kubeconfig (default: its current-context)");
}

}  // namespace

int main(int argc, char** argv) {
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

  cli::ValidateOptions validate_options;
  auto* validate = app.add_subcommand("validate", "check a scheduler configuration and print what it comes to");
  validate
      ->add_option("--config", validate_options.config,
                   "a KubeSchedulerConfiguration, or a ConfigMap that holds one; - reads standard input")
      ->required();

  cli::SimOptions sim_options;
  auto* sim = app.add_subcommand("sim", "serve an embedded cluster for kubectl, or run one in virtual time");
  add_sim_options(*sim, sim_options);

  cli::DemoOptions demo_options;
  auto* demo = app.add_subcommand("demo", "watch an embedded cluster live through a scenario");
  add_demo_options(*demo, demo_options);

  cli::ExplainOptions explain_options;
  auto* explain = app.add_subcommand("explain", "why a pod goes where it goes, or nowhere: every node, every plugin");
  add_explain_options(*explain, explain_options);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem);
  }
  if (version->parsed()) fmt::print("rescheduler {}\n", kVersion);
  if (self_test->parsed()) return cli::run_self_test();
  if (check->parsed()) return cli::run_check(check_options);
  if (validate->parsed()) return cli::run_validate(validate_options);
  if (explain->parsed()) return cli::run_explain(explain_options);
  if (sim->parsed()) return cli::run_sim(sim_options);
  if (demo->parsed()) return cli::run_demo(demo_options);
  return 0;
}
