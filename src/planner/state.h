// The machine of every process, with everything that follows from it kept up to date: room, group counts, costs. Only
// State knows how to do and undo a step, so that a search evaluates a candidate in O(resources) without recounting.
//
// A step is unassign() and then put(). A caller that checks `may_put` or `may_shift` before each put() keeps every
// hard rule; undoing a step needs no check. A rule that is broken at the start may stay broken but never becomes worse.
#pragma once

#include <cstddef>
#include <vector>

#include "planner/group_index.h"
#include "planner/move_index.h"
#include "planner/problem.h"
#include "planner/terms.h"

namespace rescheduler::planner {

// Rules that a search may ignore for a while.
enum class Ignoring : char { Nothing, Room, RoomAndGroups };

class State {
 public:
  explicit State(const Problem& problem, std::size_t most_moves = ~std::size_t{0});

  const Problem& problem() const { return *problem_; }
  Machine where(Process process) const { return where_[process]; }  // kNoMachine: unassigned
  const std::vector<Machine>& where() const { return where_; }
  Machine home(Process process) const { return moves_.home(process); }
  std::size_t moved() const { return moves_.moved(); }
  bool no_moves_left() const { return moves_.none_left(); }
  Group group(Process process) const { return group_[process]; }
  bool movable(Process process) const { return movable_[process] != 0; }
  bool takes(Machine machine) const { return takes_[machine] != 0; }

  Cost cost() const { return machine_costs_ + moves_.cost(); }
  Cost cost_of_moves() const { return moves_.cost(); }
  Cost cost_of(Machine machine) const { return machine_cost_[machine]; }
  const std::vector<Process>& on(Machine machine) const { return on_[machine]; }

  const Amount* used(Machine machine) const { return used_.data() + machine * resources_; }
  const Amount* room(Machine machine) const { return room_.data() + machine * resources_; }
  const Amount* demand(Process process) const { return demand_ + process * resources_; }

  void unassign(Process process);
  void put(Process process, Machine machine);
  void shift(Process process, Machine to) {
    unassign(process);
    put(process, to);
  }

  // The process is unassigned and was on `from` (State does not remember it).
  bool may_put(Process process, Machine from, Machine to, Ignoring ignoring = Ignoring::Nothing) const {
    return open(process, to) && (ignoring != Ignoring::Nothing || fits(process, to)) && moves_.may_put(process, to)
           && (ignoring == Ignoring::RoomAndGroups ? !groups_.on(group_[process], to)
                                                   : groups_.may_join(group_[process], from, to));
  }
  // The process is assigned.
  bool may_shift(Process process, Machine to, Ignoring ignoring = Ignoring::Nothing) const {
    const Machine from = where_[process];
    return from != to && open(process, to) && (ignoring != Ignoring::Nothing || fits(process, to))
           && moves_.may_shift(process, from, to)
           && (ignoring == Ignoring::RoomAndGroups ? !groups_.on(group_[process], to)
                                                   : groups_.may_shift(group_[process], from, to));
  }
  bool fits(Process process, Machine machine) const;
  // The room that the process takes on the machine and frees when it leaves: at home without transient resources.
  const Amount* room_taken(Process process, Machine machine) const {
    return (machine == home(process) ? at_home_.data() : demand_) + process * resources_;
  }
  // True if the machine accepts processes, or is the home machine of the process.
  bool open(Process process, Machine machine) const { return takes_[machine] != 0 || moves_.home(process) == machine; }
  const GroupIndex& groups() const { return groups_; }

  // The change of the cost by a move. leaving() is the same for every target.
  Cost leaving(Process process) const {
    const Machine from = where_[process];
    return terms_.minus(from, used(from), demand(process), on_[from].size() > 1) - machine_cost_[from];
  }
  Cost joining(Process process, Machine to) const {
    return terms_.plus(to, used(to), demand(process)) - machine_cost_[to]
           + moves_.shift_delta(process, where_[process], to);
  }
  Cost shift_delta(Process process, Machine to) const { return leaving(process) + joining(process, to); }
  // The cost that this demand would add to the machine.
  Cost appetite(Machine machine, const Amount* demand) const {
    return terms_.plus(machine, used(machine), demand) - machine_cost_[machine];
  }

  // The change of the move cost alone, without the machines.
  Cost move_delta(Process process, Machine to) const { return moves_.shift_delta(process, where_[process], to); }

  // `in` replaces `out` on its machine: whether there is room, and the change of that machine's cost.
  bool fits_instead(Process in, Process out) const;
  Cost instead_delta(Process in, Process out) const {
    const Machine machine = where_[out];
    return terms_.replaced(machine, used(machine), demand(out), demand(in)) - machine_cost_[machine];
  }

  // Two processes exchange machines. The delta is exact unless both are in groups with the most moves.
  bool swap_fits(Process one, Process other) const { return fits_instead(one, other) && fits_instead(other, one); }
  Cost swap_delta(Process one, Process other) const {
    return instead_delta(other, one) + instead_delta(one, other) + move_delta(one, where_[other])
           + move_delta(other, where_[one]);
  }
  bool try_swap(Process one, Process other, Ignoring ignoring = Ignoring::Nothing) {
    return try_chain(one, other, where_[one], ignoring);
  }

  // `one` replaces `other`, which moves to `last`: a third machine, or the machine of `one` (a swap). For a third
  // machine the delta is as exact as that of a swap.
  Cost chain_delta(Process one, Process other, Machine last) const {
    return leaving(one) + instead_delta(one, other) + move_delta(one, where_[other]) + joining(other, last);
  }
  // Does the step, or refuses it because of a rule and restores everything.
  bool try_chain(Process one, Process other, Machine last, Ignoring ignoring = Ignoring::Nothing);

 private:
  void weigh(Machine machine);

  const Problem* problem_;
  std::size_t resources_;
  const Amount* demand_;
  Terms terms_;
  GroupIndex groups_;
  MoveIndex moves_;
  std::vector<Machine> where_;
  std::vector<Group> group_;
  std::vector<char> movable_;
  std::vector<char> takes_;
  std::vector<Amount> at_home_;  // demand without transient resources
  std::vector<Amount> used_;
  std::vector<Amount> room_;  // capacity minus usage, minus transient resources held by processes that left
  std::vector<Cost> machine_cost_;
  Cost machine_costs_ = 0;
  std::vector<std::vector<Process>> on_;
  std::vector<std::uint32_t> place_;  // index of a process in its machine's list
};

}  // namespace rescheduler::planner
