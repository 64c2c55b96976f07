#include "cli/plan/plan_command.h"

#include <algorithm>
#include <optional>

#include <boost/json/parse.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands/standard_input.h"
#include "cli/connection.h"
#include "cli/plan/json_yaml.h"
#include "cli/plan/plan_table.h"
#include "cli/plan/plan_usage.h"
#include "cli/plan/snapshot_input.h"
#include "cli/view/terminal.h"
#include "config/read.h"
#include "kube/config/file.h"
#include "placement/registry.h"
#include "rescheduling/planning/make_plan.h"
#include "rescheduling/planning/plan_json.h"
#include "rescheduling/strategies/strategies.h"
#include "scheduler/load_sources.h"

namespace rescheduler::cli {
namespace {

using config::Strategy;
using config::StrategyMode;
using rescheduling::Plan;

constexpr std::size_t kMostBytes = std::size_t{2} << 30U;  // a dump of a large cluster
// Planning stops after this time. The moves found until then are a valid plan.
constexpr std::chrono::seconds kMostTime{30};

constexpr const char* kPlugin = "Rescheduler";

Result<std::string> text_of(const std::string& path) {
  return path == "-" ? read_standard_input(kMostBytes) : kube::read_whole_file(path, kMostBytes);
}

struct PlanConfiguration {
  config::Profile profile{};
  rescheduling::Steering steering{};
};

// The profile that the controller uses: the first that enables the plugin. If none does, `run` moves nothing, but a
// plan can still be made with the settings of the plugin in the file, or with its defaults.
Result<PlanConfiguration> configuration_of(const std::string& path, std::vector<std::string>& notes) {
  const auto catalog = config::default_catalog();
  config::Configuration configuration = config::default_configuration(catalog);
  if (!path.empty()) {
    const auto text = text_of(path);
    if (!text) return fail(text.error());
    auto reading = config::load_configuration(*text, path, catalog);
    if (!reading) return fail(std::move(reading.error()));
    configuration = std::move(reading->configuration);
  }
  auto& profiles = configuration.profiles;
  auto found = std::ranges::find_if(profiles, [](const config::Profile& profile) { return profile.uses(kPlugin); });
  rescheduling::Steering steering = rescheduling::steering_of(configuration);
  if (found != profiles.end()) return PlanConfiguration{*found, std::move(steering)};
  found =
      std::ranges::find_if(profiles, [](const config::Profile& profile) { return profile.rescheduler.has_value(); });
  config::Profile profile = found == profiles.end() ? profiles.front() : *found;
  const bool written = profile.rescheduler.has_value();
  config::place_by_load(profile, profile.rescheduler.value_or(config::ReschedulerSettings{}));
  if (!path.empty()) {
    notes.push_back(fmt::format(
        "no profile of {} enables the plugin Rescheduler, so `rescheduler run` would move no pods; this plan is made "
        "{}",
        path == "-" ? "the configuration" : path,
        written ? "as if " + profile.scheduler_name + " enabled the plugin with the settings in its pluginConfig"
                : std::string("with the default settings of the plugin")));
  }
  return PlanConfiguration{std::move(profile), std::move(steering)};
}

// The requested strategies, else those that the controller would run.
Result<std::vector<Strategy>> strategies_of(const PlanOptions& options, const config::ReschedulerSettings& args) {
  std::vector<Strategy> wanted;
  for (const std::string& name : options.strategies) {
    const auto one = config::strategy_named(name);
    if (!one) {
      return fail(Errc::Invalid, "there is no strategy '{}'; valid values are {}", name,
                  fmt::join(config::strategy_names(), ", "));
    }
    wanted.push_back(*one);
  }
  std::vector<Strategy> ordered;
  for (const auto& [one, apply] : rescheduling::kByImportance) {
    const bool on = config::configured_mode(args.rescheduling, one) != StrategyMode::Off;
    const bool asked = std::ranges::find(wanted, one) != wanted.end();
    if (options.strategies.empty() ? on : asked) ordered.push_back(one);
  }
  return ordered;
}

Result<Plan> plan_of(const PlanOptions& options) {
  std::vector<std::string> notes;
  const auto configured = configuration_of(options.config, notes);
  if (!configured) return fail(configured.error());
  const config::Profile& profile = configured->profile;
  auto framework = placement::Framework::make(profile, placement::Registry::standard());
  if (!framework) return fail(std::move(framework.error()));
  const config::ReschedulerSettings& args = *profile.rescheduler;
  auto strategies = strategies_of(options, args);
  if (!strategies) return fail(std::move(strategies.error()));

  Connection network;
  SnapshotInput read;
  kube::Api* api = nullptr;
  for (const std::string& file : options.files) {
    const auto text = text_of(file);
    if (!text) return fail(text.error());
    if (auto done = read_dump(*text, file, read); !done) return fail(std::move(done.error()));
  }
  if (options.files.empty()) {
    const auto opened = network.open(options.kubeconfig, options.context);
    if (!opened) return fail(opened.error());
    api = *opened;
    auto done = network.await(read_live(*api, read, notes));
    if (!done) return fail(std::move(done.error()));
  }
  if (read.snapshot.cluster().node_count() == 0) return fail(Errc::Invalid, "there are no nodes: no plan can be made");
  // The time of a dump is the time of its newest object, so that the ages of pods are right.
  const bool dated = !options.files.empty() && read.newest != WallTime{};
  const WallTime now = dated ? read.newest : network.clock().wall_now();
  const LiveSources live{api, &network.loop(), &network.services()};
  if (auto put = put_loads(options.usage, args.load, live, now, read, notes); !put) return fail(std::move(put.error()));
  for (std::string& warning : read.snapshot.take_warnings()) notes.push_back(std::move(warning));

  rescheduling::PlanRequest request;
  request.args = &args;
  request.framework = framework->get();
  request.strategies = std::move(*strategies);
  request.caps = {.total = options.moves, .per_node = 0, .per_namespace = 0, .per_workload = 0};
  request.steering = configured->steering;
  request.draining = read.snapshot.nodes_under_maintenance();
  request.now = now;
  request.clock = &network.clock();
  request.time = kMostTime;
  Plan plan = rescheduling::make_plan(read.snapshot, request);
  plan.notes.insert(plan.notes.begin(), notes.begin(), notes.end());
  return plan;
}

void print(const Plan& plan, const PlanOptions& options) {
  if (options.output == "table") {
    ViewStyle style = terminal_style();
    if (!stdout_is_terminal()) style.colour = false;
    fmt::print("{}", plan_table(plan, style));
    return;
  }
  const std::string json = rescheduling::to_json(plan);
  if (options.output == "json") {
    fmt::print("{}\n", json);
  } else {
    fmt::print("{}", yaml_of(boost::json::parse(json)));
  }
}

}  // namespace

int run_plan(const PlanOptions& options) {
  const auto plan = plan_of(options);
  if (!plan) {
    fmt::print(stderr, "rescheduler plan: {}\n", plan.error().message);
    return 1;
  }
  print(*plan, options);
  return plan->moves.empty() ? 0 : 2;
}

}  // namespace rescheduler::cli
