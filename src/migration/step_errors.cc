#include "migration/step_errors.h"

#include <fmt/format.h>

namespace rescheduler::migration {

bool is_about_state(const Error& error) {
  return error.code == Errc::NotFound || error.code == Errc::Conflict || error.code == Errc::AlreadyExists
         || error.code == Errc::Timeout || error.code == Errc::Unavailable;
}

std::optional<StepRefusal> refusal_in(StepType what, const Error& error) {
  if (is_about_state(error) && error.http_status != 500) return std::nullopt;
  const bool evicting = what == StepType::Evict || what == StepType::Preflight;
  const bool several = evicting && error.http_status == 500
                       && error.message.find("more than one PodDisruptionBudget") != std::string::npos;
  if (error.http_status == 500 && !several) return std::nullopt;
  // A nomination is only a hint: if it is refused, the move continues without it.
  const bool matters = what != StepType::Nominate;
  switch (error.code) {
    case Errc::Throttled: return StepRefusal{false, fmt::format("could not {}: {}", to_string(what), error.message)};
    case Errc::Denied:
      return StepRefusal{matters, fmt::format("not allowed to {}: {}", to_string(what), error.message)};
    default: return StepRefusal{matters, fmt::format("could not {}: {}", to_string(what), error.message)};
  }
}

}  // namespace rescheduler::migration
