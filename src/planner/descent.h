// Few moves with a large effect. Repeats the best single move of the worst machines until none helps, then tries swaps
// and chains (swap_moves.h), then undoes moves that are not worth their price.
//
// The oracle, if there is one, checks only moves that lower the cost, the best first. Undone moves are undone on the
// oracle too.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "planner/budget.h"
#include "planner/checked_state.h"

namespace rescheduler::planner {

class Descent {
 public:
  Descent(CheckedState& checked, Budget& budget);

  void run();

 private:
  struct Candidate {
    Cost gain = 0;
    Process process = 0;
    Machine to = kNoMachine;
  };
  // One of the worst machines, and its candidate moves; the best first.
  struct Source {
    Machine machine = kNoMachine;
    std::vector<Candidate> candidates{};
  };

  // Machines ordered by a cost; ties are ordered by machine, so that the order is deterministic.
  using Ranking = std::set<std::pair<Cost, Machine>>;

  void rank(Machine machine);  // after its load has changed
  bool moves_run();
  bool exchanges_run();
  bool take_back();
  void fill_window();
  std::vector<Candidate> weigh(Machine source, std::span<const Machine> targets);
  std::span<const Machine> likely_targets(std::size_t most);
  std::vector<Machine> far_targets();
  bool commit(const Source& source);
  bool commit_one(const Candidate& candidate);
  bool explore(Process process);
  std::uint64_t key_of(Process process, Machine machine) const;
  static bool better(const Candidate& a, const Candidate& b);
  void settle(Machine machine);  // after it has changed

  CheckedState& checked_;
  State& state_;
  Budget& budget_;
  std::vector<Amount> typical_;  // average demand of a process
  std::vector<Cost> relief_;     // by machine: the largest saving if one process leaves
  std::vector<Cost> appetite_;   // by machine: the added cost of a process of average demand
  Ranking sources_;              // changed since their last evaluation; the largest relief first
  // The smallest appetite first, sorted some moves ago. The value of a target is computed when the target is evaluated.
  std::vector<Machine> targets_;
  std::size_t settled_ = 0;  // machines changed since the sort
  std::vector<Source> window_;
  std::vector<std::uint32_t> refusals_;  // consecutive, by process
  std::vector<char> given_up_;           // by process
  // Pairs that the oracle refused, by group if the process has one, because processes of a group are mostly alike. Only
  // looked up, never iterated.
  std::unordered_set<std::uint64_t> refused_;
};

}  // namespace rescheduler::planner
