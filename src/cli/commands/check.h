// `rescheduler check`: checks whether rescheduler can run in a cluster: API server reachable, version supported, all
// permissions granted.
#pragma once

#include <string>

namespace rescheduler::cli {

struct CheckOptions {
  std::string kubeconfig{};
  std::string context{};
  bool print_role = false;
  bool print_whole_role = false;  // all permissions; needs no cluster
};

// Returns the exit code: 0 all checks passed, 1 a check failed (with a message).
int run_check(const CheckOptions& options);

}  // namespace rescheduler::cli
