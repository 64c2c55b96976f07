// Repeated fields of API objects.
#pragma once

#include <algorithm>

#include <google/protobuf/repeated_field.h>

namespace rescheduler::kube {

// Removes the elements for which the condition holds. True if there was one.
template <class Element, class Condition>
bool erase_if(google::protobuf::RepeatedPtrField<Element>& from, const Condition& condition) {
  const auto removed = std::ranges::remove_if(from, condition);
  const bool any = !removed.empty();
  from.erase(removed.begin(), removed.end());
  return any;
}

}  // namespace rescheduler::kube
