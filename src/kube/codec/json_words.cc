#include "kube/codec/json_words.h"

#include <cmath>

#include <fmt/format.h>

#include "kube/codec/json_scalars.h"
#include "kube/value/time.h"

namespace rescheduler::kube {

std::string json_string_or_null(std::string_view text) { return text.empty() ? "null" : json_string(text); }

std::string json_time(WallTime time) { return time == WallTime{} ? "null" : json_string(format_time(time)); }

std::string json_number(double value, int digits) {
  if (!std::isfinite(value)) return "null";
  const double unit = std::pow(10.0, digits);
  const double rounded = std::round(value * unit) / unit;
  return fmt::format("{}", rounded == 0 ? 0.0 : rounded);
}

std::string json_percent(double share) { return json_number(share * 100, 1); }

}  // namespace rescheduler::kube
