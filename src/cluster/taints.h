// The model's taints and tolerations.
#pragma once

#include <span>

#include "cluster/objects/tolerations.h"
#include "cluster/symbol_table.h"

namespace rescheduler::cluster {

using Taint = BasicTaint<Symbol>;
using Toleration = BasicToleration<Symbol>;

// Is there a taint with effect NoSchedule or NoExecute that no toleration tolerates?
inline bool forbidden(std::span<const Toleration> tolerations, std::span<const Taint> taints) {
  for (const Taint& taint : taints) {
    if (taint.effect != Symbol::NoSchedule && taint.effect != Symbol::NoExecute) continue;
    if (!tolerated(tolerations, taint)) return true;
  }
  return false;
}

}  // namespace rescheduler::cluster
