// Selects objects by their fields: "spec.nodeName=n1,status.phase!=Running". All terms must hold. An absent field
// equals "".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "kube/value/label_lookup.h"

namespace rescheduler::kube {

class FieldSelector {
 public:
  struct Term {
    std::string field;
    bool equals = true;  // false: "!="
    std::string value;
    friend bool operator==(const Term&, const Term&) = default;
  };

  FieldSelector() = default;  // selects everything
  static FieldSelector all_of(std::vector<Term> terms);
  // '\', ',' and '=' in a value are escaped with '\'. "==" means the same as "=".
  static Result<FieldSelector> parse(std::string_view text);

  bool matches(LabelLookup fields) const;
  bool is_everything() const noexcept { return terms_.empty(); }
  const std::vector<Term>& terms() const noexcept { return terms_; }
  // Sorted and escaped; parse() accepts it.
  std::string to_string() const;

  friend bool operator==(const FieldSelector&, const FieldSelector&) = default;

 private:
  std::vector<Term> terms_;
};

}  // namespace rescheduler::kube
