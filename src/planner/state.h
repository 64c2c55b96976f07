// Where every process is, with all that follows from it kept up to date: room, group counts, costs. The only place that
// knows how to do and undo a step, so that a search can weigh a candidate in O(resources) and never counts anything
// again.
//
// A process is lifted and then put down. Whoever asks `may_put` (or `may_shift`, `may_swap`) before each put keeps
// every hard rule; going back the way one came needs no asking. What is broken at the start may stay so, never become
// worse.
#pragma once

#include <cstddef>
#include <vector>

#include "planner/group_index.h"
#include "planner/move_index.h"
#include "planner/problem.h"
#include "planner/terms.h"

namespace rescheduler::planner {

// Rules that a search may leave aside for a while.
enum class Ignoring : char { kNothing, kRoom, kRoomAndGroups };

class State {
 public:
  explicit State(const Problem& problem, std::size_t most_moves = ~std::size_t{0});

  const Problem& problem() const { return *problem_; }
  Machine where(Process process) const { return where_[process]; }  // kNoMachine: lifted
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

  // The process is lifted, from `from`. (What it weighed there is the caller's to remember.)
  bool may_put(Process process, Machine from, Machine to, Ignoring ignoring = Ignoring::kNothing) const {
    return open(process, to) && (ignoring != Ignoring::kNothing || fits(process, to)) && moves_.may_put(process, to)
           && (ignoring == Ignoring::kRoomAndGroups ? !groups_.on(group_[process], to)
                                                    : groups_.may_join(group_[process], from, to));
  }
  // The process stands where it stands.
  bool may_shift(Process process, Machine to, Ignoring ignoring = Ignoring::kNothing) const {
    const Machine from = where_[process];
    return from != to && open(process, to) && (ignoring != Ignoring::kNothing || fits(process, to))
           && moves_.may_shift(process, from, to)
           && (ignoring == Ignoring::kRoomAndGroups ? !groups_.on(group_[process], to)
                                                    : groups_.may_shift(group_[process], from, to));
  }
  bool fits(Process process, Machine machine) const;
  // What its being there takes of the room, and its leaving frees: nothing of the transient resources where it is at
  // home.
  const Amount* room_taken(Process process, Machine machine) const {
    return (machine == home(process) ? at_home_.data() : demand_) + process * resources_;
  }
  // May it come there at all: the machine takes processes, or it is the one where the process was.
  bool open(Process process, Machine machine) const { return takes_[machine] != 0 || moves_.home(process) == machine; }
  const GroupIndex& groups() const { return groups_; }

  // What the cost would change by. First half: what leaving brings (the same for every target).
  Cost leaving(Process process) const {
    const Machine from = where_[process];
    return terms_.minus(from, used(from), demand(process), on_[from].size() > 1) - machine_cost_[from];
  }
  Cost joining(Process process, Machine to) const {
    return terms_.plus(to, used(to), demand(process)) - machine_cost_[to]
           + moves_.shift_delta(process, where_[process], to);
  }
  Cost shift_delta(Process process, Machine to) const { return leaving(process) + joining(process, to); }
  // What something of that demand would add to the machine's own cost.
  Cost appetite(Machine machine, const Amount* demand) const {
    return terms_.plus(machine, used(machine), demand) - machine_cost_[machine];
  }

  // Of the moves alone, the machines left out.
  Cost move_delta(Process process, Machine to) const { return moves_.shift_delta(process, where_[process], to); }

  // One takes the place of another who leaves: is there room, and what does it do to that machine's own cost?
  bool fits_instead(Process in, Process out) const;
  Cost instead_delta(Process in, Process out) const {
    const Machine machine = where_[out];
    return terms_.replaced(machine, used(machine), demand(out), demand(in)) - machine_cost_[machine];
  }

  // Two processes change places. The delta is exact unless both are of the groups with the most moves.
  bool swap_fits(Process one, Process other) const { return fits_instead(one, other) && fits_instead(other, one); }
  Cost swap_delta(Process one, Process other) const {
    return instead_delta(other, one) + instead_delta(one, other) + move_delta(one, where_[other])
           + move_delta(other, where_[one]);
  }
  bool try_swap(Process one, Process other, Ignoring ignoring = Ignoring::kNothing) {
    return try_chain(one, other, where_[one], ignoring);
  }

  // One takes the place of another, who goes on to `last`: the two other machines, or back to where the first one was.
  // The delta, for a third machine, is as exact as a swap's.
  Cost chain_delta(Process one, Process other, Machine last) const {
    return leaving(one) + instead_delta(one, other) + move_delta(one, where_[other]) + joining(other, last);
  }
  // Done, or refused by a rule and everything as it was.
  bool try_chain(Process one, Process other, Machine last, Ignoring ignoring = Ignoring::kNothing);

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
  std::vector<Amount> at_home_;  // demand, without that of transient resources
  std::vector<Amount> used_;
  std::vector<Amount> room_;  // capacity less what is used, less what stays taken by those who left (transient)
  std::vector<Cost> machine_cost_;
  Cost machine_costs_ = 0;
  std::vector<std::vector<Process>> on_;
  std::vector<std::uint32_t> place_;  // of a process in its machine's list
};

}  // namespace rescheduler::planner
