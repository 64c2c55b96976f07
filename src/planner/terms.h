// The cost of a machine by its usage: excess, unevenness, balance, upkeep. Every term depends on one machine alone, so
// a move changes the terms of two machines. Evaluating one costs O(resources + balances).
#pragma once

#include <cstddef>
#include <vector>

#include "planner/problem.h"

namespace rescheduler::planner {

class Terms {
 public:
  explicit Terms(const Problem& problem);

  // `used`: by resource, including Problem::taken. `occupied`: the machine has a process.
  Cost of(Machine machine, const Amount* used, bool occupied) const { return with(machine, used, Nothing{}, occupied); }
  // As if `demand` were added.
  Cost plus(Machine machine, const Amount* used, const Amount* demand) const {
    return with(machine, used, Added{demand}, true);
  }
  // As if `demand` were removed; `occupied`: a process is left.
  Cost minus(Machine machine, const Amount* used, const Amount* demand, bool occupied) const {
    return with(machine, used, Removed{demand}, occupied);
  }
  // As if `out` were replaced by `in`.
  Cost replaced(Machine machine, const Amount* used, const Amount* out, const Amount* in) const {
    return with(machine, used, Replaced{out, in}, true);
  }

 private:
  struct Nothing {
    Amount operator[](std::size_t) const { return 0; }
  };
  struct Added {
    const Amount* demand;
    Amount operator[](std::size_t r) const { return demand[r]; }
  };
  struct Removed {
    const Amount* demand;
    Amount operator[](std::size_t r) const { return -demand[r]; }
  };
  struct Replaced {
    const Amount* out;
    const Amount* in;
    Amount operator[](std::size_t r) const { return in[r] - out[r]; }
  };

  template <class Change>
  Cost with(Machine machine, const Amount* used, const Change& change, bool occupied) const {
    const Amount* const target = target_ + machine * count_;
    Cost sum = 0;
    for (std::size_t r = 0; r < count_; ++r) {
      const Amount over = used[r] + change[r] - target[r];
      sum += over > 0 ? over * excess_weight_[r] : 0;
    }
    const Amount* const capacity = capacity_ + machine * count_;
    for (const BalanceRule& rule : balances_) {
      const Amount first = capacity[rule.first] - used[rule.first] - change[rule.first];
      const Amount second = capacity[rule.second] - used[rule.second] - change[rule.second];
      const Amount lacking = rule.ratio * first - second;
      sum += lacking > 0 ? lacking * rule.weight : 0;
    }
    for (const Uneven& rule : uneven_) {
      if (capacity[rule.resource] <= 0) continue;
      const Amount share = (used[rule.resource] + change[rule.resource]) * kWholeShare / capacity[rule.resource];
      sum += (share - rule.mean) * (share - rule.mean) * rule.weight;
    }
    return occupied ? sum + upkeep_[machine] : sum;
  }

  struct Uneven {
    std::size_t resource = 0;
    Amount mean = 0;
    Cost weight = 0;
  };
  std::size_t count_;
  const Amount* capacity_;
  const Amount* target_;
  std::vector<Cost> excess_weight_;
  std::vector<BalanceRule> balances_;
  std::vector<Uneven> uneven_;
  std::vector<Cost> upkeep_;
};

// The share of a resource that the whole fleet uses, of ten thousand. The share of each machine is compared with it. It
// does not depend on the assignment.
Amount mean_share(const Problem& problem, std::size_t resource);

}  // namespace rescheduler::planner
