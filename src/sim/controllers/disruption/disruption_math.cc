#include "sim/controllers/disruption/disruption_math.h"

#include <algorithm>

namespace rescheduler::sim {

using kube::IntOrString;

Result<BudgetFigures> budget_figures(const BudgetDemand& demand, int scale, int pods, int healthy) {
  BudgetFigures figures;
  figures.current_healthy = healthy;
  if (demand.max_unavailable) {
    const auto missing = demand.max_unavailable->scaled(scale, IntOrString::Rounding::Up);
    if (!missing) return fail(missing.error());
    figures.expected = scale;
    figures.desired_healthy = static_cast<int>(std::max<std::int64_t>(0, scale - *missing));
  } else if (demand.min_available) {
    const bool share = demand.min_available->kind == IntOrString::Kind::String;
    figures.expected = share ? scale : pods;
    const auto least = demand.min_available->scaled(figures.expected, IntOrString::Rounding::Up);
    if (!least) return fail(least.error());
    figures.desired_healthy = static_cast<int>(*least);
  }
  // A budget without pods allows nothing, so that it is safe when its first pods appear.
  if (figures.expected > 0) figures.allowed = std::max(0, healthy - figures.desired_healthy);
  return figures;
}

}  // namespace rescheduler::sim
