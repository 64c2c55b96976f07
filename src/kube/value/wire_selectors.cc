#include "kube/value/wire_selectors.h"

#include "kube/proto/core_common.pb.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::kube {
namespace {

template <class Wire>
std::vector<SelectorExpression> expressions_of(const Wire& wire) {
  std::vector<SelectorExpression> expressions;
  expressions.reserve(static_cast<std::size_t>(wire.size()));
  for (const auto& one : wire) {
    expressions.push_back({one.key(), one.operator_(), {one.values().begin(), one.values().end()}});
  }
  return expressions;
}

}  // namespace

Result<LabelSelector> compile_selector(const api::LabelSelector& wire) {
  LabelSelectorSpec spec;
  for (const auto& [key, value] : wire.match_labels()) spec.match_labels.emplace_back(key, value);
  spec.match_expressions = expressions_of(wire.match_expressions());
  return LabelSelector::from(std::move(spec));
}

Result<NodeSelectorTerm> compile_term(const api::NodeSelectorTerm& wire) {
  return NodeSelectorTerm::from(expressions_of(wire.match_expressions()), expressions_of(wire.match_fields()));
}

NodeSelector compile_node_selector(const api::NodeSelector& wire) {
  std::vector<NodeSelectorTerm> terms;
  for (const api::NodeSelectorTerm& term : wire.node_selector_terms()) {
    if (auto compiled = compile_term(term)) terms.push_back(std::move(*compiled));
  }
  return NodeSelector(std::move(terms));
}

}  // namespace rescheduler::kube
