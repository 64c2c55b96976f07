// Selects objects by their labels: all requirements must hold.
//
// An absent (null) selector selects nothing and an empty selector selects everything. The two are different values
// here.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kube/value/label_lookup.h"
#include "kube/value/requirement.h"

namespace rescheduler::kube {

// One matchExpressions entry as in the API.
struct SelectorExpression {
  std::string key;
  std::string op;  // "In", "NotIn", "Exists", "DoesNotExist"; in node affinity also "Gt", "Lt"
  std::vector<std::string> values;
};

// metav1.LabelSelector as plain data.
struct LabelSelectorSpec {
  std::vector<std::pair<std::string, std::string>> match_labels;
  std::vector<SelectorExpression> match_expressions;
};

class LabelSelector {
 public:
  static LabelSelector everything() { return LabelSelector({}); }
  static LabelSelector nothing() {
    LabelSelector selector({});
    selector.nothing_ = true;
    return selector;
  }
  // Sorts by key, as Kubernetes does.
  static LabelSelector all_of(std::vector<Requirement> requirements);
  // "a in (x,y), !b, c, d!=e, f>3". The empty text selects everything.
  static Result<LabelSelector> parse(std::string_view text);
  static Result<LabelSelector> from(LabelSelectorSpec spec);

  bool matches(LabelLookup labels) const {
    if (nothing_) return false;
    for (const Requirement& requirement : requirements_) {
      if (!requirement.matches(labels)) return false;
    }
    return true;
  }
  bool is_everything() const noexcept { return !nothing_ && requirements_.empty(); }
  bool is_nothing() const noexcept { return nothing_; }
  std::span<const Requirement> requirements() const noexcept { return requirements_; }

  // The canonical form, which parse() accepts. A selector that selects nothing has no text form and prints as empty
  // text.
  std::string to_string() const;

  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;

 private:
  explicit LabelSelector(std::vector<Requirement> requirements) : requirements_(std::move(requirements)) {}

  std::vector<Requirement> requirements_;
  bool nothing_ = false;
};

}  // namespace rescheduler::kube
