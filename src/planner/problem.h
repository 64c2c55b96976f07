// Processes on machines: what is to be improved, without a word of Kubernetes. Everything is an integer, so that the
// same problem has the same answer on every machine.
//
// Hard rules: capacity; `transient` resources stay taken on the old machine too; two processes of a group that is
// `apart` never share a machine; a group occupies at least `least_locations` locations; where a process of a group is,
// each group it depends on is in the same neighbourhood; caps on moves; and whatever a Referee says.
//
// Cost, to be made small:
//   excess      per resource, what is used above a machine's target           x excess_weight
//   unevenness  per resource, (share - mean share)^2 summed over machines     x uneven_weight   share: of ten thousand;
//               the mean: what the fleet uses of what the fleet has
//   balance     per pair, max(0, ratio x free(first) - free(second)), summed  x weight
//   upkeep      of each machine that has a process
//   moves       price of each process that moves; the most moves in one group x group_move_weight;
//               machine_move(from, to) of each                                x machine_move_weight
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rescheduler::planner {

using Machine = std::uint32_t;  // places in the arrays below
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
  bool takes = true;  // may processes come here
};

struct ProcessFacts {
  Group group = kNoGroup;
  Machine machine = kNoMachine;  // where it is
  Cost price = 0;                // of moving it
  bool moves = true;             // may it
};

struct GroupFacts {
  bool apart = false;
  std::uint32_t least_locations = 0;
  std::vector<Group> depends_on{};
  std::uint32_t at_once = ~std::uint32_t{0};  // how many of it may be on their way at a time; for the order of moves
};

struct BalanceRule {
  std::uint32_t first = 0;  // resources
  std::uint32_t second = 0;
  Amount ratio = 1;
  Cost weight = 0;
};

// At most so many moves of the processes that carry it: of a machine, a namespace, a workload.
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

  // Flat: of a machine or a process, then by resource.
  std::vector<Amount> capacity{};  // hard
  std::vector<Amount> target{};    // soft; at most the capacity; empty: the capacity
  std::vector<Amount> taken{};     // of a machine, by what is no process here; empty: nothing
  std::vector<Amount> demand{};    // of a process

  std::vector<std::vector<Cap>> caps_of{};  // by process; empty: nobody has any

  // By machine and machine, flat; empty: moving is the same from and to everywhere.
  std::vector<std::int32_t> machine_move{};
  Cost machine_move_weight = 0;
  Cost group_move_weight = 0;

  std::size_t resource_count() const { return resources.size(); }
};

}  // namespace rescheduler::planner
