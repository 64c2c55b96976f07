// The planner on the instances of the ROADEF/EURO challenge 2012, compared with published results.
//
//   roadef                          sets A and B, 300 s and 2 threads per instance: some 90 minutes
//   roadef --only b_1,b_2 --time 60 --threads 1
//   roadef --clock cpu              CPU time of each thread: independent of other load on the machine
//   roadef --out DIRECTORY          keep the solutions
//
// Every solution is written in the challenge's format and verified by checker.py, which shares no code with the
// planner.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "instance.h"
#include "race.h"

namespace rescheduler::roadef {
namespace {

using planner::Cost;

constexpr int kNoData = 77;  // exit code of a skipped test

struct Options {
  std::string data = default_directory();
  std::string out{};
  std::vector<std::string> only{};
  double seconds = 300.0;
  TimeOf time_of = TimeOf::kWall;
  std::uint64_t steps = kUnbounded;
  unsigned threads = 2;
  std::uint64_t seed = 1;
  bool check = true;
};

struct Row {
  Known known{};
  Cost cost = 0;
  std::size_t moves = 0;
  std::uint64_t steps = 0;
  std::string verdict{};
};

// The score of the challenge: the distance to the best known cost, in percent of the initial cost.
double score(Cost cost, const Known& known) {
  return 100.0 * static_cast<double>(cost - known.reference) / static_cast<double>(known.initial);
}

std::string verdict(const Files& files, const std::string& solution) {
  const std::string command = fmt::format("python3 '" ROADEF_FOLDER "/checker.py' '{}' '{}' '{}' >/dev/null",
                                          files.model, files.assignment, solution);
  return std::system(command.c_str()) == 0 ? "feasible" : "NOT FEASIBLE";  // NOLINT(cert-env33-c): our own checker
}

Result<Row> run_one(const Options& options, const Known& known, const Files& files) {
  auto problem = read_instance(files);
  if (!problem) return fail(std::move(problem.error()));
  const auto time = std::chrono::nanoseconds(static_cast<std::int64_t>(options.seconds * 1e9));
  const planner::Solution solution =
      race(*problem, {time, options.time_of, options.steps, options.threads, options.seed});
  Row row{known, planner::cost_of(*problem, solution.where), solution.moves.size(), solution.steps, {}};
  if (const auto broken = planner::broken_rule(*problem, solution.where)) {
    return fail(Errc::Internal, "{}: {}", known.name, *broken);
  }
  const std::string path = options.out + "/solution_" + known.name + ".txt";
  std::ofstream file(path);
  for (std::size_t p = 0; p < solution.where.size(); ++p) file << (p == 0 ? "" : " ") << solution.where[p];
  file << '\n';
  file.close();
  if (!file) return fail(Errc::Unavailable, "{} cannot be written", path);
  row.verdict = options.check ? verdict(files, path) : "unchecked";
  return row;
}

std::string other(const std::optional<Cost>& cost, const Known& known) {
  return cost ? fmt::format("{} | {:.4f}", *cost, score(*cost, known)) : " | ";
}

void print(const Row& row) {
  const Known& known = row.known;
  fmt::print("| {} | {} | {} | {} | {:.4f} | {} | {} | {} | {} | {:.0f} M | {} |\n", known.name, known.bound,
             known.reference, row.cost, score(row.cost, known), other(known.s41, known), other(known.j33, known),
             known.s41 ? (row.cost <= *known.s41 ? "yes" : "no") : "", row.moves, static_cast<double>(row.steps) / 1e6,
             row.verdict);
  std::fflush(stdout);
}

void print_totals(const std::vector<Row>& rows) {
  double ours = 0.0;
  double s41 = 0.0;
  double j33 = 0.0;
  std::size_t count = 0;
  for (const Row& row : rows) {
    if (!row.known.j33 || !row.known.s41) continue;
    ours += score(row.cost, row.known);
    s41 += score(*row.known.s41, row.known);
    j33 += score(*row.known.j33, row.known);
    ++count;
  }
  if (count == 0) return;
  fmt::print("\nChallenge score over the {} instances of set B above: ours {:.4f}, S41 {:.4f}, J33 {:.4f}\n", count,
             ours, s41, j33);
}

int run(const Options& options) {
  const auto known = read_known();
  if (!known) {
    fmt::print(stderr, "roadef: {}\n", known.error().message);
    return 1;
  }
  fmt::print("{} seconds of {} x {} thread(s) an instance, seed {}\n\n", options.seconds,
             options.time_of == TimeOf::kWall ? "the wall clock" : "each thread's processor time", options.threads,
             options.seed);
  fmt::print(
      "| instance | bound | reference | ours | score | S41 | score | J33 | score | not above S41 | moves | steps | "
      "|\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  std::vector<Row> rows;
  bool sound = true;
  for (const Known& one : *known) {
    if (!options.only.empty() && std::ranges::find(options.only, one.name) == options.only.end()) {
      continue;
    }
    const auto files = find_instance(options.data, one.name);
    if (!files) {
      fmt::print("| {} | no model here |\n", one.name);
      continue;
    }
    const auto row = run_one(options, one, *files);
    if (!row) {
      fmt::print(stderr, "roadef: {}\n", row.error().message);
      return 1;
    }
    sound = sound && row->verdict != "NOT FEASIBLE";
    print(*row);
    rows.push_back(*row);
  }
  if (rows.empty()) {
    fmt::print(stderr, "roadef: no instance in {}; set RESCHEDULER_DATA to the directory with the data\n",
               options.data);
    return kNoData;
  }
  print_totals(rows);
  return sound ? 0 : 1;
}

}  // namespace
}  // namespace rescheduler::roadef

int main(int argc, char** argv) {
  using namespace rescheduler::roadef;
  Options options;
  options.out = std::filesystem::temp_directory_path().string();
  CLI::App app("The planner on the instances of the ROADEF/EURO challenge of 2012");
  app.add_option("--data", options.data, "where the instances are");
  app.add_option("--out", options.out, "where the solutions go");
  app.add_option("--only", options.only, "instances, separated by commas")->delimiter(',');
  app.add_option("--time", options.seconds, "seconds an instance");
  const std::map<std::string, TimeOf> clocks{{"wall", TimeOf::kWall}, {"cpu", TimeOf::kProcessor}};
  app.add_option("--clock", options.time_of, "what the seconds are of: wall, or cpu, each thread's own")
      ->transform(CLI::CheckedTransformer(clocks));
  app.add_option("--steps", options.steps,
                 "candidates that each search may weigh: a bound that is the same everywhere");
  app.add_option("--threads", options.threads, "searches side by side")->check(CLI::PositiveNumber);
  app.add_option("--seed", options.seed, "of the first search");
  app.add_flag("!--no-check", options.check, "do not run the checker");
  CLI11_PARSE(app, argc, argv);
  return run(options);
}
