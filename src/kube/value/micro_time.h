// Rounds a WallTime to the API's MicroTime, so that a value that is read back equals the value that was written.
#pragma once

#include <chrono>

#include "kube/value/time.h"

namespace rescheduler::kube {

inline UnixTime unix_micros(WallTime time) {
  const auto micros = std::chrono::floor<std::chrono::microseconds>(time);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(micros);
  const std::chrono::nanoseconds rest = micros - seconds;
  return UnixTime{seconds.time_since_epoch().count(), static_cast<std::int32_t>(rest.count())};
}

}  // namespace rescheduler::kube
