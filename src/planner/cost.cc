// Computes cost and rules from scratch in the simplest way; tests compare the incremental State with it.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/core.h>

#include "planner/improve.h"
#include "planner/terms.h"

namespace rescheduler::planner {

namespace {

using Places = std::vector<Machine>;

std::vector<Amount> usage(const Problem& problem, const Places& where) {
  const std::size_t count = problem.resource_count();
  std::vector<Amount> used = problem.taken;
  used.resize(problem.capacity.size());
  for (Process p = 0; p < where.size(); ++p) {
    for (std::size_t r = 0; r < count; ++r) used[where[p] * count + r] += problem.demand[p * count + r];
  }
  return used;
}

Cost cost_of_moves(const Problem& problem, const Places& where) {
  Cost sum = 0;
  std::map<Group, Cost> moved;
  for (Process p = 0; p < where.size(); ++p) {
    const ProcessFacts& process = problem.processes[p];
    if (where[p] == process.machine) continue;
    sum += process.price;
    if (!problem.machine_move.empty()) {
      const std::size_t way = process.machine * problem.machines.size() + where[p];
      sum += problem.machine_move[way] * problem.machine_move_weight;
    }
    if (process.group != kNoGroup) ++moved[process.group];
  }
  Cost most = 0;
  for (const auto& [group, count] : moved) most = std::max(most, count);
  return sum + most * problem.group_move_weight;
}

std::optional<std::string> broken_capacity(const Problem& problem, const Places& where) {
  const std::size_t count = problem.resource_count();
  std::vector<Amount> used = usage(problem, where);
  for (Process p = 0; p < where.size(); ++p) {
    const Machine home = problem.processes[p].machine;
    if (where[p] == home) continue;
    for (std::size_t r = 0; r < count; ++r) {
      if (problem.resources[r].transient) used[home * count + r] += problem.demand[p * count + r];
    }
  }
  for (Machine m = 0; m < problem.machines.size(); ++m) {
    for (std::size_t r = 0; r < count; ++r) {
      const std::size_t i = m * count + r;
      if (used[i] <= problem.capacity[i]) continue;
      return fmt::format("machine {} has {} of resource {} and uses {}", m, problem.capacity[i], r, used[i]);
    }
  }
  return std::nullopt;
}

std::optional<std::string> broken_group(const Problem& problem, const Places& where) {
  std::vector<std::vector<Machine>> machines(problem.groups.size());
  std::vector<std::set<std::uint32_t>> neighbourhoods(problem.groups.size());
  for (Process p = 0; p < where.size(); ++p) {
    const Group group = problem.processes[p].group;
    if (group == kNoGroup) continue;
    machines[group].push_back(where[p]);
    neighbourhoods[group].insert(problem.machines[where[p]].neighbourhood);
  }
  for (Group g = 0; g < problem.groups.size(); ++g) {
    const GroupFacts& facts = problem.groups[g];
    if (machines[g].empty()) continue;
    const std::set<Machine> distinct(machines[g].begin(), machines[g].end());
    if (facts.apart && distinct.size() < machines[g].size()) return fmt::format("two of group {} share a machine", g);
    std::set<std::uint32_t> locations;
    for (const Machine m : distinct) locations.insert(problem.machines[m].location);
    if (locations.size() < facts.least_locations) {
      return fmt::format("group {} is in {} locations and needs {}", g, locations.size(), facts.least_locations);
    }
    for (const Group other : facts.depends_on) {
      for (const std::uint32_t n : neighbourhoods[g]) {
        if (neighbourhoods[other].contains(n)) continue;
        return fmt::format("group {} is in neighbourhood {} without group {}, which it depends on", g, n, other);
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> broken_move(const Problem& problem, const Places& where) {
  std::vector<std::uint32_t> of_cap(problem.caps.size());
  for (Process p = 0; p < where.size(); ++p) {
    if (where[p] == problem.processes[p].machine) continue;
    if (!problem.processes[p].moves) return fmt::format("process {} may not move", p);
    if (!problem.machines[where[p]].takes) return fmt::format("machine {} takes no process, not {}", where[p], p);
    if (problem.caps_of.empty()) continue;
    for (const Cap cap : problem.caps_of[p]) {
      if (++of_cap[cap] > problem.caps[cap].most) return fmt::format("cap {} is exceeded by moving process {}", cap, p);
    }
  }
  return std::nullopt;
}

}  // namespace

Cost cost_of(const Problem& problem, const Places& where) {
  const std::size_t count = problem.resource_count();
  const std::vector<Amount> used = usage(problem, where);
  std::vector<bool> occupied(problem.machines.size());
  for (const Machine m : where) occupied[m] = true;
  const std::vector<Amount>& target = problem.target.empty() ? problem.capacity : problem.target;
  std::vector<Amount> mean;
  for (std::size_t r = 0; r < count; ++r) mean.push_back(mean_share(problem, r));
  Cost sum = cost_of_moves(problem, where);
  for (Machine m = 0; m < problem.machines.size(); ++m) {
    if (occupied[m]) sum += problem.machines[m].upkeep;
    const std::size_t row = m * count;
    for (std::size_t r = 0; r < count; ++r) {
      const ResourceRule& rule = problem.resources[r];
      sum += rule.excess_weight * std::max<Amount>(0, used[row + r] - target[row + r]);
      if (rule.uneven_weight == 0 || problem.capacity[row + r] <= 0) continue;
      const Amount off = used[row + r] * kWholeShare / problem.capacity[row + r] - mean[r];
      sum += rule.uneven_weight * off * off;
    }
    for (const BalanceRule& rule : problem.balances) {
      const Amount first = problem.capacity[row + rule.first] - used[row + rule.first];
      const Amount second = problem.capacity[row + rule.second] - used[row + rule.second];
      sum += rule.weight * std::max<Amount>(0, rule.ratio * first - second);
    }
  }
  return sum;
}

std::optional<std::string> broken_rule(const Problem& problem, const Places& where) {
  if (where.size() != problem.processes.size()) return "the assignment is not of this problem's processes";
  for (Process p = 0; p < where.size(); ++p) {
    if (where[p] >= problem.machines.size()) return fmt::format("process {} is on no machine", p);
  }
  if (auto broken = broken_capacity(problem, where)) return broken;
  if (auto broken = broken_group(problem, where)) return broken;
  return broken_move(problem, where);
}

}  // namespace rescheduler::planner
