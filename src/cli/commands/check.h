// `rescheduler check`: may it run here? Reachable, a version we know, every permission it will need.
#pragma once

#include <string>

namespace rescheduler::cli {

struct CheckOptions {
  std::string kubeconfig{};
  std::string context{};
  bool print_role = false;
  bool print_whole_role = false;  // of everything; no cluster is asked
};

// The process's exit code: 0 all is well, 1 something is missing or wrong (and was said).
int run_check(const CheckOptions& options);

}  // namespace rescheduler::cli
