#include "placement/status.h"

#include <fmt/ranges.h>

namespace rescheduler::placement {

std::string_view to_string(Code code) {
  switch (code) {
    case Code::Success: return "Success";
    case Code::Unschedulable: return "Unschedulable";
    case Code::UnschedulableAndUnresolvable: return "UnschedulableAndUnresolvable";
    case Code::Error: return "Error";
    case Code::Skip: return "Skip";
    case Code::Pending: return "Pending";
    case Code::Wait: return "Wait";
  }
  return "Error";
}

std::string Status::message() const { return fmt::format("{}", fmt::join(reasons, ", ")); }

}  // namespace rescheduler::placement
