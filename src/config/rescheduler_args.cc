#include "config/rescheduler_args.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "config/dashboard_args.h"
#include "config/fields.h"
#include "config/load_args.h"
#include "config/moving_args.h"
#include "config/rescheduling_args.h"
#include "kube/config/yaml_reader.h"
#include "kube/config/yaml_writer.h"
#include "kube/value/duration.h"
#include "kube/value/name.h"
#include "placement/rescheduler_args.h"

namespace rescheduler::config {
namespace {

using placement::ReschedulerArgs;

constexpr std::chrono::seconds kShortestInterval{1};  // the sources of load are no quicker

void read_strategies(kube::YamlReader& from, std::vector<std::string>& into) {
  from.read("enabledStrategies", into);
  from.describe("enabledStrategies", "", "", listed(placement::strategy_names()));
  for (std::size_t i = 0; i < into.size(); ++i) {
    if (!placement::strategy_named(into[i])) {
      from.problem("enabledStrategies",
                   fmt::format("'{}' is none; there are {}", into[i], listed(placement::strategy_names())));
    }
    const auto here = into.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(into.begin(), here, into[i]) != here) {
      from.problem("enabledStrategies", fmt::format("'{}' stands twice", into[i]));
    }
  }
}

std::shared_ptr<const placement::PluginArgs> read_args(kube::YamlReader& from) {
  auto args = std::make_shared<ReschedulerArgs>();
  read_percentage(from, "cpuThreshold", args->cpu_threshold);
  read_percentage(from, "memoryThreshold", args->memory_threshold);
  from.read("enableSchedulingOptimization", args->enable_scheduling_optimization);
  from.read("enablePreventiveRescheduling", args->enable_preventive_rescheduling);
  read_number_within(from, "cpuScoreWeight", args->cpu_score_weight, 0, 1);
  read_number_within(from, "memoryScoreWeight", args->memory_score_weight, 0, 1);
  if (args->cpu_score_weight + args->memory_score_weight <= 0) {
    from.problem("cpuScoreWeight", "must not be zero together with memoryScoreWeight");
  }
  read_number_within(from, "loadBalanceBonus", args->load_balance_bonus, 0, 100);
  from.read("enableReschedulingController", args->enable_rescheduling_controller);
  if (read_duration(from, "reschedulingInterval", args->rescheduling_interval)
      && args->rescheduling_interval < kShortestInterval) {
    from.problem("reschedulingInterval", "must be at least 1s");
  }
  from.describe("reschedulingInterval", "", "", "at least 1s");
  read_strategies(from, args->enabled_strategies);
  from.read("excludedNamespaces", args->excluded_namespaces);
  for (const std::string& name : args->excluded_namespaces) {
    if (!kube::is_dns_label(name)) {
      from.problem("excludedNamespaces", fmt::format("'{}' cannot be a namespace's name", name));
    }
  }
  read_moving(from, args->moving);
  read_dashboard(from, args->dashboard);
  if (from.has("load")) read_load(from.child("load"), args->load);
  if (from.has("rescheduling")) read_rescheduling(from.child("rescheduling"), args->rescheduling);
  if (!args->enable_rescheduling_controller && from.has("rescheduling")) {
    from.note("rescheduling", "has no effect without enableReschedulingController");
  }
  return args;
}

void print_args(const placement::PluginArgs& any, kube::YamlWriter& to) {
  const auto& args = dynamic_cast<const ReschedulerArgs&>(any);
  to.field("cpuThreshold", args.cpu_threshold);
  to.field("memoryThreshold", args.memory_threshold);
  to.field("enableSchedulingOptimization", args.enable_scheduling_optimization);
  to.field("enablePreventiveRescheduling", args.enable_preventive_rescheduling);
  to.field("cpuScoreWeight", args.cpu_score_weight);
  to.field("memoryScoreWeight", args.memory_score_weight);
  to.field("loadBalanceBonus", args.load_balance_bonus);
  to.field("enableReschedulingController", args.enable_rescheduling_controller);
  to.field("reschedulingInterval", kube::format_duration(args.rescheduling_interval));
  to.field("enabledStrategies", args.enabled_strategies);
  to.field("excludedNamespaces", args.excluded_namespaces);
  print_load(args.load, to);
  print_rescheduling(args.rescheduling, to);
  print_moving(args.moving, to);
  print_dashboard(args.dashboard, to);
}

}  // namespace

PluginArgsFormat rescheduler_format() { return {&read_args, &print_args}; }

}  // namespace rescheduler::config
