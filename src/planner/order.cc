// Batches. Each batch takes the moves that can be done at once, in the order of the list; the room they free is
// available only after the batch. The steps of a batch may run in any order, so two steps whose rules depend on each
// other never share a batch. When no process can move, one makes a detour to a third machine if that lets another one
// move.
#include "planner/order.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "planner/checked_state.h"

namespace rescheduler::planner {

namespace {

// The number of third machines that the oracle checks for one process.
constexpr std::size_t kMostAsked = 32;

struct Pending {
  const Move* move = nullptr;
  bool aside = false;  // it is on a third machine
};

class Ordering {
 public:
  Ordering(const Problem& problem, const OrderLimits& limits, FeasibilityOracle* oracle)
      : problem_(problem),
        limits_(limits),
        state_(problem),
        checked_(state_, oracle),
        leaving_(problem.capacity.size()),
        related_(problem.groups.size()),
        touched_(problem.groups.size()),
        on_their_way_(problem.groups.size()),
        stays_(problem.processes.size()) {
    for (Group g = 0; g < problem.groups.size(); ++g) {
      for (const Group other : problem.groups[g].depends_on) {
        related_[g].push_back(other);
        related_[other].push_back(g);
      }
    }
  }

  Ordered run(const std::vector<Move>& moves);

 private:
  void attempt(const std::vector<Move>& moves);
  bool batch();
  bool step_aside();
  bool helps_another(const Pending& aside);
  Machine third_machine(const Pending& pending);
  bool try_step(Process process, Machine to, bool detour);
  bool possible(Process process, Machine from, Machine to);
  bool within_budgets(Process process) const;
  bool room_beside_leaving(Process process, Machine to) const;
  bool interferes(Group group, Machine from, Machine to) const;
  void depart(Process process, Machine from, Machine to);
  void end_batch();
  std::string why(const Move& move);

