// Base64 (RFC 4648, standard alphabet) for Secrets, the *-data fields of kubeconfigs and Basic authentication.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rescheduler::kube {

std::string base64_encode(std::string_view bytes);

// Strict, but skips line breaks and blanks anywhere, because people wrap long values.
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace rescheduler::kube
