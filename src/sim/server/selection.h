// The objects of a list or watch: a namespace, a label selector and a field selector, parsed once.
#pragma once

#include <string>
#include <string_view>

#include "kube/value/field_selector.h"
#include "kube/value/label_selector.h"
#include "sim/store/version.h"

namespace rescheduler::sim {

class Selection {
 public:
  static ApiResult<Selection> parse(const Kind& kind,
                                    std::string_view ns,
                                    std::string_view label_selector,
                                    std::string_view field_selector);

  bool matches(const Version& version) const;
  bool is_everything() const { return ns_.empty() && selects_all(); }
  bool selects_all() const { return labels_.is_everything() && fields_.is_everything(); }
  const std::string& ns() const { return ns_; }
  const std::string& name() const { return name_; }  // the only name that can match; empty: any

 private:
  Selection() = default;

  const Kind* kind_ = nullptr;
  std::string ns_;
  std::string name_;
  kube::LabelSelector labels_ = kube::LabelSelector::everything();
  kube::FieldSelector fields_;
};

}  // namespace rescheduler::sim
