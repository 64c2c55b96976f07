#include "dashboard/json.h"

#include <cmath>

#include <fmt/format.h>

#include "kube/codec/json_scalars.h"
#include "kube/value/time.h"

namespace rescheduler::dashboard {

std::string quoted(std::string_view text) {
  std::string out;
  kube::append_json_string(out, text);
  return out;
}

std::string quoted_or_null(std::string_view text) { return text.empty() ? "null" : quoted(text); }

std::string time_text(WallTime time) { return time == WallTime{} ? "null" : quoted(kube::format_time(time)); }

std::string number(double value, int digits) {
  if (!std::isfinite(value)) return "null";
  const double unit = std::pow(10.0, digits);
  const double rounded = std::round(value * unit) / unit;
  return fmt::format("{}", rounded == 0 ? 0.0 : rounded);
}

std::string percent(double share) { return number(share * 100, 1); }

std::string boolean(bool value) { return value ? "true" : "false"; }

}  // namespace rescheduler::dashboard
