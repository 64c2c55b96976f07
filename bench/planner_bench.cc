// How long the planner takes to find a first good plan, its quality, and how both grow: clusters of 100 to 5,000
// machines, twenty processes each, two to four resources, unevenly loaded. The FeasibilityOracle takes as long as the
// scheduler's filters. One thread.
//
//   planner_bench              tables in Markdown
//   planner_bench --moves 200 --oracle-us 5
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/rng.h"
#include "planner/improve.h"
#include "planner/order.h"

namespace rescheduler::planner {
namespace {

constexpr std::size_t kProcessesOfAMachine = 20;
constexpr std::size_t kProcessesOfAGroup = 20;
constexpr std::uint32_t kZones = 3;
constexpr std::uint32_t kPools = 4;  // a tenth of the groups is restricted to one of them

// CPU time of this thread: on an idle machine it equals the elapsed time.
double cpu_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// Machines of two sizes at 60 % on average; every tenth is overloaded and every tenth is nearly empty.
Problem cluster(std::size_t machines, std::size_t resources, std::uint64_t seed) {
  Rng rng(seed);
  Problem problem;
  for (std::size_t r = 0; r < resources; ++r) problem.resources.push_back({false, 20, 1});
  std::vector<Amount> room;
  std::vector<double> luck;
  for (std::size_t m = 0; m < machines; ++m) {
    problem.machines.push_back(
        {static_cast<std::uint32_t>(m % kZones), static_cast<std::uint32_t>(m % kZones), 0, true});
    for (std::size_t r = 0; r < resources; ++r) {
      const Amount capacity = m % 3 == 0 ? 64'000 : 32'000;
      problem.capacity.push_back(capacity);
      problem.target.push_back(capacity * 8 / 10);
      problem.taken.push_back(capacity / 50);
    }
    luck.push_back(m % 10 == 0 ? 1.55 : (m % 10 == 5 ? 0.2 : 0.8 + 0.4 * rng.unit()));
  }
  problem.groups.resize(machines * kProcessesOfAMachine / kProcessesOfAGroup);
  for (std::size_t g = 0; g < problem.groups.size(); ++g) {
    problem.groups[g].apart = g % 5 == 0;
    problem.groups[g].at_once = 2;
  }
  for (std::size_t i = 0; i < machines * kProcessesOfAMachine; ++i) {
    const auto m = static_cast<Machine>(i % machines);
    ProcessFacts facts;
    facts.group = static_cast<Group>((i / kProcessesOfAGroup) % problem.groups.size());
    facts.machine = m;
    facts.price = 1'000;
    problem.processes.push_back(facts);
    for (std::size_t r = 0; r < resources; ++r) {
      const double mean =
          static_cast<double>(problem.capacity[m * resources + r]) * 0.58 / kProcessesOfAMachine * luck[m];
      problem.demand.push_back(static_cast<Amount>(mean * (0.4 + 1.2 * rng.unit())));
    }
  }
  return problem;
}

// Some processes are restricted to a pool of machines; every call takes as long as real filters.
class SlowOracle final : public FeasibilityOracle {
 public:
  SlowOracle(const Problem& problem, double takes_ms) : problem_(problem), takes_(takes_ms) {}
  bool allows(Process process, Machine machine) override {
    const double until = cpu_ms() + takes_;
    while (cpu_ms() < until) {
    }
    ++asked;
    const Group group = problem_.processes[process].group;
    const bool allowed = group % 10 != 0 || machine % kPools == group / 10 % kPools;
    refused += allowed ? 0U : 1U;
    return allowed;
  }
  void unassigned(Process, Machine) override {}
  void assigned(Process, Machine) override {}

  std::size_t asked = 0;
  std::size_t refused = 0;

 private:
  const Problem& problem_;
  double takes_;
};

struct Spread {
  double deviation = 0.0;
  double most = 0.0;
  std::size_t above = 0;  // machines above their target
};

Spread spread(const Problem& problem, const std::vector<Machine>& where) {
  const std::size_t count = problem.resource_count();
  std::vector<Amount> used = problem.taken;
  for (Process p = 0; p < where.size(); ++p) {
    for (std::size_t r = 0; r < count; ++r) used[where[p] * count + r] += problem.demand[p * count + r];
  }
  Spread result;
  double sum = 0.0;
  double squares = 0.0;
  for (std::size_t m = 0; m < problem.machines.size(); ++m) {
    bool above = false;
    for (std::size_t r = 0; r < count; ++r) {
      const std::size_t i = m * count + r;
      const double share = 100.0 * static_cast<double>(used[i]) / static_cast<double>(problem.capacity[i]);
      sum += share;
      squares += share * share;
      result.most = std::max(result.most, share);
      above = above || used[i] > problem.target[i];
    }
    result.above += above ? 1U : 0U;
  }
  const auto n = static_cast<double>(used.size());
  result.deviation = std::sqrt(std::max(0.0, squares / n - sum / n * sum / n));
  return result;
}

double memory_mb() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024.0;
  }
  return 0.0;
}

void run(std::size_t machines, std::size_t resources, std::size_t most_moves, double takes) {
  const Problem problem = cluster(machines, resources, 7);
  SlowOracle oracle(problem, takes);
  SearchLimits limits;
  limits.most_moves = most_moves;
  const double begin = cpu_ms();
  const Solution solution = improve(problem, limits, &oracle);
  const double improving = cpu_ms() - begin;
  const std::size_t asked = oracle.asked;
  const double then = cpu_ms();
  OrderLimits order;
  order.at_once = 20;
  const Ordered ordered = order_moves(problem, solution.moves, order, &oracle);
  const double ordering = cpu_ms() - then;
  std::vector<Machine> home;
  for (const ProcessFacts& process : problem.processes) home.push_back(process.machine);
  const Spread before = spread(problem, home);
  const Spread after = spread(problem, solution.where);
  fmt::print(
      "| {} | {} | {} | {} | {:.1f} | {:.1f} | {} | {} | {:.2f} -> {:.2f} | {:.1f} -> {:.1f} | {} -> {} | {:.0f} |\n",
      machines, machines * kProcessesOfAMachine, resources, solution.moves.size(), improving, ordering, asked,
      ordered.left_out.size(), before.deviation, after.deviation, before.most, after.most, before.above, after.above,
      memory_mb());
  std::fflush(stdout);
}

}  // namespace
}  // namespace rescheduler::planner

int main(int argc, char** argv) {
  using namespace rescheduler::planner;
  std::size_t moves = 200;
  double oracle_us = 5.0;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--moves") == 0) moves = std::stoul(argv[i + 1]);
    if (std::strcmp(argv[i], "--oracle-us") == 0) oracle_us = std::stod(argv[i + 1]);
  }
  const double takes = oracle_us / 1e3;
  fmt::print("At most {} moves; each call of the oracle takes {} us.\n\n", moves, oracle_us);
  fmt::print(
      "| machines | processes | resources | moves | improve, ms of CPU | order, ms of CPU | asked | left out | "
      "deviation, points | "
      "fullest, % | above target | MB |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const std::size_t machines : {100U, 200U, 500U, 1'000U, 2'000U, 5'000U}) run(machines, 2, moves, takes);
  for (const std::size_t resources : {3U, 4U}) run(5'000, resources, moves, takes);
  return 0;
}
