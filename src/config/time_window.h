// When moves may begin, as people write it: "Mon-Fri 22:00-06:00", "Sat,Sun 00:00-24:00", "01:00-05:00". In UTC.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "config/rescheduling_settings.h"

namespace rescheduler::config {

// A window that ends before it begins goes past midnight and belongs to the day it begins on.
Result<TimeWindow> parse_time_window(std::string_view text);
std::string format_time_window(const TimeWindow& window);  // which parse_time_window() takes back

}  // namespace rescheduler::config
