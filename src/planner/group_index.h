// The machines of each group's processes, so that the group rules are checked in O(1): processes on the same machine,
// the number of locations of a group, and neighbourhoods that lack a required group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "planner/problem.h"

namespace rescheduler::planner {

class GroupIndex {
 public:
  explicit GroupIndex(const Problem& problem);

  void add(Group group, Machine machine);
  void remove(Group group, Machine machine);
  // Rules that are broken now may stay broken. Call it after every process has been added once.
  void accept_what_is();

  // A process of the group is on `from`. True if it may move to `to`.
  bool may_shift(Group group, Machine from, Machine to) const;
  // A process of the group was on `from` and is unassigned now. True if it may be assigned to `to`.
  bool may_join(Group group, Machine from, Machine to) const;
  // The number of missing locations and missing dependencies over all groups, and its change if one process moves.
  std::int64_t lacking() const { return lacking_; }
  std::int64_t lacking_delta(Group group, Machine from, Machine to) const;
  // True if a process of this `apart` group is on the machine.
  bool on(Group group, Machine machine) const;

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  // The machines of a group up to this size are kept in a list; a larger group has a row with a count per machine. The
  // rows together need at most processes x machines / 16 counts.
  static constexpr std::size_t kFew = 16;

  struct Rows {
    std::size_t on_machine = kNone;  // start of the group's row in the arrays below
    std::size_t in_location = kNone;
    std::size_t in_neighbourhood = kNone;
    bool listed = false;
    std::uint32_t locations = 0;         // number of locations that the group is in
    std::uint32_t locations_needed = 0;  // number of locations that the group must be in
  };

  // The number of locations after one process of the group moves.
  std::uint32_t locations_after(const Rows& rows, Machine from, Machine to) const;
  void present(Group group, std::uint32_t neighbourhood, bool now);

  std::int64_t lacking_ = 0;
  std::vector<Rows> rows_;
  std::vector<std::uint32_t> location_;       // by machine
  std::vector<std::uint32_t> neighbourhood_;  // by machine
  std::vector<std::vector<Group>> depends_on_;
  std::vector<std::vector<Group>> dependants_;
  std::vector<std::vector<Machine>> machines_;  // of small groups
  std::vector<std::uint16_t> on_machine_;
  std::vector<std::uint32_t> in_location_;
  std::vector<std::uint32_t> in_neighbourhood_;
  std::vector<std::uint32_t> needed_;   // as in_neighbourhood_: number of groups there that depend on this group
  std::vector<std::uint32_t> missing_;  // as in_neighbourhood_: number of its dependencies that are not there
};

}  // namespace rescheduler::planner
