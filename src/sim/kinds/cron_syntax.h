// The syntax of CronJob schedules: five fields, or a word such as @hourly.
#pragma once

#include <string>
#include <string_view>

namespace rescheduler::sim {

// What is wrong with a schedule, in the words of the parser Kubernetes uses; empty when nothing is.
std::string cron_fault(std::string_view schedule);

}  // namespace rescheduler::sim
