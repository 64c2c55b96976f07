// The twelve test pods on four embedded nodes whose load is higher than their requests, placed round-robin, as by
// kube-scheduler, and by load: how evenly the nodes are used once the pods are busy.
//
//   twelve_pods [--seeds N] [--plot FILE.svg] [--check]
//
// --check: exit 1 unless placing by load has the lowest deviation and maximum, of CPU and of memory.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/demo/embedded_scheduler.h"
#include "sim/cluster.h"
#include "sim/frontend/local_api.h"
#include "sim/load/load_model.h"
#include "sim/scenario/scenario_file.h"
#include "sim/scenario/scenario_runner.h"
#include "sim/scenario/trivial_placement.h"
#include "sim/time/pacer.h"

namespace rescheduler {
namespace {

using namespace std::chrono_literals;

enum class Placer : std::uint8_t { InTurn, LikeKubeScheduler, ByLoad };
constexpr std::array kPlacers = {Placer::InTurn, Placer::LikeKubeScheduler, Placer::ByLoad};

const char* name_of(Placer placer) {
  switch (placer) {
    case Placer::InTurn: return "round robin";
    case Placer::LikeKubeScheduler: return "kube-scheduler's defaults";
    case Placer::ByLoad: return "rescheduler";
  }
  return "";
}

// The demand of each node's pods as a share of the node; it may exceed 1.
struct Used {
  std::map<std::string, double> cpu{};
  std::map<std::string, double> memory{};
};

struct Spread {
  double deviation = 0;
  double largest = 0;
};

Spread spread_of(const std::map<std::string, double>& shares) {
  Spread spread;
  double sum = 0;
  for (const auto& [node, share] : shares) sum += share;
  const double mean = sum / static_cast<double>(shares.size());
  double squares = 0;
  for (const auto& [node, share] : shares) {
    squares += (share - mean) * (share - mean);
    spread.largest = std::max(spread.largest, share);
  }
  spread.deviation = std::sqrt(squares / static_cast<double>(shares.size()));
  return spread;
}

// The pods arrive after a minute and are busy from 100 s on. Then the nodes are measured for a minute.
Result<Used> play(sim::Scenario scenario, Placer placer, std::uint64_t seed) {
  scenario.seed = seed;
  sim::ClusterSettings settings;
  settings.seed = seed;
  sim::EmbeddedCluster cluster(settings);
  sim::ScenarioRunner runner(cluster.server(), scenario);
  sim::VirtualLoop loop(cluster.agenda());
  sim::LocalApi api(cluster.server(), cluster.documents());
  std::unique_ptr<sim::TrivialPlacement> in_turn;
  std::unique_ptr<cli::EmbeddedScheduler> scheduler;
  if (placer == Placer::InTurn) {
    in_turn = std::make_unique<sim::TrivialPlacement>(cluster.server());
  } else {
    const auto by = placer == Placer::ByLoad ? cli::Judges::Load : cli::Judges::Requests;
    auto made =
        cli::EmbeddedScheduler::make(api, loop.executor(), loop.timers(), cluster.agenda(), {.seed = seed, .by = by});
    if (!made) return fail(std::move(made.error()));
    scheduler = std::move(*made);
    scheduler->start();
  }
  runner.start();
  loop.run_for(130s);
  Used used;
  constexpr int kLooks = 12;
  for (int i = 0; i < kLooks; ++i) {
    loop.run_for(5s);
    for (const std::string& node : cluster.load().nodes()) {
      const auto now = cluster.load().node_usage(node);
      used.cpu[node] += static_cast<double>(now->cpu_demand) / static_cast<double>(now->cpu_capacity) / kLooks;
      used.memory[node] += static_cast<double>(now->memory) / static_cast<double>(now->memory_capacity) / kLooks;
    }
  }
  if (scheduler) {
    auto stopped = loop.await_result(scheduler->stop());
    if (!stopped) return fail(std::move(stopped.error()));
  }
  return used;
}

struct Row {
  Placer placer{};
  Spread cpu{};
  Spread memory{};
  Used mean{};  // mean over the seeds
};

Result<Row> row_of(const sim::Scenario& scenario, Placer placer, int seeds) {
  Row row{.placer = placer};
  for (int seed = 1; seed <= seeds; ++seed) {
    auto used = play(scenario, placer, static_cast<std::uint64_t>(seed));
    if (!used) return fail(std::move(used.error()));
    const auto add = [seeds](Spread& sum, const Spread& one) {
      sum.deviation += one.deviation / seeds;
      sum.largest += one.largest / seeds;
    };
    add(row.cpu, spread_of(used->cpu));
    add(row.memory, spread_of(used->memory));
    for (const auto& [node, share] : used->cpu) row.mean.cpu[node] += share / seeds;
    for (const auto& [node, share] : used->memory) row.mean.memory[node] += share / seeds;
  }
  return row;
}

void print(const std::vector<Row>& rows, int seeds) {
  fmt::print(
      "| placed by | CPU std. dev. | CPU max | memory std. dev. | memory max | CPU by node | memory by node |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  for (const Row& row : rows) {
    const auto list = [](const std::map<std::string, double>& shares) {
      std::string text;
      for (const auto& [node, share] : shares) text += fmt::format("{}{:.0f}%", text.empty() ? "" : " ", share * 100);
      return text;
    };
    fmt::print("| {} | {:.1f} | {:.1f}% | {:.1f} | {:.1f}% | {} | {} |\n", name_of(row.placer), row.cpu.deviation * 100,
               row.cpu.largest * 100, row.memory.deviation * 100, row.memory.largest * 100, list(row.mean.cpu),
               list(row.mean.memory));
  }
  fmt::print("Points of 100, mean of {} seeds; 12 pods of 13,750m and 17,268Mi on 4 nodes of 8 cores and 16 GiB.\n",
             seeds);
}

// A group of bars for each placer, a bar for each node; CPU above, memory below.
std::string plot(const std::vector<Row>& rows) {
  constexpr int kBar = 34;
  constexpr int kHeight = 160;
  constexpr double kTop = 1.4;  // share of a node
  constexpr std::array kColours = {"#4c78a8", "#f58518", "#54a24b", "#b279a2"};
  std::string svg =
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="640" height="470" font-family="sans-serif" font-size="12">)"
      "\n<rect width=\"640\" height=\"470\" fill=\"white\"/>\n";
  const auto panel = [&](const char* title, int y, const auto& shares_of) {
    svg += fmt::format("<text x=\"20\" y=\"{}\" font-weight=\"bold\">{}</text>\n", y - 8, title);
    const int full = y + kHeight - static_cast<int>(kHeight / kTop);
    svg += fmt::format("<line x1=\"20\" x2=\"620\" y1=\"{0}\" y2=\"{0}\" stroke=\"#c33\" stroke-dasharray=\"4\"/>\n",
                       full);
    int x = 30;
    for (const Row& row : rows) {
      std::size_t colour = 0;
      const int begin = x;
      for (const auto& [node, share] : shares_of(row)) {
        const int height = static_cast<int>(std::min(share, kTop) / kTop * kHeight);
        svg += fmt::format(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"><title>{} {:.0f}%</title></rect>\n", x,
            y + kHeight - height, kBar - 4, height, kColours[colour++ % kColours.size()], node, share * 100);
        x += kBar;
      }
      svg += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", begin, y + kHeight + 16, name_of(row.placer));
      x += 60;
    }
  };
  panel("CPU wanted, by node (dashed: the whole node)", 40, [](const Row& row) { return row.mean.cpu; });
  panel("Memory used, by node", 270, [](const Row& row) { return row.mean.memory; });
  return svg + "</svg>\n";
}

bool is_lowest(const std::vector<Row>& rows) {
  const Row& ours = rows.back();
  return std::ranges::all_of(rows.begin(), rows.end() - 1, [&](const Row& other) {
    return ours.cpu.deviation < other.cpu.deviation && ours.cpu.largest < other.cpu.largest
           && ours.memory.deviation < other.memory.deviation && ours.memory.largest < other.memory.largest;
  });
}

Result<int> run(int seeds, const std::string& plot_file, bool check) {
  auto scenario = sim::load_scenario("seed-12-pods");
  if (!scenario) return fail(std::move(scenario.error()));
  std::vector<Row> rows;
  for (const Placer placer : kPlacers) {
    auto row = row_of(*scenario, placer, seeds);
    if (!row) return fail(std::move(row.error()));
    rows.push_back(std::move(*row));
  }
  print(rows, seeds);
  if (!plot_file.empty()) {
    std::ofstream file(plot_file);
    file << plot(rows);
    if (!file.flush()) return fail(Errc::Unavailable, "{} cannot be written", plot_file);
  }
  if (check && !is_lowest(rows)) {
    fmt::print(stderr, "twelve_pods: placing by load is not the most even\n");
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace rescheduler

int main(int count, char** values) {
  int seeds = 10;
  std::string plot_file;
  bool check = false;
  for (int i = 1; i < count; ++i) {
    const std::string word = values[i];
    if (word == "--check") {
      check = true;
    } else if (word == "--seeds" && i + 1 < count) {
      seeds = std::max(1, std::atoi(values[++i]));
    } else if (word == "--plot" && i + 1 < count) {
      plot_file = values[++i];
    } else {
      fmt::print(stderr, "usage: twelve_pods [--seeds N] [--plot FILE.svg] [--check]\n");
      return 2;
    }
  }
  const auto code = rescheduler::run(seeds, plot_file, check);
  if (!code) fmt::print(stderr, "twelve_pods: {}\n", code.error().message);
  return code ? *code : 1;
}
