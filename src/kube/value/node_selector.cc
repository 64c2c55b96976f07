#include "kube/value/node_selector.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kube/value/label_lookup.h"
#include "kube/value/label_selector.h"
#include "kube/value/quote.h"
#include "kube/value/requirement.h"

namespace rescheduler::kube {

Result<NodeSelectorTerm> NodeSelectorTerm::from(std::vector<SelectorExpression> expressions,
                                                std::vector<SelectorExpression> fields) {
  NodeSelectorTerm term;
  for (auto& expression : expressions) {
    const auto op = selector_op_named(expression.op);
    if (!op) {
      return fail(Errc::Invalid,
                  "matchExpressions: {} is not an operator: use In, NotIn, Exists, DoesNotExist, Gt or Lt",
                  kube::quoted(expression.op));
    }
    auto made = Requirement::make(std::move(expression.key), *op, std::move(expression.values));
    if (!made) return fail(std::move(made.error()).within("matchExpressions"));
    term.on_labels_.push_back(std::move(*made));
  }
  for (auto& field : fields) {
    if (field.key != "metadata.name") {
      return fail(Errc::Invalid, "matchFields: {} is not a field that can be selected: use metadata.name",
                  kube::quoted(field.key));
    }
    const auto op = selector_op_named(field.op);
    if (!op) return fail(Errc::Invalid, "matchFields: {} is not an operator: use In or NotIn", kube::quoted(field.op));
    auto made = Requirement::make_field(std::move(field.key), *op, std::move(field.values));
    if (!made) return fail(std::move(made.error()).within("matchFields"));
    term.on_name_.push_back(std::move(*made));
  }
  return term;
}

bool NodeSelectorTerm::matches(LabelLookup labels, std::string_view node_name) const {
  if (on_labels_.empty() && on_name_.empty()) return false;
  return std::ranges::all_of(on_labels_, [&](const Requirement& r) { return r.matches(labels); })
         && std::ranges::all_of(on_name_, [&](const Requirement& r) { return r.matches_value(node_name); });
}

bool NodeSelector::matches(LabelLookup labels, std::string_view node_name) const {
  return std::ranges::any_of(terms_, [&](const NodeSelectorTerm& term) { return term.matches(labels, node_name); });
}

}  // namespace rescheduler::kube
