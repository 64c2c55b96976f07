#include "cli/commands/sim_command.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "cli/commands/output_file.h"
#include "cli/demo/prometheus_config.h"
#include "cli/demo/scenario_cluster.h"
#include "cli/stop_signals.h"
#include "kube/config/environment.h"
#include "kube/value/duration.h"
#include "sim/frontend/local_api.h"
#include "sim/load/series.h"
#include "sim/time/pacer.h"

namespace rescheduler::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

struct Plan {
  sim::Scenario scenario;
  std::optional<nanoseconds> run_for;  // cluster time
};

// Adds small pods, a hundred per Deployment, on the nodes of the first group in turn.
void add_pods(sim::Scenario& scenario, int pods) {
  constexpr int kPerWorkload = 100;
  for (int number = 1; pods > 0; ++number, pods -= kPerWorkload) {
    sim::Workload workload;
    workload.ns = "default";
    workload.name = fmt::format("app-{}", number);
    workload.replicas = std::min(pods, kPerWorkload);
    workload.requests = {{"cpu", "100m"}, {"memory", "128Mi"}};
    workload.cpu_load = "noisy mean=90m deviation=30m every=60s";
    workload.memory_load = "100Mi";
    workload.placement = sim::InitialPlacement{scenario.node_groups.front().name};
    scenario.workloads.push_back(std::move(workload));
  }
}

Result<Plan> plan_of(const SimOptions& options) {
  if (options.virtual_time && options.run_for.empty()) {
    return fail(Errc::Invalid, "--virtual needs --for, for example --for 1h: virtual time does not end by itself");
  }
  if (options.virtual_time && options.ui_port) {
    return fail(Errc::Invalid, "--ui-port cannot be used with --virtual, which serves no clients");
  }
  if (options.virtual_time && !options.kubeconfig_out.empty()) {
    return fail(Errc::Invalid, "--kubeconfig-out cannot be used with --virtual, which serves no clients");
  }
  if (options.reschedule && !options.place) {
    return fail(Errc::Invalid, "--rescheduling cannot be used with --no-place: rescheduling needs a scheduler");
  }
  if (options.virtual_time && !options.prometheus_config_out.empty()) {
    return fail(Errc::Invalid, "--prometheus-config-out cannot be used with --virtual, which serves no clients");
  }
  Plan plan;
  if (!options.run_for.empty()) {
    auto duration = kube::parse_duration(options.run_for);
    if (!duration) return fail(std::move(duration.error()).within("--for"));
    if (duration->count() <= 0) return fail(Errc::Invalid, "--for must be longer than 0s");
    plan.run_for = *duration;
  }
  auto scenario = choose_scenario(options.scenario, options.nodes, options.seed);
  if (!scenario) return fail(std::move(scenario.error()));
  plan.scenario = std::move(*scenario);
  if (options.pods > 0) add_pods(plan.scenario, options.pods);
  return plan;
}

Result<std::unique_ptr<LineFile>> open_journal(const std::string& path) {
  if (path.empty()) return std::unique_ptr<LineFile>();
  auto file = LineFile::open(path);
  if (!file) return fail(std::move(file.error()));
  return std::make_unique<LineFile>(std::move(*file));
}

sim::Journal::Line lines_into(LineFile* file) {
  return [file](std::string_view line) { file->write(line); };
}

Result<void> run_virtually(Plan plan, const SimOptions& options) {
  auto journal_file = open_journal(options.journal);
  if (!journal_file) return fail(std::move(journal_file.error()));
  const SystemClock clock;
  const SteadyTime begin = clock.steady_now();
  sim::ClusterSettings settings;
  settings.seed = plan.scenario.seed;
  settings.series_directory = sim::series_directory(kube::process_environment());
  sim::EmbeddedCluster cluster(settings);
  std::uint64_t changes = 0;
  {
    sim::Journal journal(cluster.server(), [&](std::string_view line) {
      if (*journal_file) (*journal_file)->write(line);
    });
    sim::ScenarioRunner runner(cluster.server(), plan.scenario);
    sim::VirtualLoop loop(cluster.agenda());
    sim::LocalApi api(cluster.server(), cluster.documents());
    std::unique_ptr<EmbeddedScheduler> placing;
    if (options.place) {
      EmbeddedSettings how{.seed = plan.scenario.seed};
      if (options.reschedule) how.rescheduling = EmbeddedScheduler::demo_settings();
      auto made = EmbeddedScheduler::make(api, loop.executor(), loop.timers(), cluster.agenda(), std::move(how));
      if (!made) return fail(std::move(made.error()));
      placing = std::move(*made);
      placing->start();
    }
    runner.start();
    loop.run_for(*plan.run_for);
    if (placing) {
      const auto stopped = loop.await_result(placing->stop());
      if (!stopped) return fail(stopped.error());
    }
    changes = journal.lines();
    for (const sim::ScenarioActivity& activity : runner.activities()) {
      if (activity.warning) fmt::print(stderr, "rescheduler sim: {}\n", activity.text);
    }
  }
  const std::chrono::duration<double> took = clock.steady_now() - begin;
  fmt::print("{} of {} on {} nodes: {} changes, {} events, in {:.2f} s (seed {})\n",
             kube::format_duration(*plan.run_for), plan.scenario.name, plan.scenario.nodes(), changes,
             cluster.agenda().events_run(), took.count(), plan.scenario.seed);
  return *journal_file ? (*journal_file)->close() : Result<void>{};
}

