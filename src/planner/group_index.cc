#include "planner/group_index.h"

#include <algorithm>

namespace rescheduler::planner {

namespace {

template <class Of>
std::uint32_t count_of(const Problem& problem, Of of) {
  std::uint32_t most = 0;
  for (const MachineFacts& machine : problem.machines) most = std::max(most, of(machine) + 1);
  return most;
}

}  // namespace

GroupIndex::GroupIndex(const Problem& problem)
    : rows_(problem.groups.size()),
      depends_on_(problem.groups.size()),
      dependants_(problem.groups.size()),
      machines_(problem.groups.size()) {
  for (const MachineFacts& machine : problem.machines) {
    location_.push_back(machine.location);
    neighbourhood_.push_back(machine.neighbourhood);
  }
  const std::uint32_t locations = count_of(problem, [](const MachineFacts& one) { return one.location; });
  const std::uint32_t neighbourhoods = count_of(problem, [](const MachineFacts& one) { return one.neighbourhood; });
  std::vector<std::size_t> size(problem.groups.size());
  for (const ProcessFacts& process : problem.processes) {
    if (process.group != kNoGroup) ++size[process.group];
  }
  for (Group g = 0; g < problem.groups.size(); ++g) {
    depends_on_[g] = problem.groups[g].depends_on;
    std::ranges::sort(depends_on_[g]);
    const auto repeated = std::ranges::unique(depends_on_[g]);
    depends_on_[g].erase(repeated.begin(), repeated.end());
    std::erase(depends_on_[g], g);
    for (const Group other : depends_on_[g]) dependants_[other].push_back(g);
  }
  std::size_t machine_rows = 0;
  std::size_t location_rows = 0;
  std::size_t neighbourhood_rows = 0;
  for (Group g = 0; g < problem.groups.size(); ++g) {
    Rows& rows = rows_[g];
    if (problem.groups[g].apart && size[g] > 1) {
      rows.listed = size[g] <= kFew;
      if (!rows.listed) rows.on_machine = problem.machines.size() * machine_rows++;
    }
    rows.locations_needed = problem.groups[g].least_locations;
    if (rows.locations_needed > 1) rows.in_location = locations * location_rows++;
    if (rows.in_location != kNone) lacking_ += rows.locations_needed;
    if (!depends_on_[g].empty() || !dependants_[g].empty())
      rows.in_neighbourhood = neighbourhoods * neighbourhood_rows++;
  }
  on_machine_.resize(problem.machines.size() * machine_rows);
  in_location_.resize(locations * location_rows);
  in_neighbourhood_.resize(neighbourhoods * neighbourhood_rows);
  needed_.resize(in_neighbourhood_.size());
  missing_.resize(in_neighbourhood_.size());
  for (Group g = 0; g < problem.groups.size(); ++g) {
    if (rows_[g].in_neighbourhood == kNone) continue;
    std::fill_n(missing_.begin() + static_cast<std::ptrdiff_t>(rows_[g].in_neighbourhood), neighbourhoods,
                static_cast<std::uint32_t>(depends_on_[g].size()));
  }
}

void GroupIndex::add(Group group, Machine machine) {
  if (group == kNoGroup) return;
  Rows& rows = rows_[group];
  if (rows.listed) machines_[group].push_back(machine);
  if (rows.on_machine != kNone) ++on_machine_[rows.on_machine + machine];
  if (rows.in_location != kNone && in_location_[rows.in_location + location_[machine]]++ == 0
      && rows.locations++ < rows.locations_needed)
    --lacking_;
  if (rows.in_neighbourhood == kNone) return;
  if (in_neighbourhood_[rows.in_neighbourhood + neighbourhood_[machine]]++ == 0) {
    present(group, neighbourhood_[machine], true);
  }
}

void GroupIndex::remove(Group group, Machine machine) {
  if (group == kNoGroup) return;
  Rows& rows = rows_[group];
  if (rows.listed) {
    std::vector<Machine>& list = machines_[group];
    *std::ranges::find(list, machine) = list.back();
    list.pop_back();
  }
  if (rows.on_machine != kNone) --on_machine_[rows.on_machine + machine];
  if (rows.in_location != kNone && --in_location_[rows.in_location + location_[machine]] == 0
      && --rows.locations < rows.locations_needed)
    ++lacking_;
  if (rows.in_neighbourhood == kNone) return;
  if (--in_neighbourhood_[rows.in_neighbourhood + neighbourhood_[machine]] == 0) {
    present(group, neighbourhood_[machine], false);
  }
}

std::uint32_t GroupIndex::locations_after(const Rows& rows, Machine from, Machine to) const {
  const std::uint32_t left = rows.locations - (in_location_[rows.in_location + location_[from]] == 1 ? 1U : 0U);
  return left + (in_location_[rows.in_location + location_[to]] == 0 ? 1U : 0U);
}

std::int64_t GroupIndex::lacking_delta(Group group, Machine from, Machine to) const {
  if (group == kNoGroup) return 0;
  const Rows& rows = rows_[group];
  std::int64_t delta = 0;
  if (rows.in_location != kNone && location_[from] != location_[to]) {
    const auto lacks = [&](std::int64_t in) { return std::max<std::int64_t>(0, rows.locations_needed - in); };
    delta += lacks(locations_after(rows, from, to)) - lacks(rows.locations);
  }
  if (rows.in_neighbourhood == kNone || neighbourhood_[from] == neighbourhood_[to]) return delta;
  const std::size_t old_place = rows.in_neighbourhood + neighbourhood_[from];
  const std::size_t new_place = rows.in_neighbourhood + neighbourhood_[to];
  if (in_neighbourhood_[new_place] == 0) delta += std::int64_t{missing_[new_place]} - needed_[new_place];
  if (in_neighbourhood_[old_place] == 1) delta += std::int64_t{needed_[old_place]} - missing_[old_place];
  return delta;
}

void GroupIndex::present(Group group, std::uint32_t neighbourhood, bool now) {
  const std::uint32_t step = now ? 1U : ~0U;  // plus or minus one
  const std::size_t place = rows_[group].in_neighbourhood + neighbourhood;
  lacking_ += (now ? 1 : -1) * (std::int64_t{missing_[place]} - needed_[place]);
  for (const Group other : depends_on_[group]) needed_[rows_[other].in_neighbourhood + neighbourhood] += step;
  for (const Group other : dependants_[group]) missing_[rows_[other].in_neighbourhood + neighbourhood] -= step;
}

void GroupIndex::accept_what_is() {
  for (Rows& rows : rows_) {
    if (rows.in_location == kNone || rows.locations >= rows.locations_needed) continue;
    lacking_ -= rows.locations_needed - rows.locations;
    rows.locations_needed = rows.locations;
  }
}

bool GroupIndex::on(Group group, Machine machine) const {
  if (group == kNoGroup) return false;
  const Rows& rows = rows_[group];
  if (rows.on_machine != kNone) return on_machine_[rows.on_machine + machine] != 0;
  if (!rows.listed) return false;
  const std::vector<Machine>& list = machines_[group];
  return std::ranges::find(list, machine) != list.end();
}

bool GroupIndex::may_shift(Group group, Machine from, Machine to) const {
  if (group == kNoGroup) return true;
  if (on(group, to)) return false;
  const Rows& rows = rows_[group];
  if (rows.in_location != kNone && location_[from] != location_[to]) {
    if (locations_after(rows, from, to) < rows.locations_needed) return false;
  }
  if (rows.in_neighbourhood == kNone || neighbourhood_[from] == neighbourhood_[to]) return true;
  const std::size_t old_place = rows.in_neighbourhood + neighbourhood_[from];
  const std::size_t new_place = rows.in_neighbourhood + neighbourhood_[to];
  if (in_neighbourhood_[new_place] == 0 && missing_[new_place] != 0) return false;
  return in_neighbourhood_[old_place] != 1 || needed_[old_place] == 0;
}

bool GroupIndex::may_join(Group group, Machine from, Machine to) const {
  if (group == kNoGroup) return true;
  if (on(group, to)) return false;
  const Rows& rows = rows_[group];
  if (rows.in_location != kNone) {
    const std::uint32_t after = rows.locations + (in_location_[rows.in_location + location_[to]] == 0 ? 1U : 0U);
    if (after < rows.locations_needed) return false;
  }
  if (rows.in_neighbourhood == kNone) return true;
  const std::size_t old_place = rows.in_neighbourhood + neighbourhood_[from];
  const std::size_t new_place = rows.in_neighbourhood + neighbourhood_[to];
  if (in_neighbourhood_[new_place] == 0 && missing_[new_place] != 0) return false;
  return old_place == new_place || in_neighbourhood_[old_place] != 0 || needed_[old_place] == 0;
}

}  // namespace rescheduler::planner
