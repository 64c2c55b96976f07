#include "config/rescheduler_args.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "config/configuration.h"
#include "config/dashboard_args.h"
#include "config/fields.h"
#include "config/load_args.h"
#include "config/moving_args.h"
#include "config/rescheduling_args.h"
#include "kube/config/yaml_reader.h"
#include "kube/config/yaml_writer.h"
#include "kube/value/duration.h"
#include "kube/value/name.h"

namespace rescheduler::config {
namespace {

constexpr std::chrono::seconds kShortestInterval{1};  // the sources of load are no quicker

void read_strategies(kube::YamlReader& from, std::vector<std::string>& into) {
  from.read("enabledStrategies", into);
  from.describe("enabledStrategies", "", "", listed(config::strategy_names()));
  for (std::size_t i = 0; i < into.size(); ++i) {
    if (!config::strategy_named(into[i])) {
      from.problem("enabledStrategies",
                   fmt::format("'{}' is none; there are {}", into[i], listed(config::strategy_names())));
    }
    const auto here = into.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(into.begin(), here, into[i]) != here) {
      from.problem("enabledStrategies", fmt::format("'{}' stands twice", into[i]));
    }
  }
}

void read_args(kube::YamlReader& from, Profile& profile) {
  ReschedulerSettings settings;
  placement::ReschedulerArgs& placing = settings.placing;
  ReschedulingSettings& rescheduling = settings.rescheduling;
  read_percentage(from, "cpuThreshold", placing.cpu_threshold);
  read_percentage(from, "memoryThreshold", placing.memory_threshold);
  from.read("enableSchedulingOptimization", placing.enable_scheduling_optimization);
  from.read("enablePreventiveRescheduling", placing.enable_preventive_rescheduling);
  read_number_within(from, "cpuScoreWeight", placing.cpu_score_weight, 0, 1);
  read_number_within(from, "memoryScoreWeight", placing.memory_score_weight, 0, 1);
  if (placing.cpu_score_weight + placing.memory_score_weight <= 0) {
    from.problem("cpuScoreWeight", "must not be zero together with memoryScoreWeight");
  }
  read_number_within(from, "loadBalanceBonus", placing.load_balance_bonus, 0, 100);
  from.read("enableReschedulingController", rescheduling.enabled);
  if (read_duration(from, "reschedulingInterval", rescheduling.interval) && rescheduling.interval < kShortestInterval) {
    from.problem("reschedulingInterval", "must be at least 1s");
  }
  from.describe("reschedulingInterval", "", "", "at least 1s");
  read_strategies(from, rescheduling.enabled_strategies);
  from.read("excludedNamespaces", rescheduling.excluded_namespaces);
  for (const std::string& name : rescheduling.excluded_namespaces) {
    if (!kube::is_dns_label(name)) {
      from.problem("excludedNamespaces", fmt::format("'{}' cannot be a namespace's name", name));
    }
  }
  read_moving(from, settings);
  read_dashboard(from, settings.dashboard);
  if (from.has("load")) read_load(from.child("load"), settings.load);
  if (from.has("rescheduling")) read_rescheduling(from.child("rescheduling"), rescheduling);
  if (!rescheduling.enabled && from.has("rescheduling")) {
    from.note("rescheduling", "has no effect without enableReschedulingController");
  }
  set_settings(profile, std::move(settings));
}

void print_args(const Profile& profile, kube::YamlWriter& to) {
  const ReschedulerSettings& settings = *profile.rescheduler;
  to.field("cpuThreshold", settings.placing.cpu_threshold);
  to.field("memoryThreshold", settings.placing.memory_threshold);
  to.field("enableSchedulingOptimization", settings.placing.enable_scheduling_optimization);
  to.field("enablePreventiveRescheduling", settings.placing.enable_preventive_rescheduling);
  to.field("cpuScoreWeight", settings.placing.cpu_score_weight);
  to.field("memoryScoreWeight", settings.placing.memory_score_weight);
  to.field("loadBalanceBonus", settings.placing.load_balance_bonus);
  to.field("enableReschedulingController", settings.rescheduling.enabled);
  to.field("reschedulingInterval", kube::format_duration(settings.rescheduling.interval));
  to.field("enabledStrategies", settings.rescheduling.enabled_strategies);
  to.field("excludedNamespaces", settings.rescheduling.excluded_namespaces);
  print_load(settings.load, to);
  print_rescheduling(settings.rescheduling, to);
  print_moving(settings, to);
  print_dashboard(settings.dashboard, to);
}

}  // namespace

PluginArgsFormat rescheduler_format() { return {&read_args, &print_args}; }

}  // namespace rescheduler::config
