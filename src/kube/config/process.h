// Runs one short command until it exits and collects its output. Blocking: call it on a separate thread.
//
// The command gets exactly the given argv and environment (no shell), no input, no inherited descriptors, and its own
// process group. A deadline, a stop request or too much output kills the whole group and reaps the command. Descendants
// that survive a normal exit are not killed.
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
  std::size_t most_out = std::size_t{1} << 20;   // more output is an error
  std::size_t most_err = std::size_t{16} << 10;  // more output is read and dropped
};

struct ProcessOutcome {
  std::string out;
  std::string err;
  int exit_code = 0;
  int signal = 0;  // not 0: the signal that ended the command; exit_code is then invalid
};

// Timeout, Cancelled (stop), Invalid (too much output), Unavailable (could not be started).
Result<ProcessOutcome> run_process(const ProcessRequest& request, std::stop_token stop);

}  // namespace rescheduler::kube
