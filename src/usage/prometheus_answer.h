// What Prometheus answers to an instant query.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/error.h"

namespace rescheduler::usage {

struct Series {
  std::optional<std::string> label{};  // the value of the label asked for, if the series has it
  double value = 0.0;                  // may be NaN or infinite
  WallTime at{};
};

// The series of an answer's vector. An answer that says it failed, that is no vector, or that is no JSON is an error of
// one sentence.
Result<std::vector<Series>> read_vector(std::string_view body, std::string_view label);

// What an answer with another status than 200 complains of: its own words if it has any.
std::string complaint_of(int status, std::string_view body);

}  // namespace rescheduler::usage
