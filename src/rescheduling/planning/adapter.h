// Translates nodes and pods into the machines and processes of the planner.
#pragma once

#include <memory>
#include <vector>

#include "planner/improve.h"
#include "planner/order.h"
#include "rescheduling/planning/plan_builder.h"

namespace rescheduler::rescheduling {

// Input of the search. Requests and the number of pods are always hard limits. Measured load is a hard limit too: a
// move must not bring its target node above the trigger.
struct ProblemShape {
  std::vector<cluster::NodeIndex> nodes{};  // machines, in this order
  std::vector<cluster::PodIndex> pods{};    // processes; the search does not move other pods
  bool balance_loads = false;               // cost: load above the target of the band, and uneven load
  bool balance_requests = false;            // cost: free CPU without free memory, and the reverse
  planner::Cost price = 0;                  // of each move
};

struct Adapted {
  planner::Problem problem{};
  std::vector<cluster::NodeIndex> nodes{};
  std::vector<cluster::PodIndex> pods{};
};

Adapted adapt(const PlanBuilder& builder, ProblemShape shape);

// Indexes of the resources of a problem.
inline constexpr std::size_t kCpuRequests = 0;     // milli-cores
inline constexpr std::size_t kMemoryRequests = 1;  // KiB
inline constexpr std::size_t kPodCount = 2;
inline constexpr std::size_t kFirstLoad = 3;  // then loads, in the order of NodeRules::judged(); then scaled memory

// Answers with PlanBuilder::allows, and applies each assignment to the what-if overlay of the PlanBuilder.
class PlanBuilderOracle final : public planner::FeasibilityOracle {
 public:
  PlanBuilderOracle(PlanBuilder& builder, const Adapted& adapted) : builder_(builder), adapted_(adapted) {}
  bool allows(planner::Process process, planner::Machine machine) override {
    return builder_.allows(adapted_.pods[process], adapted_.nodes[machine]);
  }
  void unassigned(planner::Process process, planner::Machine /*from*/) override {
    builder_.what_if().unassign(adapted_.pods[process]);
  }
  void assigned(planner::Process process, planner::Machine on) override {
    builder_.what_if().assign(adapted_.pods[process], adapted_.nodes[on]);
  }

 private:
  PlanBuilder& builder_;
  const Adapted& adapted_;
};

// Returns the most useful moves within the caps and the time limit of the request. The PlanBuilder is unchanged
// afterwards.
planner::Solution search(PlanBuilder& builder, const Adapted& adapted);

}  // namespace rescheduler::rescheduling
