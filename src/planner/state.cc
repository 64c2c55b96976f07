#include "planner/state.h"

#include "base/check.h"

namespace rescheduler::planner {

State::State(const Problem& problem, std::size_t most_moves)
    : problem_(&problem),
      resources_(problem.resource_count()),
      demand_(problem.demand.data()),
      terms_(problem),
      groups_(problem),
      moves_(problem, most_moves),
      where_(problem.processes.size(), kNoMachine),
      at_home_(problem.demand),
      used_(problem.taken),
      room_(problem.capacity),
      machine_cost_(problem.machines.size()),
      on_(problem.machines.size()),
      place_(problem.processes.size()) {
  used_.resize(room_.size());
  for (std::size_t i = 0; i < room_.size(); ++i) room_[i] -= used_[i];
  for (std::size_t i = 0; i < at_home_.size(); ++i) {
    if (problem.resources[i % resources_].transient) at_home_[i] = 0;
  }
  for (const MachineFacts& machine : problem.machines) takes_.push_back(machine.takes ? 1 : 0);
  for (Process p = 0; p < problem.processes.size(); ++p) {
    const ProcessFacts& facts = problem.processes[p];
    RESCHEDULER_CHECK(facts.machine < problem.machines.size(), "process {} is on no machine", p);
    group_.push_back(facts.group);
    movable_.push_back(facts.moves ? 1 : 0);
    const Amount* const need = demand(p);
    for (std::size_t r = 0; r < resources_; ++r) {
      used_[facts.machine * resources_ + r] += need[r];
      room_[facts.machine * resources_ + r] -= need[r];
    }
    where_[p] = facts.machine;
    place_[p] = static_cast<std::uint32_t>(on_[facts.machine].size());
    on_[facts.machine].push_back(p);
    groups_.add(facts.group, facts.machine);
  }
  groups_.accept_what_is();
  for (Machine m = 0; m < problem.machines.size(); ++m) weigh(m);
}

void State::weigh(Machine machine) {
  const Cost now = terms_.of(machine, used(machine), !on_[machine].empty());
  machine_costs_ += now - machine_cost_[machine];
  machine_cost_[machine] = now;
}

void State::unassign(Process process) {
  const Machine from = where_[process];
  const Amount* const need = demand(process);
  const Amount* const takes = room_taken(process, from);
  Amount* const uses = used_.data() + from * resources_;
  Amount* const free = room_.data() + from * resources_;
  for (std::size_t r = 0; r < resources_; ++r) {
    uses[r] -= need[r];
    free[r] += takes[r];
  }
  std::vector<Process>& list = on_[from];
  list[place_[process]] = list.back();
  place_[list.back()] = place_[process];
  list.pop_back();
  where_[process] = kNoMachine;
  groups_.remove(group_[process], from);
  moves_.unassign(process, from);
  weigh(from);
}

void State::put(Process process, Machine machine) {
  const Amount* const need = demand(process);
  const Amount* const takes = room_taken(process, machine);
  Amount* const uses = used_.data() + machine * resources_;
  Amount* const free = room_.data() + machine * resources_;
  for (std::size_t r = 0; r < resources_; ++r) {
    uses[r] += need[r];
    free[r] -= takes[r];
  }
  place_[process] = static_cast<std::uint32_t>(on_[machine].size());
  on_[machine].push_back(process);
  where_[process] = machine;
  groups_.add(group_[process], machine);
  moves_.put(process, machine);
  weigh(machine);
}

bool State::fits(Process process, Machine machine) const {
  const Amount* const takes = room_taken(process, machine);
  const Amount* const free = room(machine);
  bool lacks = false;
  // A resource that the process does not need may be overfull.
  for (std::size_t r = 0; r < resources_; ++r) lacks |= (takes[r] > free[r]) & (takes[r] > 0);
  return !lacks;
}

bool State::fits_instead(Process in, Process out) const {
  const Machine machine = where_[out];
  const Amount* const takes = room_taken(in, machine);
  const Amount* const frees = room_taken(out, machine);
  const Amount* const free = room(machine);
  for (std::size_t r = 0; r < resources_; ++r) {
    if (takes[r] > 0 && takes[r] - frees[r] > free[r]) return false;
  }
  return true;
}

bool State::try_chain(Process one, Process other, Machine last, Ignoring ignoring) {
  const Machine here = where_[one];
  const Machine middle = where_[other];
  unassign(one);
  unassign(other);
  if (may_put(one, here, middle, ignoring)) {
    put(one, middle);
    if (may_put(other, middle, last, ignoring)) {
      put(other, last);
      return true;
    }
    unassign(one);
  }
  put(other, middle);
  put(one, here);
  return false;
}

}  // namespace rescheduler::planner
