// Prepares untrusted text for an error sentence: quotes it, escapes unprintable bytes, cuts long text.
#pragma once

#include <string>
#include <string_view>

namespace rescheduler::kube {

std::string quoted(std::string_view text);

}  // namespace rescheduler::kube
