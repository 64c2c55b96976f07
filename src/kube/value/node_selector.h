// Selects nodes by labels and by name: the required part of node affinity. The terms are ORed; the conditions of a term
// are ANDed.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kube/value/label_lookup.h"
#include "kube/value/label_selector.h"
#include "kube/value/requirement.h"

namespace rescheduler::kube {

class NodeSelectorTerm {
 public:
  // Expressions allow In, NotIn, Exists, DoesNotExist, Gt and Lt. Fields allow only metadata.name with In and NotIn.
  static Result<NodeSelectorTerm> from(std::vector<SelectorExpression> expressions,
                                       std::vector<SelectorExpression> fields);

  // A term without conditions selects no node, as in Kubernetes.
  bool matches(LabelLookup labels, std::string_view node_name) const;

  const std::vector<Requirement>& on_labels() const noexcept { return on_labels_; }
  const std::vector<Requirement>& on_name() const noexcept { return on_name_; }

 private:
  std::vector<Requirement> on_labels_;
  std::vector<Requirement> on_name_;
};

class NodeSelector {
 public:
  explicit NodeSelector(std::vector<NodeSelectorTerm> terms) : terms_(std::move(terms)) {}

  bool matches(LabelLookup labels, std::string_view node_name) const;
  const std::vector<NodeSelectorTerm>& terms() const noexcept { return terms_; }

 private:
  std::vector<NodeSelectorTerm> terms_;
};

}  // namespace rescheduler::kube
