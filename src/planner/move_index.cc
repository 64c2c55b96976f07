#include "planner/move_index.h"

#include <algorithm>

namespace rescheduler::planner {

MoveIndex::MoveIndex(const Problem& problem, std::size_t most_moves)
    : machines_(problem.machines.size()),
      most_moves_(most_moves),
      group_weight_(problem.group_move_weight),
      way_weight_(problem.machine_move_weight),
      way_(problem.machine_move),
      caps_of_(problem.caps_of),
      in_group_(problem.groups.size()),
      groups_with_(problem.processes.size() + 1) {
  for (const ProcessFacts& process : problem.processes) {
    home_.push_back(process.machine);
    price_.push_back(process.price);
    group_.push_back(process.group);
  }
  for (const CapFacts& cap : problem.caps) left_of_cap_.push_back(cap.most);
  groups_with_[0] = static_cast<std::uint32_t>(problem.groups.size());
}

bool MoveIndex::another_may_move(Process process) const {
  if (moved_ >= most_moves_) return false;
  if (caps_of_.empty()) return true;
  const std::vector<Cap>& caps = caps_of_[process];
  return std::ranges::all_of(caps, [&](Cap cap) { return left_of_cap_[cap] != 0; });
}

void MoveIndex::put(Process process, Machine machine) {
  if (machine == home_[process]) return;
  priced_ += price(process, machine);
  count(process, true);
}

void MoveIndex::unassign(Process process, Machine machine) {
  if (machine == home_[process]) return;
  priced_ -= price(process, machine);
  count(process, false);
}

void MoveIndex::count(Process process, bool moves) {
  const std::uint32_t step = moves ? 1U : ~0U;  // plus or minus one
  moved_ += moves ? 1 : ~std::size_t{0};
  if (!caps_of_.empty()) {
    for (const Cap cap : caps_of_[process]) left_of_cap_[cap] -= step;
  }
  const Group group = group_[process];
  if (group == kNoGroup) return;
  std::uint32_t& now = in_group_[group];
  --groups_with_[now];
  now += step;
  ++groups_with_[now];
  most_in_group_ = std::max(most_in_group_, now);
  while (most_in_group_ > 0 && groups_with_[most_in_group_] == 0) --most_in_group_;
}

}  // namespace rescheduler::planner
