// Runs another program for a test: no shell, output captured.
#pragma once

#include <string>
#include <vector>

namespace rescheduler::test {

struct CommandOutcome {
  int exit_code = -1;  // 128 + signal if a signal killed it
  std::string output;  // stdout
};

// stderr goes to the test's own stderr.
CommandOutcome run_command(const std::vector<std::string>& argv);

}  // namespace rescheduler::test
