// Counts the moved processes, their costs, and what the caps still allow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "planner/problem.h"

namespace rescheduler::planner {

class MoveIndex {
 public:
  MoveIndex(const Problem& problem, std::size_t most_moves);

  Machine home(Process process) const { return home_[process]; }
  std::size_t moved() const { return moved_; }
  bool none_left() const { return moved_ >= most_moves_; }
  Cost cost() const { return priced_ + group_weight_ * static_cast<Cost>(most_in_group_); }

  // The process was unassigned and is on `machine` now; unassign() reverses it.
  void put(Process process, Machine machine);
  void unassign(Process process, Machine machine);

  // The process is unassigned, or (may_shift) on `from`. True if the caps allow it on `to`.
  bool may_put(Process process, Machine to) const { return to == home_[process] || another_may_move(process); }
  bool may_shift(Process process, Machine from, Machine to) const {
    return from != home_[process] || to == home_[process] || another_may_move(process);
  }

  // The cost of the process on `machine`, without the group term.
  Cost price(Process process, Machine machine) const {
    const Machine home = home_[process];
    if (machine == home) return 0;
    const Cost way = way_.empty() ? 0 : way_[home * machines_ + machine];
    return price_[process] + way * way_weight_;
  }
  // The change of the group term if one more (+1) or one fewer (-1) process of the group has moved.
  Cost group_delta(Group group, int change) const {
    if (group_weight_ == 0 || group == kNoGroup || change == 0) return 0;
    const std::uint32_t now = in_group_[group];
    if (change > 0) return now == most_in_group_ ? group_weight_ : 0;
    return now == most_in_group_ && groups_with_[now] == 1 ? -group_weight_ : 0;
  }
  Cost shift_delta(Process process, Machine from, Machine to) const {
    const int change = static_cast<int>(to != home_[process]) - static_cast<int>(from != home_[process]);
    return price(process, to) - price(process, from) + group_delta(group_[process], change);
  }

 private:
  bool another_may_move(Process process) const;
  void count(Process process, bool moves);

  std::size_t machines_;
  std::size_t most_moves_;
  std::size_t moved_ = 0;
  Cost priced_ = 0;
  Cost group_weight_;
  Cost way_weight_;
  std::uint32_t most_in_group_ = 0;
  std::vector<Machine> home_;
  std::vector<Cost> price_;
  std::vector<Group> group_;
  const std::vector<std::int32_t>& way_;
  const std::vector<std::vector<Cap>>& caps_of_;
  std::vector<std::uint32_t> left_of_cap_;
  std::vector<std::uint32_t> in_group_;     // number of moved processes by group
  std::vector<std::uint32_t> groups_with_;  // by number of moved processes: how many groups have that number
};

}  // namespace rescheduler::planner
