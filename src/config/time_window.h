// The text format of TimeWindow, in UTC: "Mon-Fri 22:00-06:00", "Sat,Sun 00:00-24:00", "01:00-05:00".
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "config/rescheduling_settings.h"

namespace rescheduler::config {

// A window whose end is before its start ends on the next day, and belongs to the day on which it starts.
Result<TimeWindow> parse_time_window(std::string_view text);
std::string format_time_window(const TimeWindow& window);  // parse_time_window() accepts the result

}  // namespace rescheduler::config
