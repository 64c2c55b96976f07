// Replays a day of recorded utilisation on clusters of 100 and 1,000 nodes. The same pods are placed by
// kube-scheduler's defaults, by the defaults with each published load rule, and by ours. Reports how often and how long
// nodes are above 80 %.
//
//   load_replay                     tables in Markdown, the mean of three seeds; docs/benchmarks.md has the last run
//   load_replay --quick             100 nodes, one seed
//   load_replay --csv FILE --plot FILE.svg
//   load_replay --burst             200 pods between two readings
//   load_replay --ours "bonus=0"    our plugin and LoadTracker with other settings: rules/ours.h
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "burst.h"
#include "kube/config/environment.h"
#include "replay.h"
#include "report.h"
#include "rules/ours.h"

namespace rescheduler::replay {
namespace {

constexpr int kNoData = 77;  // exit code of a skipped test

struct Choices {
  bool quick = false;
  bool burst = false;
  std::vector<std::string> settings{};
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

Result<std::vector<NamedRule>> settings_for(const Choices& choices) {
  std::vector<NamedRule> rules;
  for (const std::string& text : choices.settings) {
    const auto settings = parse_our_settings(text);
    if (!settings) return fail(settings.error());
    for (const int weight : choices.weights) {
      rules.push_back({"rescheduler " + text, rescheduler_plugin(*settings), weight});
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

constexpr int kTries = 20;  // each with other random choices between equally good nodes

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

int complain(const Error& error) {
  fmt::print(stderr, "load_replay: {}\n", error.message);
  return error.code == Errc::NotFound ? kNoData : 1;
}

int written_or_not(const std::string& path, const std::string& text) {
  const auto written = write_text(path, text);
  return written ? 0 : complain(written.error());
}

int run(const Choices& choices) {
  const auto rules = choices.settings.empty() ? rules_for(choices) : settings_for(choices);
  if (!rules) return complain(rules.error());
  if (choices.burst) return show_burst(*rules);
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
  app.add_option("--ours", choices.settings,
                 "our plugin and ledger with other settings, such as 'halfLife=600 bonus=0'");
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
