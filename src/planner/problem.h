// Processes on machines: the optimisation problem without terms of Kubernetes. All values are integers, so that the
// same problem has the same result on every computer.
//
// Hard rules:
//   - capacity; `transient` resources are also held on the old machine;
//   - two processes of an `apart` group never share a machine;
//   - a group occupies at least `least_locations` locations;
//   - in each neighbourhood where a group has a process, each group that it depends on has a process too;
//   - caps on moves;
//   - the answers of a FeasibilityOracle.
//
// Cost, to be minimised:
//   excess      per resource, usage above a machine's target                  x excess_weight
//   unevenness  per resource, (share - mean share)^2 summed over machines     x uneven_weight   share: of ten thousand;
//               mean share: usage of the fleet / capacity of the fleet
//   balance     per pair, max(0, ratio x free(first) - free(second)), summed  x weight
//   upkeep      of each machine that has a process
//   moves       price of each moved process; the largest number of moves in one group x group_move_weight;
//               machine_move(from, to) of each                                x machine_move_weight
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rescheduler::planner {

using Machine = std::uint32_t;  // indexes of the arrays below
using Process = std::uint32_t;
using Group = std::uint32_t;
using Cap = std::uint32_t;
using Amount = std::int64_t;
using Cost = std::int64_t;

inline constexpr Machine kNoMachine = ~Machine{0};
inline constexpr Group kNoGroup = ~Group{0};
inline constexpr std::int64_t kWholeShare = 10'000;

struct ResourceRule {
  bool transient = false;
  Cost excess_weight = 0;
  Cost uneven_weight = 0;
};

struct MachineFacts {
  std::uint32_t location = 0;
  std::uint32_t neighbourhood = 0;
  Cost upkeep = 0;
  bool takes = true;  // accepts processes
};

struct ProcessFacts {
  Group group = kNoGroup;
  Machine machine = kNoMachine;  // initial machine
  Cost price = 0;                // of moving it
  bool moves = true;             // may be moved
};

struct GroupFacts {
  bool apart = false;
  std::uint32_t least_locations = 0;
  std::vector<Group> depends_on{};
  std::uint32_t at_once =
      ~std::uint32_t{0};  // how many of its processes may be moving at the same time; for order_moves()
};

struct BalanceRule {
  std::uint32_t first = 0;  // resource indexes
  std::uint32_t second = 0;
  Amount ratio = 1;
  Cost weight = 0;
};

// Limits the number of moves of the processes that carry the cap: of a machine, a namespace, a workload.
struct CapFacts {
  std::uint32_t most = ~std::uint32_t{0};
};

struct Problem {
  std::vector<ResourceRule> resources{};
  std::vector<MachineFacts> machines{};
  std::vector<ProcessFacts> processes{};
  std::vector<GroupFacts> groups{};
  std::vector<BalanceRule> balances{};
  std::vector<CapFacts> caps{};

  // Flat arrays: by machine or process, then by resource.
  std::vector<Amount> capacity{};  // hard
  std::vector<Amount> target{};    // soft; at most the capacity; empty: the capacity
  std::vector<Amount> taken{};     // of a machine, by anything that is not a process here; empty: nothing
  std::vector<Amount> demand{};    // of a process

  std::vector<std::vector<Cap>> caps_of{};  // by process; empty: no process has a cap

  // By machine and machine, flat; empty: all moves cost the same.
  std::vector<std::int32_t> machine_move{};
  Cost machine_move_weight = 0;
  Cost group_move_weight = 0;

  std::size_t resource_count() const { return resources.size(); }
};

}  // namespace rescheduler::planner
