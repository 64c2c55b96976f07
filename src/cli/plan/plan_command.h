// `rescheduler plan`: which pods would be moved where, and why. Reads; changes nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rescheduler::cli {

struct PlanOptions {
  std::vector<std::string> files{};  // dumps instead of a cluster; "-": standard input
  std::string usage{};               // FILE, prometheus=URL, metrics-server, requests; empty: the best there is
  std::vector<std::string> strategies{};
  std::string config{};     // KubeSchedulerConfiguration; default: the default profile
  std::uint32_t moves = 0;  // at most; 0: as many as it takes
  std::string output = "table";
  std::string kubeconfig{};
  std::string context{};
};

// 0: nothing to do, 2: there is a plan, 1: it could not be made.
int run_plan(const PlanOptions& options);

}  // namespace rescheduler::cli
