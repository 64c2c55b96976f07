// How many pods of a set may be missing: the arithmetic of PodDisruptionBudgets, on plain numbers.
#pragma once

#include <optional>

#include "base/error.h"
#include "kube/value/int_or_string.h"

namespace rescheduler::sim {

// What the spec asks for: at most one of the two.
struct BudgetDemand {
  std::optional<kube::IntOrString> min_available{};
  std::optional<kube::IntOrString> max_unavailable{};
};

// A share is of what the pods' controllers want in all; a plain number of minAvailable needs only the pods there are.
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

// `scale`: the sum over the controllers; asked for only if needs_controllers(). `pods`: how many match.
Result<BudgetFigures> budget_figures(const BudgetDemand& demand, int scale, int pods, int healthy);

}  // namespace rescheduler::sim
