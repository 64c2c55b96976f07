// Node loads from a file: a recorded series, for tests and demonstrations. JSON lines, sorted by time:
//
//   {"at": "2026-05-04T12:00:00Z", "node": "node-1", "resource": "cpu", "value": 0.42}
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "usage/source.h"

namespace rescheduler::usage {

enum class RecordedTime {
  AsWritten,
  FromFirstReading,  // the first line counts as the time of the first read; the others keep their distances
};

// Errc::Invalid names the line: not JSON, unknown resource, not sorted by time, or a second value for a node at the
// same time.
Result<std::vector<Sample>> parse_recorded(std::string_view lines, const std::vector<std::string>& resources);

std::unique_ptr<Source> make_recorded_source(std::vector<Sample> samples, RecordedTime time);
Result<std::unique_ptr<Source>> make_recorded_source(const std::string& path,
                                                     const std::vector<std::string>& resources,
                                                     RecordedTime time);

}  // namespace rescheduler::usage
