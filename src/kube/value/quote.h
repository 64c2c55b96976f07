// Shows outside text inside an error sentence: in quotes, unprintable bytes escaped, long text cut.
#pragma once

#include <string>
#include <string_view>

namespace rescheduler::kube {

std::string quoted(std::string_view text);

}  // namespace rescheduler::kube
