#include "sim/frontend/tables/age.h"

#include <cstdint>

#include "kube/value/time.h"

namespace rescheduler::sim {
namespace {

constexpr std::int64_t kDaysPerYear = 365;

// "5d2h", or "5d" if the smaller unit is zero.
std::string with_rest(std::int64_t whole, char unit, std::int64_t rest, char rest_unit) {
  std::string text = std::to_string(whole) + unit;
  if (rest != 0) text += std::to_string(rest) + rest_unit;
  return text;
}

}  // namespace

std::string human_duration(std::chrono::nanoseconds duration) {
  const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 2 * 60) return std::to_string(seconds) + "s";
  const std::int64_t minutes = seconds / 60;
  if (minutes < 10) return with_rest(minutes, 'm', seconds % 60, 's');
  if (minutes < 3 * 60) return std::to_string(minutes) + "m";
  const std::int64_t hours = minutes / 60;
  if (hours < 8) return with_rest(hours, 'h', minutes % 60, 'm');
  if (hours < 2 * 24) return std::to_string(hours) + "h";
  const std::int64_t days = hours / 24;
  if (days < 8) return with_rest(days, 'd', hours % 24, 'h');
  if (days < 2 * kDaysPerYear) return std::to_string(days) + "d";
  if (days < 8 * kDaysPerYear) return with_rest(days / kDaysPerYear, 'y', days % kDaysPerYear, 'd');
  return std::to_string(days / kDaysPerYear) + "y";
}

std::string human_age(std::string_view timestamp, WallTime now) {
  if (timestamp.empty()) return "<unknown>";
  const Result<WallTime> time = kube::parse_time(timestamp);
  return time ? human_duration(now - *time) : "<invalid>";
}

}  // namespace rescheduler::sim
