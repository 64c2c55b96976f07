// The fewest moves that help the most: always the best single move of the worst machines, until none helps; then swaps
// and chains (swap_moves.h); then moves that turn out not to be worth their price are taken back.
//
// With a referee: it is asked only about moves that lower the cost, the best first, and each is undone on it too.
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
  // A machine among the worst, and what could be done about it; the best first.
  struct Source {
    Machine machine = kNoMachine;
    std::vector<Candidate> candidates{};
  };

  // A machine's place in an order by some cost; ties by machine, so that the order is the same everywhere.
  using Ranking = std::set<std::pair<Cost, Machine>>;

  void rank(Machine machine);  // its load has changed
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
  void settle(Machine machine);  // it has changed

  CheckedState& checked_;
  State& state_;
  Budget& budget_;
  std::vector<Amount> typical_;  // demand
  std::vector<Cost> relief_;     // by machine: the most that one process' leaving brings
  std::vector<Cost> appetite_;   // by machine: what a typical process would cost there
  Ranking sources_;              // not yet weighed since they last changed; the largest relief first
  // The smallest appetite first, as it was some moves ago: what a target is worth is computed when it is looked at.
  std::vector<Machine> targets_;
  std::size_t settled_ = 0;  // machines changed since then
  std::vector<Source> window_;
  std::vector<std::uint32_t> refusals_;  // in a row, by process
  std::vector<char> given_up_;           // by process
  // What the referee refused, by group where there is one: its processes are mostly alike. Only looked up, never
  // walked.
  std::unordered_set<std::uint64_t> refused_;
};

}  // namespace rescheduler::planner
