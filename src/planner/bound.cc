#include "planner/bound.h"

#include <algorithm>

namespace rescheduler::planner {

Cost lower_bound(const Problem& problem) {
  const std::size_t count = problem.resource_count();
  std::vector<Amount> used(count);
  std::vector<Amount> capacity(count);
  std::vector<Amount> target(count);
  const std::vector<Amount>& targets = problem.target.empty() ? problem.capacity : problem.target;
  for (std::size_t i = 0; i < problem.demand.size(); ++i) used[i % count] += problem.demand[i];
  for (std::size_t i = 0; i < problem.taken.size(); ++i) used[i % count] += problem.taken[i];
  for (std::size_t i = 0; i < problem.capacity.size(); ++i) capacity[i % count] += problem.capacity[i];
  for (std::size_t i = 0; i < targets.size(); ++i) target[i % count] += targets[i];
  Cost bound = 0;
  for (std::size_t r = 0; r < count; ++r) {
    bound += problem.resources[r].excess_weight * std::max<Amount>(0, used[r] - target[r]);
  }
  for (const BalanceRule& rule : problem.balances) {
    const Amount first = capacity[rule.first] - used[rule.first];
    const Amount second = capacity[rule.second] - used[rule.second];
    bound += rule.weight * std::max<Amount>(0, rule.ratio * first - second);
  }
  return bound;
}

}  // namespace rescheduler::planner
