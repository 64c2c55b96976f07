// A count or a percentage, as in maxSurge and maxUnavailable.
#pragma once

#include <cstdint>

#include "kube/value/int_or_string.h"

namespace rescheduler::api {
class IntOrString;
}  // namespace rescheduler::api

namespace rescheduler::sim {

// Zero for an invalid value; validation rejects such values before.
std::int32_t amount_of(const api::IntOrString& amount, std::int32_t of, kube::IntOrString::Rounding rounding);

}  // namespace rescheduler::sim
