#include "rescheduling/planning/plan.h"

namespace rescheduler::rescheduling {

std::string_view to_string(BudgetVerdict verdict) {
  switch (verdict) {
    case BudgetVerdict::NoBudget: return "no budget";
    case BudgetVerdict::Allowed: return "allowed";
    case BudgetVerdict::Exhausted: return "exhausted";
    case BudgetVerdict::Several: return "several budgets";
  }
  return "";
}

}  // namespace rescheduler::rescheduling
