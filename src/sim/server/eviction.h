// Whether a pod can be evicted now: the rules of the eviction subresource, without reads or writes.
//
//   pod pending, finished or terminating ------------------> delete it, without a PodDisruptionBudget
//   no PodDisruptionBudget selects it ---------------------> delete it
//   more than one selects it ------------------------------> 500
//   not ready, and the budget allows eviction of unready --> delete it, the budget does not change
//   otherwise: 429 if the status is not up to date or no disruption is left, 403 if disruptionsAllowed is negative or
//   disruptedPods is full, else use one disruption and delete the pod
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "sim/status_error.h"

namespace rescheduler::api {
class Pod;
class PodDisruptionBudget;
class PodDisruptionBudgetStatus;
}  // namespace rescheduler::api

namespace rescheduler::sim {

// The maximum of status.disruptedPods: evicted pods that the controller has not seen terminating yet.
inline constexpr std::size_t kMostDisruptedPods = 2000;

bool needs_no_budget(const api::Pod& pod);

enum class EvictionCost {
  None,       // the pod needs no budget, no budget selects it, or the budget allows the eviction of an unready pod
  Disruption  // one of the budget's disruptionsAllowed
};
// `budgets` are the ones that select the pod.
ApiResult<EvictionCost> eviction_cost(const api::Pod& pod, const std::vector<const api::PodDisruptionBudget*>& budgets);

// Uses one allowed disruption and adds the pod to status.disruptedPods for the disruption controller.
void spend_disruption(api::PodDisruptionBudget& budget, std::string_view pod, WallTime now);

// Sets the condition DisruptionAllowed from disruptionsAllowed.
void set_disruption_allowed(api::PodDisruptionBudget& budget, WallTime now);

}  // namespace rescheduler::sim
