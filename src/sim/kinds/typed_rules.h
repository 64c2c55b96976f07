// Adapts rules for one message type to KindRules, and adds the rules that most kinds share.
#pragma once

#include <utility>

#include "sim/kinds/checks.h"

namespace rescheduler::sim {

// Adapts a function on T to a function on Message.
template <class T, class F>
auto on(F rule) {
  return [rule](auto&& object, auto&&... rest) {
    if constexpr (std::is_const_v<std::remove_reference_t<decltype(object)>>) {
      return rule(static_cast<const T&>(object), rest...);
    } else {
      return rule(static_cast<T&>(object), rest...);
    }
  };
}

// The same for rules that compare: (before, after) and (before, after, faults).
template <class T, class F>
auto on_both(F rule) {
  return [rule](const Message& before, auto&& after, auto&&... rest) {
    if constexpr (std::is_const_v<std::remove_reference_t<decltype(after)>>) {
      return rule(static_cast<const T&>(before), static_cast<const T&>(after), rest...);
    } else {
      return rule(static_cast<const T&>(before), static_cast<T&>(after), rest...);
    }
  };
}

// Only status updates change the status. A new object has an empty status; an update keeps the status; a status update
// keeps the rest.
template <class T>
void add_status_rules(KindRules& rules) {
  rules.on_create = [](Message& object, const RuleContext&, Faults&) {
    static_cast<T&>(object).mutable_status()->Clear();
  };
  rules.on_update = [](const Message& before, Message& after) {
    auto& updated = static_cast<T&>(after);
    const auto& old = static_cast<const T&>(before);
    if (old.has_status()) {
      *updated.mutable_status() = old.status();
    } else {
      updated.clear_status();
    }
  };
  rules.on_status_update = [](const Message& before, Message& after) {
    *static_cast<T&>(after).mutable_spec() = static_cast<const T&>(before).spec();
  };
}

// For kinds with a generation: it grows with every change of the spec.
template <class T>
void add_generation(KindRules& rules) {
  rules.spec_differs = [](const Message& before, const Message& after) {
    return !same(static_cast<const T&>(before).spec(), static_cast<const T&>(after).spec());
  };
}

}  // namespace rescheduler::sim
