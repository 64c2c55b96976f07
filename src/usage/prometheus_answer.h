// Parses the response of Prometheus to an instant query.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/error.h"

namespace rescheduler::usage {

struct Series {
  std::optional<std::string> label{};  // the value of the requested label, if the series has it
  double value = 0.0;                  // may be NaN or infinite
  WallTime at{};
};

// The series of the response's vector. A response that reports an error, is not a vector, or is not JSON gives an error
// of one sentence.
Result<std::vector<Series>> read_vector(std::string_view body, std::string_view label);

// The error text of a response whose status is not 200: Prometheus' own text if there is one.
std::string complaint_of(int status, std::string_view body);

}  // namespace rescheduler::usage
