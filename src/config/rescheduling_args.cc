#include "config/rescheduling_args.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string>

#include <fmt/core.h>

#include "config/fields.h"
#include "config/time_window.h"
#include "kube/config/yaml_reader.h"
#include "kube/config/yaml_writer.h"
#include "kube/value/duration.h"
#include "kube/value/label_selector.h"
#include "kube/value/name.h"

namespace rescheduler::config {
namespace {

using kube::YamlReader;
using kube::YamlWriter;
using std::chrono::nanoseconds;

constexpr std::array kModes = {StrategyMode::Off, StrategyMode::Observe, StrategyMode::Act};
constexpr int kMostLooks = 60;         // they are kept as bits; at 30 s that is half an hour
constexpr int kMostRecentMoves = 200;  // far fewer than are remembered

template <class T, std::size_t N>
std::string names_of(const std::array<T, N>& all) {
  std::vector<std::string_view> names;
  for (const T one : all) names.push_back(to_string(one));
  return listed(names);
}

template <class T, std::size_t N>
const T* named(std::string_view name, const std::array<T, N>& all) {
  const auto found = std::ranges::find_if(all, [&](T one) { return to_string(one) == name; });
  return found == all.end() ? nullptr : &*found;
}

void read_count(YamlReader& from, std::string_view field, std::uint32_t& into, std::int64_t least, std::int64_t most) {
  std::int64_t value = into;
  from.read(field, value, least, most);
  if (value >= least && value <= most) into = static_cast<std::uint32_t>(value);
}

void read_share(YamlReader& from, std::string_view field, std::uint32_t& into) {
  read_count(from, field, into, 1, 100);
}

void read_span(YamlReader& from, std::string_view field, nanoseconds& into) {
  nanoseconds value = into;
  if (!read_duration(from, field, value)) return;
  if (value < nanoseconds{0}) return from.problem(field, "must not be negative");
  into = value;
}

// --- Modes and bands ---

void read_modes(YamlReader& from, std::map<Strategy, StrategyMode>& into) {
  if (!from.has("modes")) return;
  YamlReader modes = from.child("modes");
  for (auto& [name, member] : modes.members()) {
    const Strategy* strategy = named(name, kStrategies);
    if (strategy == nullptr) {
      member.problem(fmt::format("is no strategy; there are {}", names_of(kStrategies)));
      continue;
    }
    modes.describe(name, "word", "", names_of(kModes));
    const std::string word = member.as_string();
    const StrategyMode* mode = named(word, kModes);
    if (mode != nullptr) {
      into[*strategy] = *mode;
    } else {
      member.problem(fmt::format("'{}' is no mode; there are {}", word, names_of(kModes)));
    }
  }
}

void print_modes(const std::map<Strategy, StrategyMode>& modes, YamlWriter& to) {
  if (modes.empty()) return to.json("modes", "{}");
  to.open("modes");
  for (const auto& [strategy, mode] : modes) {
    // As a string: YAML takes a bare "off" for a boolean in many a reader.
    to.json(to_string(strategy), fmt::format("\"{}\"", to_string(mode)));
  }
  to.close();
}

void read_bands(YamlReader& from, std::map<std::string, LoadBand>& into) {
  if (!from.has("bands")) return;
  YamlReader bands = from.child("bands");
  for (auto& [name, member] : bands.members()) {
    LoadBand band;
    read_percentage(member, "trigger", band.trigger);
    band.target = std::max(1.0, band.trigger - 10);
    read_percentage(member, "target", band.target);
    member.refuse_unknown_fields();
    if (band.target >= band.trigger)
      member.problem("target", "must be below trigger, or every move would call for the next");
    if (!kube::is_dns_label(name)) member.problem("is no resource: there are cpu, memory and those of load.resources");
    into[name] = band;
  }
}

void print_bands(const std::map<std::string, LoadBand>& bands, YamlWriter& to) {
  if (bands.empty()) return to.json("bands", "{}");
  to.open("bands");
  for (const auto& [name, band] : bands) {
    to.open(name);
    to.field("trigger", band.trigger);
    to.field("target", band.target);
    to.close();
  }
  to.close();
}

// --- Strategies ---

void read_load_balancing(YamlReader from, LoadBalancingSettings& into) {
  read_bands(from, into.bands);
  read_int(from, "of", into.persistence.of, 1, kMostLooks);
  into.persistence.needed = std::min(into.persistence.needed, into.persistence.of);
  read_int(from, "needed", into.persistence.needed, 1, kMostLooks);
  if (into.persistence.needed > into.persistence.of) {
    from.problem("needed", "must not be more than of: so many looks would never be hot");
  }
  read_number_within(from, "deviationTrigger", into.deviation_trigger, 0, 100);
  read_number_within(from, "deviationTarget", into.deviation_target, 0, 100);
  if (into.deviation_target > into.deviation_trigger) {
    from.problem("deviationTarget", "must not be above deviationTrigger");
  }
  read_number_within(from, "leastGain", into.least_gain, 0, 100);
  from.refuse_unknown_fields();
}

void read_optimization(YamlReader from, ResourceOptimizationSettings& into) {
  read_number_within(from, "strandedTrigger", into.stranded_trigger, 0, 100);
  read_number_within(from, "underused", into.underused, 0, 100);
  read_percentage(from, "packedTarget", into.packed_target);
  from.read("freeNodes", into.free_nodes);
  from.refuse_unknown_fields();
  if (into.underused >= into.packed_target) {
    from.problem("underused", "must be below packedTarget, or what is filled is emptied again");
  }
}

void read_repair(YamlReader from, ConstraintRepairSettings& into) {
  from.read("nodeAffinity", into.node_affinity);
  from.read("taints", into.taints);
  from.read("podAntiAffinity", into.pod_anti_affinity);
  from.read("topologySpread", into.topology_spread);
  from.read("duplicates", into.duplicates);
  from.refuse_unknown_fields();
}

void read_maintenance(YamlReader from, MaintenanceSettings& into) {
  read_count(from, "nodesAtOnce", into.nodes_at_once, 1, 1000);
  read_span(from, "giveUpAfter", into.give_up_after);
  from.refuse_unknown_fields();
}

void print_strategies(const ReschedulingSettings& settings, YamlWriter& to) {
  to.open("loadBalancing");
  print_bands(settings.load_balancing.bands, to);
  to.field("needed", settings.load_balancing.persistence.needed);
  to.field("of", settings.load_balancing.persistence.of);
  to.field("deviationTrigger", settings.load_balancing.deviation_trigger);
  to.field("deviationTarget", settings.load_balancing.deviation_target);
  to.field("leastGain", settings.load_balancing.least_gain);
  to.close();
  to.open("resourceOptimization");
  to.field("strandedTrigger", settings.resource_optimization.stranded_trigger);
  to.field("underused", settings.resource_optimization.underused);
  to.field("packedTarget", settings.resource_optimization.packed_target);
  to.field("freeNodes", settings.resource_optimization.free_nodes);
  to.close();
  to.open("constraintRepair");
  to.field("nodeAffinity", settings.constraint_repair.node_affinity);
  to.field("taints", settings.constraint_repair.taints);
  to.field("podAntiAffinity", settings.constraint_repair.pod_anti_affinity);
  to.field("topologySpread", settings.constraint_repair.topology_spread);
  to.field("duplicates", settings.constraint_repair.duplicates);
  to.close();
  to.open("maintenance");
  to.field("nodesAtOnce", settings.maintenance.nodes_at_once);
  to.field("giveUpAfter", kube::format_duration(settings.maintenance.give_up_after));
  to.close();
}

// --- Who stays ---

void read_protections(YamlReader from, Protections& into) {
  if (from.has("priorityThreshold")) {
    int value = 0;
    read_int(from, "priorityThreshold", value, std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
    from.describe("priorityThreshold", "", "none", "");
    into.priority_threshold = value;
  }
  read_span(from, "leastAge", into.least_age);
  read_count(from, "leastReplicas", into.least_replicas, 1, 1'000'000);
  from.read("localStorage", into.local_storage);
  from.read("claims", into.claims);
  from.read("barePods", into.bare_pods);
  from.read("withoutBudget", into.without_budget);
  from.refuse_unknown_fields();
}

void print_protections(const Protections& protections, YamlWriter& to) {
  to.open("protections");
  if (protections.priority_threshold) to.field("priorityThreshold", *protections.priority_threshold);
  to.field("leastAge", kube::format_duration(protections.least_age));
  to.field("leastReplicas", protections.least_replicas);
  to.field("localStorage", protections.local_storage);
  to.field("claims", protections.claims);
  to.field("barePods", protections.bare_pods);
  to.field("withoutBudget", protections.without_budget);
  to.close();
}

// --- Brakes ---

void read_caps(YamlReader& brakes, std::string_view field, MoveCaps& into) {
  if (!brakes.has(field)) return;
  YamlReader from = brakes.child(field);
  constexpr std::int64_t kMost = 100'000;
  read_count(from, "total", into.total, 0, kMost);
  read_count(from, "perNode", into.per_node, 0, kMost);
  read_count(from, "perNamespace", into.per_namespace, 0, kMost);
  read_count(from, "perWorkload", into.per_workload, 0, kMost);
  from.refuse_unknown_fields();
}

void print_caps(std::string_view field, const MoveCaps& caps, YamlWriter& to) {
  to.open(field);
  to.field("total", caps.total);
  to.field("perNode", caps.per_node);
  to.field("perNamespace", caps.per_namespace);
  to.field("perWorkload", caps.per_workload);
  to.close();
}

void read_brakes(YamlReader from, Brakes& into) {
  read_caps(from, "perCycle", into.per_cycle);
  read_caps(from, "atOnce", into.at_once);
  read_span(from, "cooldown", into.cooldown);
  read_span(from, "memory", into.memory);
  if (into.memory < into.cooldown) {
    from.problem("memory", "must not be shorter than cooldown: a move would be forgotten while it still counts");
  }
  read_share(from, "pendingPods", into.pending_pods);
  read_share(from, "failingZone", into.failing_zone);
  read_share(from, "failedMoves", into.failed_moves);
  read_count(from, "recentMoves", into.recent_moves, 1, kMostRecentMoves);
  read_span(from, "rest", into.rest);
  from.read("paused", into.paused);
  from.refuse_unknown_fields();
}

void print_brakes(const Brakes& brakes, YamlWriter& to) {
  to.open("brakes");
  print_caps("perCycle", brakes.per_cycle, to);
  print_caps("atOnce", brakes.at_once, to);
  to.field("cooldown", kube::format_duration(brakes.cooldown));
  to.field("memory", kube::format_duration(brakes.memory));
  to.field("pendingPods", brakes.pending_pods);
  to.field("failingZone", brakes.failing_zone);
  to.field("failedMoves", brakes.failed_moves);
  to.field("recentMoves", brakes.recent_moves);
  to.field("rest", kube::format_duration(brakes.rest));
  to.field("paused", brakes.paused);
  to.close();
}

// --- When and where ---

void read_windows(YamlReader& from, std::vector<TimeWindow>& into) {
  std::vector<std::string> texts;
  from.read("windows", texts);
  from.describe("windows", "", "", "such as Mon-Fri 22:00-06:00");
  for (const std::string& text : texts) {
    auto window = parse_time_window(text);
    if (window) {
      into.push_back(*window);
    } else {
      from.problem("windows", window.error().message);
    }
  }
}

void print_windows(const std::vector<TimeWindow>& windows, YamlWriter& to) {
  std::vector<std::string> texts;
  for (const TimeWindow& window : windows) texts.push_back(format_time_window(window));
  to.field("windows", texts);
}

void read_pools(YamlReader& from, std::vector<NodePool>& into) {
  std::set<std::string> names;
  for (YamlReader& item : from.items("pools")) {
    NodePool pool;
    item.read("name", pool.name);
    item.read("selector", pool.selector);
    read_modes(item, pool.modes);
    read_bands(item, pool.bands);
    item.refuse_unknown_fields();
    if (!kube::is_dns_label(pool.name)) item.problem("name", "must be given, in lower-case letters, digits and '-'");
    if (!names.insert(pool.name).second) item.problem("name", fmt::format("'{}' stands twice", pool.name));
    const auto selector = kube::LabelSelector::parse(pool.selector);
    if (pool.selector.empty()) {
      item.problem("selector", "must be given, such as example.com/pool=batch: an empty one would pick every node");
    } else if (!selector) {
      item.problem("selector", selector.error().message);
    }
    into.push_back(std::move(pool));
  }
}

void print_pools(const std::vector<NodePool>& pools, YamlWriter& to) {
  if (pools.empty()) return to.json("pools", "[]");
  to.open("pools");
  for (const NodePool& pool : pools) {
    to.item();
    to.field("name", pool.name);
    to.field("selector", pool.selector);
    print_modes(pool.modes, to);
    print_bands(pool.bands, to);
  }
  to.close();
}

}  // namespace

void read_rescheduling(YamlReader from, ReschedulingSettings& into) {
  read_modes(from, into.modes);
  if (from.has("loadBalancing")) read_load_balancing(from.child("loadBalancing"), into.load_balancing);
  if (from.has("resourceOptimization")) {
    read_optimization(from.child("resourceOptimization"), into.resource_optimization);
  }
  if (from.has("constraintRepair")) read_repair(from.child("constraintRepair"), into.constraint_repair);
  if (from.has("maintenance")) read_maintenance(from.child("maintenance"), into.maintenance);
  if (from.has("protections")) read_protections(from.child("protections"), into.protections);
  if (from.has("brakes")) read_brakes(from.child("brakes"), into.brakes);
  read_windows(from, into.windows);
  read_pools(from, into.pools);
  from.refuse_unknown_fields();
}

void print_rescheduling(const ReschedulingSettings& settings, YamlWriter& to) {
  to.open("rescheduling");
  print_modes(settings.modes, to);
  print_strategies(settings, to);
  print_protections(settings.protections, to);
  print_brakes(settings.brakes, to);
  print_windows(settings.windows, to);
  print_pools(settings.pools, to);
  to.close();
}

}  // namespace rescheduler::config
