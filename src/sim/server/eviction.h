// May this pod be evicted now? The arithmetic of the eviction subresource, without reading or writing anything.
//
//   pod pending, finished or being deleted ---------------------------------> delete it, no budget is asked
//   no budget selects it ---------------------------------------------------> delete it
//   more than one does -----------------------------------------------------> 500
//   not ready, and the budget lets unready ones go -------------------------> delete it, the budget stays as it is
//   otherwise: budget not up to date 429, negative or overfull 403, none left 429, else one is used up and it goes
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

// As many announced and not yet seen evictions a budget may carry.
inline constexpr std::size_t kMostDisruptedPods = 2000;

bool needs_no_budget(const api::Pod& pod);

enum class EvictionCost {
  None,       // nothing guards it, or an unready pod that its budget lets go
  Disruption  // one of the budget's allowed disruptions
};
// `budgets` are those that select the pod.
ApiResult<EvictionCost> eviction_cost(const api::Pod& pod, const std::vector<const api::PodDisruptionBudget*>& budgets);

// Uses one allowed disruption up and notes for the disruption controller that the pod is about to go.
void spend_disruption(api::PodDisruptionBudget& budget, std::string_view pod, WallTime now);

// DisruptionAllowed as disruptionsAllowed says.
void set_disruption_allowed(api::PodDisruptionBudget& budget, WallTime now);

}  // namespace rescheduler::sim
