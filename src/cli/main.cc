// The command line: composition only.
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>

#include "base/version.h"
#include "cli/commands/check.h"
#include "cli/commands/demo_command.h"
#include "cli/commands/migrations_command.h"
#include "cli/commands/run_command.h"
#include "cli/commands/selftest.h"
#include "cli/commands/sim_command.h"
#include "cli/commands/validate_command.h"
#include "cli/doctor/doctor_command.h"
#include "cli/explain/explain_command.h"
#include "cli/plan/plan_command.h"
#include "config/reference.h"
#include "config/rescheduling_settings.h"
#include "config/tables.h"

namespace {

using namespace rescheduler;

void add_sim_options(CLI::App& command, cli::SimOptions& options) {
  command.add_option("--nodes", options.nodes, "how many nodes (default: the scenario's, or 3)")
      ->check(CLI::Range(1, 100'000));
  command.add_option("--pods", options.pods, "so many plain pods besides, spread over the nodes")
      ->check(CLI::Range(1, 1'000'000));
  command.add_option("--ui-port", options.ui_port, "serve its pages on this port of 127.0.0.1; 0: any (default: none)");
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
  command.add_flag("--rescheduling,!--no-rescheduling", options.reschedule,
                   "also move what runs to where it should be, at the pace of a demo (default: no)");
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
  command.add_flag("--no-rescheduling", options.no_rescheduling, "place pods, and never move them");
  command.add_option("--ui-port", options.ui_port,
                     "serve its pages on this port of 127.0.0.1; 0: any (default: 8088, or any if that one is taken)");
  command.add_flag("--no-ui", options.no_ui, "serve no pages");
}

// kube-scheduler's flags, by its names.
void add_run_options(CLI::App& command, config::RunOptions& options) {
  command.add_option("--config", options.config, "KubeSchedulerConfiguration file");
  command.add_option("--kubeconfig", options.kubeconfig,
                     "kubeconfig (default: $KUBECONFIG, in-cluster, ~/.kube/config)");
  command.add_option("--leader-elect", options.leader_elect, "lead only while holding the lease (default: true)");
  command.add_option("--leader-elect-lease-duration", options.leader_elect_lease_duration, "as 15s");
  command.add_option("--leader-elect-renew-deadline", options.leader_elect_renew_deadline, "as 10s");
  command.add_option("--leader-elect-retry-period", options.leader_elect_retry_period, "as 2s");
  command.add_option("--leader-elect-resource-lock", options.leader_elect_resource_lock, "leases; nothing else exists");
  command.add_option("--leader-elect-resource-name", options.leader_elect_resource_name, "name of the lease");
  command.add_option("--leader-elect-resource-namespace", options.leader_elect_resource_namespace, "its namespace");
  command.add_option("--kube-api-qps", options.kube_api_qps, "requests per second (default: 50)");
  command.add_option("--kube-api-burst", options.kube_api_burst, "requests in a burst (default: 100)");
  command.add_option("--kube-api-content-type", options.kube_api_content_type, "protobuf (default) or JSON media type");
  command.add_option("--profiling", options.profiling, "accepted; there is no profiling endpoint");
  command.add_option("--bind-address", options.bind_address, "address to serve on (default: 0.0.0.0)");
  command.add_option("--secure-port", options.secure_port, "port to serve on (default: 10259); 0: serve nothing");
  command.add_option("--tls-cert-file", options.tls_cert_file, "certificate (default: signed by itself)");
  command.add_option("--tls-private-key-file", options.tls_private_key_file, "its key");
  command.add_option("--client-ca-file", options.client_ca_file, "whose client certificates may use /extender/");
  command.add_option("--authentication-kubeconfig", options.authentication_kubeconfig, "for token reviews");
  command.add_option("--authorization-kubeconfig", options.authorization_kubeconfig, "for access reviews");
  command.add_option("-v,--v", options.verbosity, "log verbosity (default: 0); 2: a line for each decision; 4: why");
  command.add_option("--logging-format,--log-format", options.logging_format, "text (default) or json")
      ->check(CLI::IsMember({"text", "json"}));
  command.add_flag("--logtostderr,!--no-logtostderr", options.log_to_stderr, "accepted: logs always go to stderr");
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

void add_plan_options(CLI::App& command, cli::PlanOptions& options) {
  command.add_option(
      "-f,--filename", options.files,
      "plan for this cluster dump, `kubectl get nodes,pods,... -A -o json|yaml`; - is stdin; repeatable");
  command.add_option("--usage", options.usage,
                     "what nodes use: FILE, prometheus=URL, metrics-server or requests (default: the best there is)");
  command
      .add_option("--strategies", options.strategies,
                  fmt::format("{} (default: those enabled)", fmt::join(config::strategy_names(), ", ")))
      ->delimiter(',');
  command.add_option("--config", options.config, "KubeSchedulerConfiguration (default: the default profile)");
  command.add_option("--moves", options.moves, "at most so many moves (default: as many as it takes)");
  command.add_option("-o,--output", options.output, "table (default), json or yaml")
      ->check(CLI::IsMember({"table", "json", "yaml"}));
  command.add_option("--kubeconfig", options.kubeconfig,
                     "kubeconfig to use (default: $KUBECONFIG, then in-cluster, then ~/.kube/config)");
  command.add_option("--context", options.context, "context of the kubeconfig (default: its current-context)");
}

void add_migrations_options(CLI::App& command, cli::MigrationsOptions& options) {
  command.add_option("ACTION", options.action, "list (default), show or cancel")
      ->check(CLI::IsMember({"list", "show", "cancel"}));
  command.add_option("NAME", options.name, "the migration, as NAME or NAMESPACE/NAME, for show and cancel");
  command.add_option("-n,--namespace", options.ns, "only this namespace (default: all)");
  command.add_option("--kubeconfig", options.kubeconfig, "kubeconfig to use");
  command.add_option("--context", options.context, "context of the kubeconfig (default: its current-context)");
}

void add_doctor_options(CLI::App& command, cli::DoctorOptions& options) {
  command.add_option("-n,--namespace", options.ns, "where it is or shall be installed (default: kube-system)");
  command.add_option("--config", options.config, "judge this file instead of the ConfigMap in the cluster");
  command.add_option("--as-service-account", options.as_service_account,
                     "NAMESPACE/NAME: whose permissions to look at (default: the kubeconfig's user)");
  command.add_option("-o,--output", options.output, "table (default) or json")->check(CLI::IsMember({"table", "json"}));
  command.add_option("--kubeconfig", options.kubeconfig,
                     "kubeconfig to use (default: $KUBECONFIG, then in-cluster, then ~/.kube/config)");
  command.add_option("--context", options.context, "context of the kubeconfig (default: its current-context)");
}

void add_move_options(CLI::App& command, cli::MoveOptions& options) {
  command.add_option("POD", options.pod, "the pod, as NAME or NAMESPACE/NAME")->required();
  command.add_option("--to", options.to, "the node it shall go to")->required();
  command.add_option("--mode", options.mode, "Automatic (default), Coordinated, MakeBeforeBreak or Direct")
      ->check(CLI::IsMember({"Automatic", "Coordinated", "MakeBeforeBreak", "Direct"}));
  command.add_option("-n,--namespace", options.ns, "namespace of the pod (default: default)");
  command.add_option("--deadline", options.deadline, "seconds it may take (default: 600)")->check(CLI::PositiveNumber);
  command.add_flag("--wait", options.wait, "wait for its end; the exit code says whether the pod was moved");
  command.add_option("--kubeconfig", options.kubeconfig, "kubeconfig to use");
  command.add_option("--context", options.context, "context of the kubeconfig (default: its current-context)");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"rescheduler: schedules pods by real load, and keeps rebalancing what already runs"};
  app.require_subcommand(0, 1);

  // Manifests start it as `rescheduler --config=...`, without a word: that is `run`.
  config::RunOptions run_options;
  add_run_options(app, run_options);
  auto* run = app.add_subcommand("run", "schedule pods: the daemon");
  add_run_options(*run, run_options);

  auto* version = app.add_subcommand("version", "print the version");
  auto* self_test = app.add_subcommand("self-test", "check that this binary works on this machine; needs no cluster");

  cli::CheckOptions check_options;
  auto* check = app.add_subcommand("check", "check a cluster before installing: reachable, version, permissions");
  check->add_option("--kubeconfig", check_options.kubeconfig,
                    "kubeconfig to use (default: $KUBECONFIG, then in-cluster, then ~/.kube/config)");
  check->add_option("--context", check_options.context, "context of the kubeconfig (default: its current-context)");
  check->add_flag("--role", check_options.print_role,
                  "print only what is missing, as a role to add with `kubectl apply -f -`; replaces nothing");
  check->add_flag("--whole-role", check_options.print_whole_role,
                  "print the role that grants all it needs, as the manifests have it; needs no cluster");

  cli::DoctorOptions doctor_options;
  auto* doctor =
      app.add_subcommand("doctor", "check a cluster before and after installing; says how to mend what is wrong");
  add_doctor_options(*doctor, doctor_options);

  std::string reference_language = "en";
  auto* config_command = app.add_subcommand("config", "what a configuration may hold");
  auto* reference = config_command->add_subcommand("reference", "print every field: type, default, range, meaning");
  reference->add_option("--language", reference_language, "en (default) or zh")->check(CLI::IsMember({"en", "zh"}));
  auto* schema = config_command->add_subcommand("schema", "print the JSON Schema of the plugin Rescheduler's settings");
  config_command->require_subcommand(1);

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

  cli::PlanOptions plan_options;
  auto* plan = app.add_subcommand("plan", "which pods would be moved where, and why; changes nothing");
  add_plan_options(*plan, plan_options);

  cli::MigrationsOptions migrations_options;
  auto* migrations = app.add_subcommand("migrations", "what is being moved, and what was");
  add_migrations_options(*migrations, migrations_options);

  cli::MoveOptions move_options;
  auto* move = app.add_subcommand("move", "move one pod to a node of your choice; the daemon carries it out");
  add_move_options(*move, move_options);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem);
  }
  if (run->parsed() || app.get_subcommands().empty()) {
    if (argc == 1) {
      fmt::print("{}", app.help());
      return 2;
    }
    return cli::run_daemon(run_options);
  }
  if (version->parsed()) fmt::print("rescheduler {}\n", kVersion);
  if (self_test->parsed()) return cli::run_self_test();
  if (check->parsed()) return cli::run_check(check_options);
  if (doctor->parsed()) return cli::run_doctor(doctor_options);
  if (reference->parsed()) {
    const Language language = reference_language == "zh" ? Language::Chinese : Language::English;
    fmt::print("{}", config::reference_page(config::default_catalog(), language));
  }
  if (schema->parsed()) fmt::print("{}\n", config::schema_of(config::rescheduler_table()));
  if (validate->parsed()) return cli::run_validate(validate_options);
  if (explain->parsed()) return cli::run_explain(explain_options);
  if (plan->parsed()) return cli::run_plan(plan_options);
  if (migrations->parsed()) return cli::run_migrations(migrations_options);
  if (move->parsed()) return cli::run_move(move_options);
  if (sim->parsed()) return cli::run_sim(sim_options);
  if (demo->parsed()) return cli::run_demo(demo_options);
  return 0;
}