struct WrittenFiles {
  std::string kubeconfig;
  std::string prometheus;  // empty: none
};

Result<WrittenFiles> write_files(const sim::ServedCluster& served,
                                 const SimOptions& options,
                                 const std::string& directory) {
  WrittenFiles files;
  files.kubeconfig = options.kubeconfig_out.empty() ? directory + "/kubeconfig" : absolute_path(options.kubeconfig_out);
  auto written = write_private_file(files.kubeconfig, served.kubeconfig());
  if (!written || options.prometheus_config_out.empty()) {
    return written ? Result<WrittenFiles>(files) : fail(std::move(written.error()));
  }
  files.prometheus = absolute_path(options.prometheus_config_out);
  std::string ca_path;
  if (options.tls) {
    ca_path = files.prometheus + ".ca.crt";
    written = write_private_file(ca_path, served.ca_pem());
    if (!written) return fail(std::move(written.error()));
  }
  written = write_private_file(files.prometheus, prometheus_config(served.url(), ca_path));
  if (!written) return fail(std::move(written.error()));
  return files;
}

void print_what_next(const sim::Scenario& scenario,
                     const SimOptions& options,
                     const std::string& url,
                     const std::string& ui_url,
                     const WrittenFiles& files) {
  const std::string speed = options.speed == 1 ? "" : fmt::format(", time runs {:g} times as fast", options.speed);
  fmt::print("embedded cluster at {}: {} nodes, scenario {}, seed {}{}\n", url, scenario.nodes(), scenario.name,
             scenario.seed, speed);
  if (!ui_url.empty()) fmt::print("dashboard: {}\n", ui_url);
  if (options.place) {
    fmt::print("{}\n", options.reschedule ? EmbeddedScheduler::kMovingNotice : EmbeddedScheduler::kNotice);
  } else {
    fmt::print("no scheduler runs: start yours against this cluster\n");
  }
  fmt::print(
      "\n"
      "  export KUBECONFIG={}\n"
      "  kubectl get nodes\n"
      "  kubectl get pods -A -o wide -w\n"
      "  kubectl create deployment hello --image=hello --replicas=3\n"
      "  kubectl top nodes\n",
      files.kubeconfig);
  if (!files.prometheus.empty()) fmt::print("  prometheus --config.file={}\n", files.prometheus);
  fmt::print("\nPress Ctrl-C to stop.\n");
  std::fflush(stdout);
}

Result<void> serve(Plan plan, const SimOptions& options, StopSignals& signals) {
  auto journal_file = open_journal(options.journal);
  if (!journal_file) return fail(std::move(journal_file.error()));
  auto directory = TemporaryDirectory::make("rescheduler-sim");
  if (!directory) return fail(std::move(directory.error()));
  ScenarioClusterSettings settings;
  settings.scenario = plan.scenario;
  settings.speed = options.speed;
  settings.port = options.port;
  settings.tls = options.tls;
  settings.place = options.place;
  settings.reschedule = options.reschedule;
  settings.ui_port = options.ui_port;
  if (*journal_file) settings.journal = lines_into(journal_file->get());
  auto cluster = ScenarioCluster::start(std::move(settings));
  if (!cluster) return fail(std::move(cluster.error()));
  const auto files = write_files((*cluster)->served(), options, directory->path());
  if (!files) return fail(files.error());
  print_what_next(plan.scenario, options, (*cluster)->served().url(), (*cluster)->ui_url(), *files);

  const SystemClock clock;
  const auto real_limit = plan.run_for ? std::optional(nanoseconds(static_cast<std::int64_t>(
                                             static_cast<double>(plan.run_for->count()) / options.speed)))
                                       : std::nullopt;
  const SteadyTime begin = clock.steady_now();
  std::size_t printed = 0;
  while (!signals.wait_for(milliseconds{100})) {
    if (real_limit && clock.steady_now() - begin >= *real_limit) break;
    (*cluster)->on_loop([&] {
      const auto& activities = (*cluster)->runner().activities();
      for (; printed < activities.size(); ++printed) {
        fmt::print(activities[printed].warning ? stderr : stdout, "{}\n", activities[printed].text);
      }
    });
    std::fflush(stdout);
  }
  cluster->reset();
  fmt::print("the embedded cluster has stopped\n");
  return *journal_file ? (*journal_file)->close() : Result<void>{};
}

}  // namespace

int run_sim(const SimOptions& options) {
  set_log_level(LogLevel::Warning);  // the command prints normal activity itself
  StopSignals signals;
  auto plan = plan_of(options);
  Result<void> done = plan ? Result<void>{} : fail(plan.error());
  if (plan)
    done = options.virtual_time ? run_virtually(std::move(*plan), options) : serve(std::move(*plan), options, signals);
  if (done) return 0;
  fmt::print(stderr, "rescheduler sim: {}\n", done.error().message);
  return 1;
}

}  // namespace rescheduler::cli
