// `rescheduler explain POD`: verdict and scores of every node by plugin, and the chosen node.
#pragma once

#include <string>

namespace rescheduler::cli {

struct ExplainOptions {
  std::string pod{};  // NAMESPACE/NAME, or NAME in --namespace
  std::string ns = "default";
  std::string dump{};    // a file instead of a cluster; "-": standard input
  std::string batch{};   // a folder of *.dump.json files; each file names its pod
  std::string config{};  // KubeSchedulerConfiguration; default: the default profile
  std::string output = "table";
  std::string kubeconfig{};
  std::string context{};
};

int run_explain(const ExplainOptions& options);

}  // namespace rescheduler::cli
