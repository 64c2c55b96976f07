// Runs one short command to its end and collects what it prints. Blocking: for a thread of its own.
//
// The command gets exactly the argv and environment given (no shell), no input, none of our descriptors, and a
// process group of its own. Whatever ends the wait early - deadline, stop request, too much output - kills that
// whole group and reaps the command. Descendants that outlive a normal end are left alone.
#pragma once

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

#include "base/error.h"

namespace rescheduler::kube {

struct ProcessRequest {
  std::string path;
  std::vector<std::string> argv{};  // argv[0] included
  std::vector<std::string> env{};   // "NAME=value"
  std::chrono::milliseconds timeout{60'000};
  std::size_t most_out = std::size_t{1} << 20;   // more is an error
  std::size_t most_err = std::size_t{16} << 10;  // more is read and dropped
};

struct ProcessOutcome {
  std::string out;
  std::string err;
  int exit_code = 0;
  int signal = 0;  // not 0: that signal ended it, and exit_code means nothing
};

// Timeout, Cancelled (stop), Invalid (too much output), Unavailable (could not be started).
Result<ProcessOutcome> run_process(const ProcessRequest& request, std::stop_token stop);

}  // namespace rescheduler::kube
