// Events of an object as the pages show them. Pure.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace rescheduler::api {
class Event;
}  // namespace rescheduler::api

namespace rescheduler::dashboard {

// JSON: [{"at", "warning", "reason", "text", "by", "count"}], the latest first. Whoever wrote one, in the old way or
// the new one, said when it was last seen and how often.
std::string event_lines(const std::vector<std::shared_ptr<const api::Event>>& events, std::size_t most);

}  // namespace rescheduler::dashboard
