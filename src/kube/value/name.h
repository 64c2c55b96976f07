// The syntax of names, label keys and label values in Kubernetes.
//
// The check_ functions return an error sentence. The is_ functions return only true or false, without allocating.
#pragma once

#include <string_view>

#include "base/error.h"

namespace rescheduler::kube {

// RFC 1123 label: lower-case letters, digits, '-'; at most 63 characters. For namespaces, containers.
bool is_dns_label(std::string_view text) noexcept;
Result<void> check_dns_label(std::string_view text);

// RFC 1123 subdomain: labels joined by '.', at most 253 characters. For pods, nodes and most objects.
bool is_dns_subdomain(std::string_view text) noexcept;
Result<void> check_dns_subdomain(std::string_view text);

// Qualified name, "[prefix/]name": for label keys, annotation keys, taint keys, resource names.
bool is_label_key(std::string_view text) noexcept;
Result<void> check_label_key(std::string_view text);

// Empty, or with the syntax of the name part of a key.
bool is_label_value(std::string_view text) noexcept;
Result<void> check_label_value(std::string_view text);

}  // namespace rescheduler::kube
