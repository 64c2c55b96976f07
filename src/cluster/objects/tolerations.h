// Taints keep pods away from a node, unless the pods tolerate them. The same rule serves the strings of wire objects
// and the symbols of the model.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rescheduler::cluster {

template <class Text>
struct BasicTaint {
  Text key{};
  Text value{};
  Text effect{};
  friend bool operator==(const BasicTaint&, const BasicTaint&) = default;
};

enum class TolerationOperator : std::uint8_t { Equal, Exists, Unknown };

constexpr TolerationOperator toleration_operator(std::string_view wire) {
  if (wire.empty() || wire == "Equal") return TolerationOperator::Equal;
  return wire == "Exists" ? TolerationOperator::Exists : TolerationOperator::Unknown;
}

template <class Text>
struct BasicToleration {
  using Operator = TolerationOperator;

  Text key{};  // empty: every key
  Text value{};
  Text effect{};  // empty: every effect
  Operator op = Operator::Equal;

  // An unknown operator tolerates nothing.
  constexpr bool tolerates(const BasicTaint<Text>& taint) const {
    if (effect != Text{} && effect != taint.effect) return false;
    if (key != Text{} && key != taint.key) return false;
    return op == Operator::Exists || (op == Operator::Equal && value == taint.value);
  }
  friend bool operator==(const BasicToleration&, const BasicToleration&) = default;
};

template <class Tolerations, class Text>
constexpr bool tolerated(const Tolerations& tolerations, const BasicTaint<Text>& taint) {
  for (const auto& toleration : tolerations) {
    if (toleration.tolerates(taint)) return true;
  }
  return false;
}

// From an api::Taint or an api::Toleration.
using TaintText = BasicTaint<std::string>;
using TolerationText = BasicToleration<std::string>;

template <class Wire>
TaintText taint_text(const Wire& taint) {
  return {taint.key(), taint.value(), taint.effect()};
}
template <class Wire>
TolerationText toleration_text(const Wire& toleration) {
  return {toleration.key(), toleration.value(), toleration.effect(), toleration_operator(toleration.operator_())};
}

}  // namespace rescheduler::cluster
