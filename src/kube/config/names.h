// The one Kubernetes name rule that configuration needs: RFC 1123 labels, which namespaces are.
#pragma once

#include <algorithm>
#include <string_view>

namespace rescheduler::kube {

inline bool is_dns_label(std::string_view name) {
  const auto alphanumeric = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !name.empty() && name.size() <= 63 && alphanumeric(name.front()) && alphanumeric(name.back())
         && std::all_of(name.begin(), name.end(), [&](char c) { return alphanumeric(c) || c == '-'; });
}

}  // namespace rescheduler::kube
