#include "sim/kinds/rules.h"

namespace rescheduler::sim {

KindRules builtin_rules(const Kind& kind) {
  (void)kind;
  return {};
}

}  // namespace rescheduler::sim
