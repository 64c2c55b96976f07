// `rescheduler doctor`: is this cluster fit for it, and is it well there? Each finding comes with the command that
// mends it.
#pragma once

#include <string>

namespace rescheduler::cli {

struct DoctorOptions {
  std::string kubeconfig{};
  std::string context{};
  std::string ns = "kube-system";
  std::string config{};              // a file, instead of the ConfigMap in the cluster
  std::string as_service_account{};  // NAMESPACE/NAME: whose permissions are asked about
  std::string output = "table";
};

// 0 no errors, 1 errors, 2 the cluster cannot be reached (or the options are wrong).
int run_doctor(const DoctorOptions& options);

}  // namespace rescheduler::cli
