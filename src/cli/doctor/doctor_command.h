// `rescheduler doctor`: checks whether a cluster is ready for rescheduler and whether rescheduler works there. Each
// finding has the command that fixes it.
#pragma once

#include <string>

namespace rescheduler::cli {

struct DoctorOptions {
  std::string kubeconfig{};
  std::string context{};
  std::string ns = "kube-system";
  std::string config{};              // a file instead of the ConfigMap in the cluster
  std::string as_service_account{};  // NAMESPACE/NAME: the account whose permissions are checked
  std::string output = "table";
};

// 0 no errors, 1 errors, 2 the cluster is unreachable or the options are wrong.
int run_doctor(const DoctorOptions& options);

}  // namespace rescheduler::cli