  const Problem& problem_;
  const OrderLimits& limits_;
  State state_;
  CheckedState checked_;
  std::vector<Pending> pending_;
  std::vector<Step> steps_;
  std::uint32_t batch_ = 0;
  // Of the current batch:
  std::uint32_t in_batch_ = 0;
  std::vector<Amount> leaving_;  // flat by machine: what moving processes still use on their old machine
  std::vector<std::pair<Group, Machine>> left_;
  std::vector<std::vector<Group>> related_;  // groups that the group depends on, or that depend on it
  std::vector<char> touched_;                // groups whose locations or neighbourhoods change
  std::vector<std::uint32_t> on_their_way_;  // by group
  std::vector<char> stays_;                  // by process: its detour did not help
};

bool Ordering::within_budgets(Process process) const {
  if (in_batch_ >= limits_.at_once) return false;
  const Group group = state_.group(process);
  return group == kNoGroup || on_their_way_[group] < problem_.groups[group].at_once;
}

bool Ordering::room_beside_leaving(Process process, Machine to) const {
  const std::size_t count = problem_.resource_count();
  const Amount* const need = state_.demand(process);
  const Amount* const room = state_.room(to);
  for (std::size_t r = 0; r < count; ++r) {
    const Amount still = leaving_[to * count + r];
    if (still > 0 && need[r] > 0 && need[r] > room[r] - still) return false;
  }
  return true;
}

bool Ordering::interferes(Group group, Machine from, Machine to) const {
  if (group == kNoGroup) return false;
  if (problem_.groups[group].apart && std::ranges::find(left_, std::pair{group, to}) != left_.end()) {
    return true;
  }
  const bool travels = problem_.machines[from].location != problem_.machines[to].location
                       || problem_.machines[from].neighbourhood != problem_.machines[to].neighbourhood;
  return travels && touched_[group] != 0;
}

// The process is unassigned.
bool Ordering::possible(Process process, Machine from, Machine to) {
  return room_beside_leaving(process, to) && !interferes(state_.group(process), from, to)
         && checked_.may_put(process, from, to);
}

void Ordering::depart(Process process, Machine from, Machine to) {
  ++in_batch_;
  const std::size_t count = problem_.resource_count();
  for (std::size_t r = 0; r < count; ++r) {
    const bool transient = problem_.resources[r].transient;
    // A transient resource stays held at home permanently: State::room() includes it.
    if (transient ? from == state_.home(process) : !limits_.room_first) continue;
    leaving_[from * count + r] += state_.demand(process)[r];
  }
  const Group group = state_.group(process);
  if (group == kNoGroup) return;
  ++on_their_way_[group];
  left_.emplace_back(group, from);
  const MachineFacts& old_place = problem_.machines[from];
  const MachineFacts& new_place = problem_.machines[to];
  if (old_place.location == new_place.location && old_place.neighbourhood == new_place.neighbourhood) return;
  if (problem_.groups[group].least_locations > 1 || !related_[group].empty()) touched_[group] = 1;
  for (const Group other : related_[group]) touched_[other] = 1;
}

void Ordering::end_batch() {
  ++batch_;
  in_batch_ = 0;
  std::ranges::fill(leaving_, 0);
  left_.clear();
  std::ranges::fill(touched_, 0);
  std::ranges::fill(on_their_way_, 0);
}

bool Ordering::try_step(Process process, Machine to, bool detour) {
  if (!within_budgets(process)) return false;
  const Machine from = state_.where(process);
  if (!state_.fits(process, to)) return false;  // the usual obstacle; checked before unassign()
  checked_.unassign(process);
  const bool may = possible(process, from, to);
  checked_.put(process, may ? to : from);
  if (!may) return false;
  steps_.push_back({process, from, to, batch_, detour});
  depart(process, from, to);
  return true;
}

bool Ordering::batch() {
  const std::size_t before = steps_.size();
  std::erase_if(pending_, [&](const Pending& one) {
    return in_batch_ < limits_.at_once && try_step(one.move->process, one.move->to, false);
  });
  if (steps_.size() == before) return false;
  end_batch();
  return true;
}

// The cheapest allowed machine with room for the process, neither its own nor its target. The process is unassigned.
Machine Ordering::third_machine(const Pending& pending) {
  const Process process = pending.move->process;
  const Machine from = pending.move->from;
  std::vector<std::pair<Cost, Machine>> found;
  for (Machine m = 0; m < problem_.machines.size(); ++m) {
    if (m == from || m == pending.move->to || !state_.may_put(process, from, m)) continue;
    found.emplace_back(state_.appetite(m, state_.demand(process)), m);
  }
  std::ranges::sort(found);
  if (found.size() > kMostAsked) found.resize(kMostAsked);
  for (const auto& [cost, machine] : found) {
    if (possible(process, from, machine)) return machine;
  }
  return kNoMachine;
}

bool Ordering::helps_another(const Pending& aside) {
  return std::ranges::any_of(pending_, [&](const Pending& other) {
    if (&other == &aside) return false;
    const Process process = other.move->process;
    const Machine from = state_.where(process);
    if (!within_budgets(process) || !state_.fits(process, other.move->to)) return false;
    checked_.unassign(process);
    const bool may = possible(process, from, other.move->to);
    checked_.put(process, from);
    return may;
  });
}

bool Ordering::step_aside() {
  if (!limits_.detours) return false;
  for (Pending& one : pending_) {
    const Process process = one.move->process;
    if (one.aside || stays_[process] != 0 || !within_budgets(process)) continue;
    const Machine from = state_.where(process);
    checked_.unassign(process);
    const Machine third = third_machine(one);
    checked_.put(process, third == kNoMachine ? from : third);
    if (third == kNoMachine) continue;
    if (helps_another(one)) {
      steps_.push_back({process, from, third, batch_, true});
      one.aside = true;
      end_batch();
      return true;
    }
    checked_.unassign(process);
    checked_.put(process, from);
  }
  return false;
}

void Ordering::attempt(const std::vector<Move>& moves) {
  pending_.clear();
  steps_.clear();
  end_batch();
  batch_ = 0;
  for (const Move& move : moves) {
    const bool sound = move.process < problem_.processes.size() && move.to < problem_.machines.size()
                       && state_.movable(move.process) && state_.where(move.process) == move.from
                       && move.to != move.from;
    if (sound) pending_.push_back({&move});
  }
  while (!pending_.empty() && (batch() || step_aside())) {
  }
}

std::string Ordering::why(const Move& move) {
  if (move.process >= problem_.processes.size() || move.to >= problem_.machines.size()) {
    return "There is no such process or machine.";
  }
  const Process process = move.process;
  const Group group = state_.group(process);
  if (problem_.processes[process].machine != move.from) return fmt::format("It is not on machine {}.", move.from);
  if (move.from == move.to) return "It is there already.";
  if (!state_.movable(process)) return "It may not move.";
  if (limits_.at_once == 0) return "No move may be on its way.";
  if (group != kNoGroup && problem_.groups[group].at_once == 0) return "None of its group may be on its way.";
  if (!state_.open(process, move.to)) return fmt::format("Machine {} takes no process.", move.to);
  for (std::size_t r = 0; r < problem_.resource_count(); ++r) {
    const Amount lacking = state_.demand(process)[r] - state_.room(move.to)[r];
    if (lacking <= 0 || state_.demand(process)[r] == 0) continue;
    return fmt::format("Machine {} lacks {} of resource {} for it, and no order of the other moves frees enough.",
                       move.to, lacking, r);
  }
  checked_.unassign(process);
  const bool rules = state_.may_put(process, move.from, move.to);
  checked_.put(process, move.from);
  if (!rules) return fmt::format("On machine {} it would break a rule of its group or exceed a cap.", move.to);
  return fmt::format("On machine {} it is refused, given where the others are by then.", move.to);
}

Ordered Ordering::run(const std::vector<Move>& moves) {
  // A process that made a detour and did not reach its target must not leave home: try again without its detour.
  for (;;) {
    attempt(moves);
    bool stranded = false;
    for (const Pending& one : pending_) {
      if (one.aside) {
        stays_[one.move->process] = 1;
        stranded = true;
      }
    }
    if (!stranded) break;
    checked_.go_home();
  }
  Ordered result;
  result.steps = steps_;
  for (const Move& move : moves) {
    if (move.process < problem_.processes.size() && state_.where(move.process) == move.to && move.from != move.to)
      continue;
    result.left_out.push_back({move, why(move)});
  }
  checked_.go_home();
  return result;
}

}  // namespace

Ordered order_moves(const Problem& problem,
                    const std::vector<Move>& moves,
                    const OrderLimits& limits,
                    FeasibilityOracle* oracle) {
  return Ordering(problem, limits, oracle).run(moves);
}

}  // namespace rescheduler::planner
