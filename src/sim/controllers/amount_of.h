// A count or a share of something, as bounds of rollouts are given.
#pragma once

#include <cstdint>

#include "kube/value/int_or_string.h"

namespace rescheduler::api {
class IntOrString;
}  // namespace rescheduler::api

namespace rescheduler::sim {

// Zero when it cannot be understood: validation lets no such thing in.
std::int32_t amount_of(const api::IntOrString& amount, std::int32_t of, kube::IntOrString::Rounding rounding);

}  // namespace rescheduler::sim
