// From nodes and pods to machines and processes.
#pragma once

#include <memory>
#include <vector>

#include "planner/improve.h"
#include "planner/order.h"
#include "rescheduling/planning/plan_builder.h"

namespace rescheduler::rescheduling {

// What the search is to know. Requests, and how many pods there are, are always hard limits; load, where it is
// measured, is one too: no target above its trigger.
struct ProblemShape {
  std::vector<cluster::NodeIndex> nodes{};  // machines, in this order
  std::vector<cluster::PodIndex> pods{};    // processes; whoever else is there is simply there
  bool balance_loads = false;               // excess above the target of the band, and unevenness, cost
  bool balance_requests = false;            // free CPU without free memory, and the other way round, cost
  planner::Cost price = 0;                  // of each move
};

struct Adapted {
  planner::Problem problem{};
  std::vector<cluster::NodeIndex> nodes{};
  std::vector<cluster::PodIndex> pods{};
};

Adapted adapt(const PlanBuilder& builder, ProblemShape shape);

// Places among the resources of a problem.
inline constexpr std::size_t kCpuRequests = 0;     // milli-cores
inline constexpr std::size_t kMemoryRequests = 1;  // KiB
inline constexpr std::size_t kPodCount = 2;
inline constexpr std::size_t kFirstLoad = 3;  // then loads, in the order NodeRules::judged() has; then scaled memory

// Answers by the draft's filters, and lets the draft follow.
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

// The moves that help most, as many as the draft has left, within the time of its request. The draft is as before.
planner::Solution search(PlanBuilder& builder, const Adapted& adapted);

}  // namespace rescheduler::rescheduling
