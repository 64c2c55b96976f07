// Prepares untrusted text for an error message: quotes it, limits its length, escapes control bytes and invalid UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace rescheduler::kube {

std::string printable(std::string_view text);

}  // namespace rescheduler::kube
