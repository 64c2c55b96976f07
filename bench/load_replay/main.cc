// Replays a day of recorded utilisation on clusters of 100 and 1,000 nodes, with the same pods placed by
// kube-scheduler's defaults, by each of the published load rules beside them, and by ours: how often and how long nodes
// are above 80 %.
//
//   load_replay                     tables in Markdown, the mean of three seeds; docs/benchmarks.md has the last
//   load_replay --quick             100 nodes, one seed
//   load_replay --csv FILE --plot FILE.svg
//   load_replay --variant "window=15 bonus=0"   our rule with other constants: rules/variants.h
#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "kube/config/environment.h"
#include "replay.h"
#include "report.h"
#include "rules/variants.h"

namespace rescheduler::replay {
namespace {

constexpr int kNoData = 77;  // as test runners know it: skipped

struct Choices {
  bool quick = false;
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
  with.push_back({"rescheduler", variant({})});
  for (const NamedRule& rule : with) {
    for (const int weight : choices.weights) rules.push_back({rule.name, rule.make, weight});
  }
  return rules;
}

Result<std::vector<NamedRule>> variants_for(const Choices& choices) {
  std::vector<NamedRule> rules;
  for (const std::string& text : choices.variants) {
    const auto options = parse_variant(text);
    if (!options) return fail(options.error());
    for (const int weight : choices.weights) {
      rules.push_back({text.empty() ? "as it is" : text, variant(*options), weight});
    }
  }
  return rules;
}

Table run(const Choices& choices, const std::vector<NamedRule>& rules, int nodes, const Traces& traces) {
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

int replay_all(const Choices& choices) {
  const auto traces = read_traces(sim::series_directory(kube::process_environment()));
  if (!traces) {
    fmt::print("load_replay: {}\n", traces.error().message);
    return traces.error().code == Errc::NotFound ? kNoData : 1;
  }
  const auto rules = choices.variants.empty() ? rules_for(choices) : variants_for(choices);
  if (!rules) {
    fmt::print(stderr, "load_replay: {}\n", rules.error().message);
    return 2;
  }
  std::vector<Table> tables;
  for (const int nodes : choices.nodes) tables.push_back(run(choices, *rules, nodes, *traces));
  if (!choices.csv.empty()) {
    if (const auto written = write_text(choices.csv, csv_of(tables)); !written) {
      fmt::print(stderr, "load_replay: {}\n", written.error().message);
      return 1;
    }
  }
  return 0;
}

}  // namespace
}  // namespace rescheduler::replay

int main(int argc, char** argv) {
  rescheduler::replay::Choices choices;
  CLI::App app("Which placing rule keeps nodes below the threshold");
  app.add_flag("--quick", choices.quick, "100 nodes and one seed");
  app.add_option("--variant", choices.variants, "our rule with other constants, such as 'window=15 bonus=0'");
  app.add_option("--nodes", choices.nodes, "sizes of the cluster");
  app.add_option("--seeds", choices.seeds, "how many");
  app.add_option("--weights", choices.weights, "of the load plugin's score");
  app.add_option("--sample", choices.replay.sample_minutes, "minutes between two readings");
  app.add_option("--requested", choices.requested, "share of the cluster that pods ask for");
  app.add_option("--only", choices.only, "rules with this in their name");
  app.add_option("--csv", choices.csv, "write every number there");
  app.add_option("--plot", choices.plot, "draw it there, as SVG");
  CLI11_PARSE(app, argc, argv);
  if (choices.nodes.empty()) choices.nodes = choices.quick ? std::vector{100} : std::vector{100, 1000};
  if (choices.seeds == 0) choices.seeds = choices.quick ? 1 : 3;
  return rescheduler::replay::replay_all(choices);
}
