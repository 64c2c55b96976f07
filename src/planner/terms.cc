#include "planner/terms.h"

namespace rescheduler::planner {

Amount mean_share(const Problem& problem, std::size_t resource) {
  const std::size_t count = problem.resource_count();
  Amount used = 0;
  Amount capacity = 0;
  for (std::size_t m = 0; m < problem.machines.size(); ++m) {
    used += problem.taken.empty() ? 0 : problem.taken[m * count + resource];
    capacity += problem.capacity[m * count + resource];
  }
  for (std::size_t p = 0; p < problem.processes.size(); ++p) used += problem.demand[p * count + resource];
  // Of ten thousand, by floating point: the bytes of a large fleet times ten thousand would overflow an integer.
  return capacity > 0 ? static_cast<Amount>(static_cast<double>(used) / static_cast<double>(capacity) * kWholeShare)
                      : 0;
}

Terms::Terms(const Problem& problem)
    : count_(problem.resource_count()),
      capacity_(problem.capacity.data()),
      target_(problem.target.empty() ? problem.capacity.data() : problem.target.data()),
      balances_(problem.balances) {
  for (std::size_t r = 0; r < count_; ++r) {
    const ResourceRule& rule = problem.resources[r];
    excess_weight_.push_back(rule.excess_weight);
    if (rule.uneven_weight != 0) uneven_.push_back({r, mean_share(problem, r), rule.uneven_weight});
  }
  for (const MachineFacts& machine : problem.machines) upkeep_.push_back(machine.upkeep);
}

}  // namespace rescheduler::planner
