// `rescheduler validate`: reads a scheduler configuration and prints the effective configuration, or all errors in it.
#pragma once

#include <string>
#include <string_view>

namespace rescheduler::cli {

struct ValidateOptions {
  std::string config{};  // a path; "-" is standard input
};

struct Verdict {
  int exit_code = 0;
  std::string output;      // the effective configuration, if it is valid
  std::string complaints;  // "FILE:LINE:COLUMN: what", one per line: errors, then notes
};

Verdict validate(std::string_view text, std::string_view file_name);

int run_validate(const ValidateOptions& options);  // returns the exit code

}  // namespace rescheduler::cli
