#include "planner/testing.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/rng.h"

namespace rescheduler::planner::testing {

namespace {

void make_machines(Problem& problem, const Shape& shape, Rng& rng) {
  for (std::size_t m = 0; m < shape.machines; ++m) {
    MachineFacts facts;
    facts.location = static_cast<std::uint32_t>(rng.below(4));
    facts.neighbourhood = facts.location / 2;
    facts.upkeep = static_cast<Cost>(rng.below(3)) * 50;
    facts.takes = rng.below(10) != 0;
    problem.machines.push_back(facts);
    for (std::size_t r = 0; r < shape.resources; ++r) {
      const Amount capacity = 100 + static_cast<Amount>(rng.below(3)) * 50;
      problem.capacity.push_back(capacity);
      problem.target.push_back(capacity * 6 / 10);
      problem.taken.push_back(static_cast<Amount>(rng.below(10)));
    }
  }
}

void make_processes(Problem& problem, const Shape& shape, Rng& rng) {
  const std::size_t resources = shape.resources;
  std::vector<Amount> room = problem.capacity;
  for (std::size_t i = 0; i < room.size(); ++i) room[i] -= problem.taken[i];
  const Amount fleet = static_cast<Amount>(shape.machines) * 150 * shape.percent_used / 100;
  const Amount most = std::max<Amount>(2, 2 * fleet / static_cast<Amount>(shape.processes));
  const auto groups = static_cast<Group>(shape.groups ? std::max<std::size_t>(1, shape.processes / 4) : 0);
  problem.groups.resize(groups);
  for (GroupFacts& group : problem.groups) {
    group.apart = rng.below(2) == 0;
    group.at_once = 1 + static_cast<std::uint32_t>(rng.below(2));
  }
  std::set<std::pair<Group, Machine>> taken;
  for (std::size_t p = 0; p < shape.processes; ++p) {
    ProcessFacts facts;
    facts.group = groups > 0 && rng.below(5) != 0 ? static_cast<Group>(rng.below(groups)) : kNoGroup;
    facts.price = static_cast<Cost>(rng.below(5));
    facts.moves = rng.below(12) != 0;
    std::vector<Amount> demand;
    for (std::size_t r = 0; r < resources; ++r) {
      demand.push_back(rng.below(6) == 0 ? 0 : static_cast<Amount>(rng.below(static_cast<std::uint64_t>(most))));
    }
    for (int attempt = 0; attempt < 20; ++attempt) {
      const auto m = static_cast<Machine>(rng.below(1 + rng.below(shape.machines)));  // the first machines are fuller
      bool fits = facts.group == kNoGroup || !taken.contains({facts.group, m});
      for (std::size_t r = 0; r < resources; ++r) fits = fits && demand[r] <= room[m * resources + r];
      if (!fits) continue;
      facts.machine = m;
      for (std::size_t r = 0; r < resources; ++r) room[m * resources + r] -= demand[r];
      if (facts.group != kNoGroup && problem.groups[facts.group].apart) taken.insert({facts.group, m});
      problem.processes.push_back(facts);
      problem.demand.insert(problem.demand.end(), demand.begin(), demand.end());
      break;
    }
  }
}

// Rules that the random assignment already obeys.
void make_group_rules(Problem& problem, Rng& rng) {
  std::vector<std::set<std::uint32_t>> locations(problem.groups.size());
  std::vector<std::set<std::uint32_t>> neighbourhoods(problem.groups.size());
  for (const ProcessFacts& process : problem.processes) {
    if (process.group == kNoGroup) continue;
    locations[process.group].insert(problem.machines[process.machine].location);
    neighbourhoods[process.group].insert(problem.machines[process.machine].neighbourhood);
  }
  for (Group g = 0; g < problem.groups.size(); ++g) {
    if (locations[g].empty()) continue;
    problem.groups[g].least_locations = static_cast<std::uint32_t>(rng.below(locations[g].size() + 1));
    for (Group other = 0; other < problem.groups.size(); ++other) {
      if (other == g || rng.below(4) != 0) continue;
      if (std::ranges::includes(neighbourhoods[other], neighbourhoods[g])) {
        problem.groups[g].depends_on.push_back(other);
      }
    }
  }
}

}  // namespace

Problem random_problem(std::uint64_t seed, const Shape& shape) {
  Rng rng(seed);
  Problem problem;
  for (std::size_t r = 0; r < shape.resources; ++r) {
    const bool transient = shape.transient && r + 1 == shape.resources;
    problem.resources.push_back({transient, static_cast<Cost>(rng.below(20)), static_cast<Cost>(rng.below(2))});
  }
  make_machines(problem, shape, rng);
  make_processes(problem, shape, rng);
  make_group_rules(problem, rng);
  if (shape.resources > 1) {
    problem.balances.push_back({0, 1, 1 + static_cast<Amount>(rng.below(2)), static_cast<Cost>(rng.below(5))});
  }
  if (shape.move_costs) {
    problem.group_move_weight = 7;
    problem.machine_move_weight = 3;
    for (std::size_t i = 0; i < shape.machines * shape.machines; ++i) {
      problem.machine_move.push_back(static_cast<std::int32_t>(rng.below(4)));
    }
  }
  if (shape.caps) {
    for (int i = 0; i < 3; ++i) problem.caps.push_back({static_cast<std::uint32_t>(rng.below(12))});
    problem.caps_of.resize(problem.processes.size());
    for (std::vector<Cap>& caps : problem.caps_of) {
      for (Cap cap = 0; cap < 3; ++cap) {
        if (rng.below(4) == 0) caps.push_back(cap);
      }
    }
  }
  return problem;
}

Shape random_shape(std::uint64_t seed) {
  Rng rng(seed ^ 0x5eed);
  Shape shape;
  shape.machines = 2 + rng.below(10);
  shape.processes = 1 + rng.below(60);
  shape.resources = 1 + rng.below(3);
  shape.groups = rng.below(4) != 0;
  shape.transient = rng.below(2) == 0;
  shape.move_costs = rng.below(2) == 0;
  shape.caps = rng.below(3) == 0;
  shape.percent_used = 40 + static_cast<int>(rng.below(50));
  return shape;
}

Problem plain_problem(Amount capacity, Amount target, const std::vector<std::vector<Amount>>& demands) {
  Problem problem;
  problem.resources.push_back({false, 1, 0});
  for (Machine m = 0; m < demands.size(); ++m) {
    problem.machines.push_back({m, 0, 0, true});
    problem.capacity.push_back(capacity);
    problem.target.push_back(target);
    for (const Amount demand : demands[m]) {
      problem.processes.push_back({kNoGroup, m, 0, true});
      problem.demand.push_back(demand);
    }
  }
  return problem;
}

StrictOracle::StrictOracle(const Problem& problem,
                           std::uint64_t seed,
                           unsigned percent_refused,
                           std::size_t most_on_machine)
    : seed_(seed),
      percent_refused_(percent_refused),
      most_on_machine_(most_on_machine),
      count_(problem.machines.size()) {
  for (const ProcessFacts& process : problem.processes) {
    home_.push_back(process.machine);
    ++count_[process.machine];
  }
  where_ = home_;
}

bool StrictOracle::refuses(Process process, Machine machine) const {
  return Rng(seed_ ^ (std::uint64_t{process} << 32) ^ machine).below(100) < percent_refused_;
}

bool StrictOracle::allows(Process process, Machine machine) {
  ++asked_;
  EXPECT_EQ(where_[process], kNoMachine) << "process " << process << " has not been unassigned";
  if (machine == home_[process]) return true;
  return !refuses(process, machine) && count_[machine] < most_on_machine_;
}

void StrictOracle::unassigned(Process process, Machine from) {
  EXPECT_EQ(where_[process], from);
  where_[process] = kNoMachine;
  --count_[from];
}

void StrictOracle::assigned(Process process, Machine on) {
  EXPECT_EQ(where_[process], kNoMachine);
  where_[process] = on;
  ++count_[on];
}

}  // namespace rescheduler::planner::testing
