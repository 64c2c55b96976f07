// Parses the command line and runs the command.
#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>

#include "base/check.h"
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

// Options that several commands share, with the same name and text.
struct SharedOption {
  std::string_view name;
  std::string_view text;
};
constexpr std::array kSharedOptions = {
    SharedOption{"--config", "KubeSchedulerConfiguration file (default: the default profile)"},
    SharedOption{"--kubeconfig", "kubeconfig to use (default: $KUBECONFIG, then in-cluster, then ~/.kube/config)"},
    SharedOption{"--context", "context of the kubeconfig (default: its current-context)"},
    SharedOption{"-n,--namespace", "namespace of the pod (default: default)"},
    SharedOption{"-o,--output", "output format (default: table)"},
    SharedOption{"--scenario",
                 "imbalance (default of demo), pressure, maintenance, failure, seed-12-pods, openb, or a YAML file"},
    SharedOption{"--seed", "seed of the random numbers (default: the seed of the scenario)"},
};

template <class T>
CLI::Option* shared(CLI::App& command, std::string_view name, T& into) {
  const auto* const found = std::ranges::find(kSharedOptions, name, &SharedOption::name);
  RESCHEDULER_CHECK(found != kSharedOptions.end(), "{} is no shared option", name);
  return command.add_option(std::string(name), into, std::string(found->text));
}

