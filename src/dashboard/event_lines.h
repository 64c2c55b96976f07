// Events of an object as the pages show them. Pure: no I/O.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace rescheduler::api {
class Event;
}  // namespace rescheduler::api

namespace rescheduler::dashboard {

// JSON: [{"at", "warning", "reason", "text", "by", "count"}], latest first. Reads the last time and the count from both
// versions of the Event API.
std::string event_lines(const std::vector<std::shared_ptr<const api::Event>>& events, std::size_t most);

}  // namespace rescheduler::dashboard
