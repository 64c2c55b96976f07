// Taints keep pods away from a node; tolerations let them in all the same.
#pragma once

#include <span>

#include "cluster/symbols.h"

namespace rescheduler::cluster {

struct Taint {
  Symbol key = Symbol::Empty;
  Symbol value = Symbol::Empty;
  Symbol effect = Symbol::Empty;
  friend bool operator==(const Taint&, const Taint&) = default;
};

struct Toleration {
  enum class Operator : std::uint8_t { Equal, Exists, Unknown };

  Symbol key = Symbol::Empty;  // empty: every key
  Symbol value = Symbol::Empty;
  Symbol effect = Symbol::Empty;  // empty: every effect
  Operator op = Operator::Equal;

  bool tolerates(const Taint& taint) const {
    if (effect != Symbol::Empty && effect != taint.effect) return false;
    if (key != Symbol::Empty && key != taint.key) return false;
    return op == Operator::Exists || (op == Operator::Equal && value == taint.value);
  }
  friend bool operator==(const Toleration&, const Toleration&) = default;
};

inline bool tolerated(std::span<const Toleration> tolerations, const Taint& taint) {
  for (const Toleration& toleration : tolerations) {
    if (toleration.tolerates(taint)) return true;
  }
  return false;
}

// A taint that forbids, rather than discourages, and that nobody here tolerates.
inline bool forbidden(std::span<const Toleration> tolerations, std::span<const Taint> taints) {
  for (const Taint& taint : taints) {
    if (taint.effect != Symbol::NoSchedule && taint.effect != Symbol::NoExecute) continue;
    if (!tolerated(tolerations, taint)) return true;
  }
  return false;
}

}  // namespace rescheduler::cluster
