// How single values look in Kubernetes' JSON: strings, times, durations, bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rescheduler::kube {

// Appends text as a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD, as Go's encoder does it.
void append_json_string(std::string& out, std::string_view text);

struct TimePoint {
  std::int64_t seconds = 0;  // since 1970, UTC
  std::int32_t nanos = 0;    // 0 .. 999,999,999

  bool operator==(const TimePoint&) const = default;
};

enum class TimePrecision { Seconds, Micros };

// RFC 3339 in UTC. Times outside the years 0 to 9999 are drawn to the nearer end.
std::string format_time(TimePoint time, TimePrecision precision);
// Any RFC 3339 time, with or without fraction, in any zone.
std::optional<TimePoint> parse_time(std::string_view text);

// Go's notation: "1h2m3.5s", "100ms", "0s".
std::string format_duration(std::int64_t nanos);
std::optional<std::int64_t> parse_duration(std::string_view text);

// Standard alphabet with padding. Line breaks are skipped on the way in.
std::string base64_encode(std::string_view bytes);
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace rescheduler::kube
