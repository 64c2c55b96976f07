// `rescheduler plan`: shows which pods would be moved where, and why. Changes nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rescheduler::cli {

struct PlanOptions {
  std::vector<std::string> files{};  // dumps instead of a cluster; "-": standard input
  std::string usage{};  // FILE, prometheus, prometheus=URL, metrics-server, requests; empty: the best available source
  std::vector<std::string> strategies{};
  std::string config{};     // KubeSchedulerConfiguration; default: the default profile
  std::uint32_t moves = 0;  // at most; 0: no limit
  std::string output = "table";
  std::string kubeconfig{};
  std::string context{};
};

// Exit code: 0 no moves, 2 there is a plan, 1 error.
int run_plan(const PlanOptions& options);

}  // namespace rescheduler::cli
