// From nodes and pods to machines and processes.
#pragma once

#include <memory>
#include <vector>

#include "planner/improve.h"
#include "planner/order.h"
#include "rescheduler/planning/draft.h"

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

Adapted adapt(const Draft& draft, ProblemShape shape);

// Places among the resources of a problem.
inline constexpr std::size_t kCpuRequests = 0;     // milli-cores
inline constexpr std::size_t kMemoryRequests = 1;  // KiB
inline constexpr std::size_t kPodCount = 2;
inline constexpr std::size_t kFirstLoad = 3;  // then loads, in the order NodeRules::judged() has; then scaled memory

// Answers by the draft's filters, and lets the draft follow.
class DraftReferee final : public planner::Referee {
 public:
  DraftReferee(Draft& draft, const Adapted& adapted) : draft_(draft), adapted_(adapted) {}
  bool allows(planner::Process process, planner::Machine machine) override {
    return draft_.allows(adapted_.pods[process], adapted_.nodes[machine]);
  }
  void lifted(planner::Process process, planner::Machine /*from*/) override {
    draft_.trial().lift(adapted_.pods[process]);
  }
  void put_down(planner::Process process, planner::Machine on) override {
    draft_.trial().put_down(adapted_.pods[process], adapted_.nodes[on]);
  }

 private:
  Draft& draft_;
  const Adapted& adapted_;
};

// The moves that help most, as many as the draft has left, within the time of its request. The draft is as before.
planner::Solution search(Draft& draft, const Adapted& adapted);

}  // namespace rescheduler::rescheduling
