// Replays a day of recorded utilisation on clusters of 100 and 1,000 nodes, with the same pods placed by
// kube-scheduler's defaults, by each of the published load rules beside them, and by ours: how often and how long nodes
// are above 80 %.
//
//   load_replay                     tables in Markdown, the mean of three seeds; docs/benchmarks.md has the last
//   load_replay --quick             100 nodes, one seed
//   load_replay --csv FILE --plot FILE.svg
//   load_replay --burst             200 pods between two readings
//   load_replay --twelve            the twelve test pods on four nodes that are busier than they look
//   load_replay --ours "bonus=0"    our plugin and ledger with other settings: rules/ours.h
//   load_replay --variant "window=15 bonus=0"   our rule with other constants: rules/variants.h
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "kube/config/environment.h"
#include "replay.h"
#include "report.h"
#include "rules/ours.h"
#include "rules/variants.h"
#include "small_cases.h"

namespace rescheduler::replay {
namespace {

constexpr int kNoData = 77;  // as test runners know it: skipped

struct Choices {
  bool quick = false;
  bool burst = false;
  bool twelve = false;
  std::vector<std::string> settings{};
  std::vector<std::string> variants{};
  std::vector<int> nodes{};
  int seeds = 0;
  std::vector<int> weights{1, 5};
  ReplayOptions replay{};
  double requested = 0.65;
  std::string only{};
  std::string csv{};
  std::string plot{};
};

std::vector<NamedRule> published() {
  return {{"TargetLoadPacking", target_load_packing()},
          {"LoadVariationRiskBalancing", load_variation_risk_balancing()},
          {"crane Dynamic", crane_dynamic()},
          {"koordinator LoadAware", koordinator_load_aware()}};
}

Result<std::vector<NamedRule>> rules_for(const Choices& choices) {
  std::vector<NamedRule> rules{{"kube-scheduler defaults", kube_scheduler_defaults(), 0}};
  auto with = published();
  with.push_back({"rescheduler", rescheduler_plugin()});
  for (const NamedRule& rule : with) {
    for (const int weight : choices.weights) rules.push_back({rule.name, rule.make, weight});
  }
  return rules;
}

Result<std::vector<NamedRule>> variants_for(const Choices& choices) {
  std::vector<NamedRule> rules;
  for (const std::string& text : choices.settings) {
    const auto settings = parse_our_settings(text);
    if (!settings) return fail(settings.error());
    for (const int weight : choices.weights) {
      rules.push_back({"rescheduler " + text, rescheduler_plugin(*settings), weight});
    }
  }
  for (const std::string& text : choices.variants) {
    const auto options = parse_variant(text);
    if (!options) return fail(options.error());
    for (const int weight : choices.weights) {
      rules.push_back({text.empty() ? "as it is" : text, variant(*options), weight});
    }
  }
  return rules;
}

Table replay_all(const Choices& choices, const std::vector<NamedRule>& rules, int nodes, const Traces& traces) {
  Table table{nodes, {}};
  std::vector<Workload> workloads;
  for (int seed = 1; seed <= choices.seeds; ++seed) {
    WorkloadOptions options;
    options.nodes = nodes;
    options.seed = static_cast<std::uint64_t>(seed);
    options.requested = choices.requested;
    workloads.push_back(make_workload(options, traces));
  }
  fmt::print("\n{} nodes, {} pods a day, the mean of {} seeds:\n\n{}\n", nodes, workloads.front().jobs.size(),
             choices.seeds, table_head());
  for (const NamedRule& rule : rules) {
    if (!choices.only.empty() && rule.name.find(choices.only) == std::string::npos) continue;
    Row row{rule.name, rule.weight, {}, {}};
    for (const Workload& workload : workloads) row.runs.push_back(replay(workload, rule, choices.replay));
    row.mean = mean_of(row.runs);
    fmt::print("{}\n", table_line(row));
    std::fflush(stdout);
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string weight_text(const NamedRule& rule) { return rule.weight == 0 ? "" : std::to_string(rule.weight); }

constexpr int kTries = 20;  // with other choices between equally good nodes

int show_burst(const std::vector<NamedRule>& rules) {
  fmt::print(
      "\n200 pods between two readings on 20 equal nodes: the largest load over the mean, the worst of {} tries.\n\n"
      "| rule | weight | pods of 1 core | of 0.25 to 2 cores | one node idle at first |\n|---|---|---|---|---|\n",
      kTries);
  for (const NamedRule& rule : rules) {
    std::array<double, 3> worst{};
    for (std::uint64_t seed = 1; seed <= kTries; ++seed) {
      worst[0] = std::max(worst[0], burst(rule, {.seed = seed}));
      worst[1] = std::max(worst[1], burst(rule, {.mixed = true, .seed = seed}));
      worst[2] = std::max(worst[2], burst(rule, {.mixed = true, .one_idle = true, .seed = seed}));
    }
    fmt::print("| {} | {} | {:.3f} | {:.3f} | {:.3f} |\n", rule.name, weight_text(rule), worst[0], worst[1], worst[2]);
  }
  return 0;
}

void twelve_line(const std::string& name, const TwelvePods& outcome) {
  std::string by_node;
  for (std::size_t i = 0; i < kTwelveNodes.size(); ++i) {
    by_node += fmt::format("{}{:.0f}/{:.0f}", i == 0 ? "" : " ", 100 * outcome.cpu_by_node[i],
                           100 * outcome.memory_by_node[i]);
  }
  fmt::print("| {} | {:.1f} | {:.1f} % | {:.1f} | {:.1f} % | {} | {:.0f} |\n", name, 100 * outcome.cpu.deviation,
             100 * outcome.cpu.largest, 100 * outcome.memory.deviation, 100 * outcome.memory.largest, by_node,
             outcome.pending);
}

std::vector<std::pair<std::string, TwelvePods>> show_twelve(const std::vector<NamedRule>& rules) {
  fmt::print(
      "\nThe twelve pods on four nodes, when they use what they asked for; the mean of {} tries.\n\n"
      "| rule | CPU deviation | largest | memory deviation | largest | CPU/memory of hot, warm, cool, idle | left out "
      "|\n"
      "|---|---|---|---|---|---|---|\n",
      kTries);
  std::vector<std::pair<std::string, TwelvePods>> all{{"round robin", twelve_pods_in_turn()}};
  for (const NamedRule& rule : rules) {
    std::vector<TwelvePods> runs;
    for (std::uint64_t seed = 1; seed <= kTries; ++seed) runs.push_back(twelve_pods(rule, seed));
    all.emplace_back(rule.weight == 0 ? rule.name : fmt::format("{}, weight {}", rule.name, rule.weight),
                     mean_of(runs));
  }
  for (const auto& [name, outcome] : all) twelve_line(name, outcome);
  return all;
}

int complain(const Error& error) {
  fmt::print(stderr, "load_replay: {}\n", error.message);
  return error.code == Errc::NotFound ? kNoData : 1;
}

int written_or_not(const std::string& path, const std::string& text) {
  const auto written = write_text(path, text);
  return written ? 0 : complain(written.error());
}

int run(const Choices& choices) {
  const auto rules = choices.variants.empty() && choices.settings.empty() ? rules_for(choices) : variants_for(choices);
  if (!rules) return complain(rules.error());
  if (choices.burst) return show_burst(*rules);
  if (choices.twelve) {
    const auto twelve = show_twelve(*rules);
    return choices.plot.empty() ? 0 : written_or_not(choices.plot, plot_of(twelve));
  }
  const auto traces = read_traces(sim::series_directory(kube::process_environment()));
  if (!traces) return complain(traces.error());
  std::vector<Table> tables;
  for (const int nodes : choices.nodes) tables.push_back(replay_all(choices, *rules, nodes, *traces));
  const int csv = choices.csv.empty() ? 0 : written_or_not(choices.csv, csv_of(tables));
  const int plot = choices.plot.empty() ? 0 : written_or_not(choices.plot, plot_of(tables));
  return std::max(csv, plot);
}

}  // namespace
}  // namespace rescheduler::replay

int main(int argc, char** argv) {
  rescheduler::replay::Choices choices;
  CLI::App app("Which placing rule keeps nodes below the threshold");
  app.add_flag("--quick", choices.quick, "100 nodes and one seed");
  app.add_flag("--burst", choices.burst, "200 pods between two readings, instead");
  app.add_flag("--twelve", choices.twelve, "the twelve test pods on four nodes, instead");
  app.add_option("--ours", choices.settings,
                 "our plugin and ledger with other settings, such as 'halfLife=600 bonus=0'");
  app.add_option("--variant", choices.variants, "our rule with other constants, such as 'window=15 bonus=0'");
  app.add_option("--nodes", choices.nodes, "sizes of the cluster");
  app.add_option("--seeds", choices.seeds, "how many");
  app.add_option("--weights", choices.weights, "of the load plugin's score");
  app.add_option("--sample", choices.replay.sample_minutes, "minutes between two readings")->check(CLI::PositiveNumber);
  app.add_option("--requested", choices.requested, "share of the cluster that pods ask for");
  app.add_option("--only", choices.only, "rules with this in their name");
  app.add_option("--csv", choices.csv, "write every number there");
  app.add_option("--plot", choices.plot, "draw it there, as SVG");
  CLI11_PARSE(app, argc, argv);
  if (choices.nodes.empty()) choices.nodes = choices.quick ? std::vector{100} : std::vector{100, 1000};
  if (choices.seeds == 0) choices.seeds = choices.quick ? 1 : 3;
  return rescheduler::replay::run(choices);
}
