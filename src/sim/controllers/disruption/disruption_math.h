// The arithmetic of PodDisruptionBudgets on plain numbers: how many pods can be unavailable.
#pragma once

#include <optional>

#include "base/error.h"
#include "kube/value/int_or_string.h"

namespace rescheduler::sim {

// The values of the spec. At most one of the two is set.
struct BudgetDemand {
  std::optional<kube::IntOrString> min_available{};
  std::optional<kube::IntOrString> max_unavailable{};
};

// A percentage, and maxUnavailable also as a number, refer to the sum of the replicas of the pods' controllers.
// minAvailable as a number needs only the count of pods.
inline bool needs_controllers(const BudgetDemand& demand) {
  return demand.max_unavailable
         || (demand.min_available && demand.min_available->kind == kube::IntOrString::Kind::String);
}

struct BudgetFigures {
  int expected = 0;
  int desired_healthy = 0;
  int current_healthy = 0;
  int allowed = 0;
};

// `scale`: the sum over the controllers, used only if needs_controllers(). `pods`: how many pods match.
Result<BudgetFigures> budget_figures(const BudgetDemand& demand, int scale, int pods, int healthy);

}  // namespace rescheduler::sim
