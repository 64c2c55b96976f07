// Where each group's processes are, kept so that the rules about groups are questions of O(1): who shares a machine,
// in how many locations a group is, and which neighbourhoods lack a group that another one there depends on.
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
  // What is broken now may stay as it is; call it when every process has been added once.
  void accept_what_is();

  // One of the group is on `from`. May it go to `to` instead?
  bool may_shift(Group group, Machine from, Machine to) const;
  // One of the group was on `from` and is nowhere now. May it be put down on `to`?
  bool may_join(Group group, Machine from, Machine to) const;
  // How many locations and groups depended on lack, over all groups; and by how much one's going would change it.
  std::int64_t lacking() const { return lacking_; }
  std::int64_t lacking_delta(Group group, Machine from, Machine to) const;
  // Is one of an `apart` group there?
  bool on(Group group, Machine machine) const;

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  // Machines of a group this small are looked through; a larger one has a row with a count by machine. The rows
  // together then take at most processes x machines / 16 counts.
  static constexpr std::size_t kFew = 16;

  struct Rows {
    std::size_t on_machine = kNone;  // where the group's row begins, in the arrays below
    std::size_t in_location = kNone;
    std::size_t in_neighbourhood = kNone;
    bool listed = false;
    std::uint32_t locations = 0;         // it is in
    std::uint32_t locations_needed = 0;  // that it must be in
  };

  // In how many it is, once one of it has gone from one location to another.
  std::uint32_t locations_after(const Rows& rows, Machine from, Machine to) const;
  void present(Group group, std::uint32_t neighbourhood, bool now);

  std::int64_t lacking_ = 0;
  std::vector<Rows> rows_;
  std::vector<std::uint32_t> location_;       // by machine
  std::vector<std::uint32_t> neighbourhood_;  // by machine
  std::vector<std::vector<Group>> depends_on_;
  std::vector<std::vector<Group>> dependants_;
  std::vector<std::vector<Machine>> machines_;  // of groups that are few
  std::vector<std::uint16_t> on_machine_;
  std::vector<std::uint32_t> in_location_;
  std::vector<std::uint32_t> in_neighbourhood_;
  std::vector<std::uint32_t> needed_;   // as in_neighbourhood_: how many groups that are there depend on this one
  std::vector<std::uint32_t> missing_;  // as in_neighbourhood_: how many that it depends on are not there
};

}  // namespace rescheduler::planner
