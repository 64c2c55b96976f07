// Which texts Kubernetes takes as names, label keys and label values.
//
// The check_ functions say what is wrong in one sentence; the is_ functions only answer, without allocating.
#pragma once

#include <string_view>

#include "base/error.h"

namespace rescheduler::kube {

// RFC 1123 label: lower-case letters, digits, '-'; at most 63. Namespaces, containers.
bool is_dns_label(std::string_view text) noexcept;
Result<void> check_dns_label(std::string_view text);

// RFC 1123 subdomain: labels joined by '.', at most 253 in all. Pods, nodes, most objects.
bool is_dns_subdomain(std::string_view text) noexcept;
Result<void> check_dns_subdomain(std::string_view text);

// Qualified name, "[prefix/]name": label keys, annotation keys, taint keys, resource names.
bool is_label_key(std::string_view text) noexcept;
Result<void> check_label_key(std::string_view text);

// Empty, or as the name part of a key.
bool is_label_value(std::string_view text) noexcept;
Result<void> check_label_value(std::string_view text);

}  // namespace rescheduler::kube
