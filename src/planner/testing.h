// Random problems whose own assignment obeys every rule, and an oracle that checks the calls it receives.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "planner/feasibility_oracle.h"
#include "planner/problem.h"

namespace rescheduler::planner::testing {

struct Shape {
  std::size_t machines = 8;
  std::size_t processes = 40;
  std::size_t resources = 2;
  bool groups = true;      // apart, spread, dependencies
  bool transient = true;   // one resource is transient
  bool move_costs = true;  // by group and by pair of machines
  bool caps = true;
  int percent_used = 75;  // of the fleet, approximately
};

Problem random_problem(std::uint64_t seed, const Shape& shape);
Shape random_shape(std::uint64_t seed);

// One resource, machines of equal capacity and target; processes by demand, machine by machine.
Problem plain_problem(Amount capacity, Amount target, const std::vector<std::vector<Amount>>& demands);

// Refuses some pairs at random, and any machine that has `most_on_machine` processes (a rule that depends on the
// others). Fails the test after an impossible call.
class StrictOracle final : public FeasibilityOracle {
 public:
  StrictOracle(const Problem& problem, std::uint64_t seed, unsigned percent_refused, std::size_t most_on_machine);

  bool allows(Process process, Machine machine) override;
  void unassigned(Process process, Machine from) override;
  void assigned(Process process, Machine on) override;

  bool refuses(Process process, Machine machine) const;  // regardless of the other processes
  bool at_home() const { return where_ == home_; }
  const std::vector<Machine>& where() const { return where_; }
  std::size_t asked() const { return asked_; }

 private:
  std::uint64_t seed_;
  unsigned percent_refused_;
  std::size_t most_on_machine_;
  std::vector<Machine> home_;
  std::vector<Machine> where_;
  std::vector<std::size_t> count_;
  std::size_t asked_ = 0;
};

}  // namespace rescheduler::planner::testing