void add_sim_options(CLI::App& command, cli::SimOptions& options) {
  command.add_option("--nodes", options.nodes, "number of nodes (default: the scenario's, or 3)")
      ->check(CLI::Range(1, 100'000));
  command.add_option("--pods", options.pods, "number of additional pods to create, spread over the nodes")
      ->check(CLI::Range(1, 1'000'000));
  command.add_option("--ui-port", options.ui_port,
                     "serve the dashboard on this port of 127.0.0.1; 0: any free port (default: no dashboard)");
  shared(command, "--scenario", options.scenario);
  command.add_option("--kubeconfig-out", options.kubeconfig_out,
                     "write the kubeconfig here (default: a temporary file)");
  command.add_option("--prometheus-config-out", options.prometheus_config_out,
                     "write a Prometheus configuration that scrapes the nodes");
  command.add_option("--port", options.port, "serve the API on this port of 127.0.0.1 (default: any free port)");
  command.add_flag("--tls,!--no-tls", options.tls, "HTTPS with a temporary certificate authority (default), or HTTP");
  command.add_flag("--place,!--no-place", options.place,
                   "place pending pods (default), or leave them to your scheduler");
  command.add_flag("--rescheduling,!--no-rescheduling", options.reschedule,
                   "also reschedule running pods, with the short intervals of a demo (default: no)");
  command.add_option("--speed", options.speed, "seconds of cluster time in a second (default: 1)")
      ->check(CLI::Range(0.01, 10'000.0));
  shared(command, "--seed", options.seed);
  command.add_option("--for", options.run_for, "end after this much cluster time, such as 90s or 1h");
  command.add_flag("--virtual", options.virtual_time,
                   "run in virtual time, as fast as possible, without serving an API; needs --for");
  command.add_option("--journal", options.journal, "write one line for each change of an object to this file");
}

void add_demo_options(CLI::App& command, cli::DemoOptions& options) {
  shared(command, "--scenario", options.scenario);
  command.add_option("--nodes", options.nodes, "number of nodes (default: the scenario's)")
      ->check(CLI::Range(1, 100'000));
  command.add_flag("--exit-when-done", options.exit_when_done,
                   "end when the scenario is over and nothing changes any more");
  command
      .add_option("--speed", options.speed, "seconds of cluster time in a second (default: 3 on a terminal, else 10)")
      ->check(CLI::Range(0.01, 1'000.0));
  command.add_option("--seconds", options.seconds, "end after this number of seconds")->check(CLI::PositiveNumber);
  shared(command, "--seed", options.seed);
  command.add_option("--kubeconfig-out", options.kubeconfig_out, "write a kubeconfig for kubectl");
  command.add_flag("--no-rescheduling", options.no_rescheduling, "schedule pods and do not move running ones");
  command.add_option("--ui-port", options.ui_port,
                     "serve the dashboard on this port of 127.0.0.1; 0: any free port (default: 8088 if it is free)");
  command.add_flag("--no-ui", options.no_ui, "serve no dashboard");
}

// The flags of kube-scheduler, with the same names.
void add_run_options(CLI::App& command, config::RunOptions& options) {
  shared(command, "--config", options.config);
  shared(command, "--kubeconfig", options.kubeconfig);
  command.add_option("--leader-elect", options.leader_elect, "lead only while holding the lease (default: true)");
  command.add_option("--leader-elect-lease-duration", options.leader_elect_lease_duration,
                     "duration of the lease, such as 15s");
  command.add_option("--leader-elect-renew-deadline", options.leader_elect_renew_deadline,
                     "time within which the leader must renew the lease, such as 10s");
  command.add_option("--leader-elect-retry-period", options.leader_elect_retry_period,
                     "time between two attempts to get or renew the lease, such as 2s");
  command.add_option("--leader-elect-resource-lock", options.leader_elect_resource_lock, "only leases is supported");
  command.add_option("--leader-elect-resource-name", options.leader_elect_resource_name, "name of the lease");
  command.add_option("--leader-elect-resource-namespace", options.leader_elect_resource_namespace,
                     "namespace of the lease");
  command.add_option("--kube-api-qps", options.kube_api_qps, "requests per second (default: 50)");
  command.add_option("--kube-api-burst", options.kube_api_burst, "requests in a burst (default: 100)");
  command.add_option("--kube-api-content-type", options.kube_api_content_type, "protobuf (default) or JSON media type");
  command.add_option("--profiling", options.profiling, "accepted for compatibility; there is no profiling endpoint");
  command.add_option("--bind-address", options.bind_address, "address to serve on (default: 0.0.0.0)");
  command.add_option("--secure-port", options.secure_port, "port to serve on (default: 10259); 0: serve nothing");
  command.add_option("--tls-cert-file", options.tls_cert_file, "PEM certificate of the server (default: self-signed)");
  command.add_option("--tls-private-key-file", options.tls_private_key_file, "PEM private key of --tls-cert-file");
  command.add_option("--client-ca-file", options.client_ca_file,
                     "certificate authority of clients that may use /extender/");
  command.add_option("--authentication-kubeconfig", options.authentication_kubeconfig, "kubeconfig for TokenReviews");
  command.add_option("--authorization-kubeconfig", options.authorization_kubeconfig,
                     "kubeconfig for SubjectAccessReviews");
  command.add_option("-v,--v", options.verbosity,
                     "log verbosity (default: 0); 2: one line for each decision; 4: with reasons");
  command.add_option("--logging-format,--log-format", options.logging_format, "text (default) or json")
      ->check(CLI::IsMember({"text", "json"}));
  command.add_flag("--logtostderr,!--no-logtostderr", options.log_to_stderr,
                   "accepted for compatibility; logs always go to stderr");
}

void add_explain_options(CLI::App& command, cli::ExplainOptions& options) {
  command.add_option("POD", options.pod, "pending pod, as NAME or NAMESPACE/NAME");
  shared(command, "-n,--namespace", options.ns);
  command.add_option("--dump", options.dump,
                     "use this cluster dump (`kubectl get ... -o json`) instead of a live cluster; - is stdin");
  command.add_option("--batch", options.batch,
                     "explain every *.dump.json of this folder and write the results beside them");
  shared(command, "--config", options.config);
  shared(command, "-o,--output", options.output)->check(CLI::IsMember({"table", "json"}));
  shared(command, "--kubeconfig", options.kubeconfig);
  shared(command, "--context", options.context);
}

void add_plan_options(CLI::App& command, cli::PlanOptions& options) {
  command.add_option("-f,--filename", options.files,
                     "use this cluster dump (`kubectl get nodes,pods,... -A -o json|yaml`) instead of a live cluster; "
                     "- is stdin; repeatable");
  command.add_option(
      "--usage", options.usage,
      "source of node load: FILE, prometheus, prometheus=URL, metrics-server or requests (default: the best that is "
      "available)");
  command
      .add_option("--strategies", options.strategies,
                  fmt::format("{} (default: those enabled)", fmt::join(config::strategy_names(), ", ")))
      ->delimiter(',');
  shared(command, "--config", options.config);
  command.add_option("--moves", options.moves, "maximum number of moves (default: no limit)");
  shared(command, "-o,--output", options.output)->check(CLI::IsMember({"table", "json", "yaml"}));
  shared(command, "--kubeconfig", options.kubeconfig);
  shared(command, "--context", options.context);
}

void add_migrations_options(CLI::App& command, cli::MigrationsOptions& options) {
  command.add_option("ACTION", options.action, "list (default), show or cancel")
      ->check(CLI::IsMember({"list", "show", "cancel"}));
  command.add_option("NAME", options.name, "the migration, as NAME or NAMESPACE/NAME, for show and cancel");
  command.add_option("-n,--namespace", options.ns, "only this namespace (default: all)");
  shared(command, "--kubeconfig", options.kubeconfig);
  shared(command, "--context", options.context);
}

void add_doctor_options(CLI::App& command, cli::DoctorOptions& options) {
  command.add_option("-n,--namespace", options.ns, "namespace of the installation (default: kube-system)");
  command.add_option("--config", options.config, "check this file instead of the ConfigMap in the cluster");
  command.add_option(
      "--as-service-account", options.as_service_account,
      "NAMESPACE/NAME of the ServiceAccount whose permissions are checked (default: the kubeconfig's user)");
  shared(command, "-o,--output", options.output)->check(CLI::IsMember({"table", "json"}));
  shared(command, "--kubeconfig", options.kubeconfig);
  shared(command, "--context", options.context);
}

void add_move_options(CLI::App& command, cli::MoveOptions& options) {
  command.add_option("POD", options.pod, "the pod, as NAME or NAMESPACE/NAME")->required();
  command.add_option("--to", options.to, "target node")->required();
  command.add_option("--mode", options.mode, "Automatic (default), Coordinated, MakeBeforeBreak or Direct")
      ->check(CLI::IsMember({"Automatic", "Coordinated", "MakeBeforeBreak", "Direct"}));
  shared(command, "-n,--namespace", options.ns);
  command.add_option("--deadline", options.deadline, "deadline of the move in seconds (default: 600)")
      ->check(CLI::PositiveNumber);
  command.add_flag("--wait", options.wait, "wait until the move ends; exit code 0 if the pod was moved");
  shared(command, "--kubeconfig", options.kubeconfig);
  shared(command, "--context", options.context);
}

void add_check_options(CLI::App& command, cli::CheckOptions& options) {
  shared(command, "--kubeconfig", options.kubeconfig);
  shared(command, "--context", options.context);
  command.add_flag("--role", options.print_role,
                   "print a ClusterRole with the missing permissions, for `kubectl apply -f -`");
  command.add_flag("--whole-role", options.print_whole_role,
                   "print the ClusterRole of the manifests with all permissions; needs no cluster");
}

void add_validate_options(CLI::App& command, cli::ValidateOptions& options) {
  command
      .add_option("--config", options.config,
                  "a KubeSchedulerConfiguration, or a ConfigMap that holds one; - reads standard input")
      ->required();
}

struct ReferenceOptions {
  std::string language = "en";
};

void add_reference_options(CLI::App& command, ReferenceOptions& options) {
  command.add_option("--language", options.language, "en (default) or zh")->check(CLI::IsMember({"en", "zh"}));
}

int print_reference(const ReferenceOptions& options) {
  const Language language = options.language == "zh" ? Language::Chinese : Language::English;
  fmt::print("{}", config::reference_page(config::default_catalog(), language));
  return 0;
}

int print_schema() {
  fmt::print("{}\n", config::schema_of(config::rescheduler_table()));
  return 0;
}

int print_version() {
  fmt::print("rescheduler {}\n", kVersion);
  return 0;
}

// Adds commands to an application and remembers the one that the user chose, except `run`.
class Commands {
 public:
  template <class Options>
  void add(CLI::App& to,
           const char* name,
           const char* description,
           void (*add_options)(CLI::App&, Options&),
           int (*run)(const Options&)) {
    const auto options = std::make_shared<Options>();
    CLI::App* command = to.add_subcommand(name, description);
    add_options(*command, *options);
    command->callback([this, options, run] { chosen_ = [options, run] { return run(*options); }; });
  }
  void add(CLI::App& to, const char* name, const char* description, int (*run)()) {
    to.add_subcommand(name, description)->callback([this, run] { chosen_ = run; });
  }

  const std::function<int()>& chosen() const { return chosen_; }  // empty: run, or no command

 private:
  std::function<int()> chosen_;
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"rescheduler: schedules pods by real load, and rebalances running pods"};
  app.require_subcommand(0, 1);
  // Manifests start the program as `rescheduler --config=...` without a command: that means `run`.
  config::RunOptions run_options;
  add_run_options(app, run_options);
  add_run_options(*app.add_subcommand("run", "run the scheduler and rescheduler"), run_options);
  Commands commands;
  commands.add(app, "version", "print the version", print_version);
  commands.add(app, "self-test", "check that this binary works on this machine, without a cluster", cli::run_self_test);
  commands.add(app, "check", "check a cluster before installing: reachable, version, permissions", add_check_options,
               cli::run_check);
  commands.add(app, "doctor", "check a cluster before and after installing, with a fix for each problem",
               add_doctor_options, cli::run_doctor);
  CLI::App& configuration = *app.add_subcommand("config", "print the configuration reference");
  configuration.require_subcommand(1);
  commands.add(configuration, "reference", "print every field: type, default, range, meaning", add_reference_options,
               print_reference);
  commands.add(configuration, "schema", "print the JSON Schema of the plugin Rescheduler's settings", print_schema);
  commands.add(app, "validate", "check a scheduler configuration and print it with all defaults", add_validate_options,
               cli::run_validate);
  commands.add(app, "sim", "serve an embedded cluster for kubectl, or run one in virtual time", add_sim_options,
               cli::run_sim);
  commands.add(app, "demo", "run a scenario on an embedded cluster and show it", add_demo_options, cli::run_demo);
  commands.add(app, "explain", "explain the scheduling decision for a pending pod: every node, every plugin",
               add_explain_options, cli::run_explain);
  commands.add(app, "plan", "print which pods would be moved where, and why; changes nothing", add_plan_options,
               cli::run_plan);
  commands.add(app, "migrations", "list, show or cancel moves of pods", add_migrations_options, cli::run_migrations);
  commands.add(app, "move", "ask the daemon to move one pod to a given node", add_move_options, cli::run_move);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem);
  }
  if (commands.chosen()) return commands.chosen()();
  if (argc > 1) return cli::run_daemon(run_options);
  fmt::print("{}", app.help());
  return 2;
}
