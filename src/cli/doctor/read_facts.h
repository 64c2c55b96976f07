// Finds out what the checks judge. Only reads.
#pragma once

#include <string>

#include "base/error.h"
#include "cli/doctor/facts.h"
#include "kube/client/api.h"
#include "kube/client/loop_services.h"
#include "net/task.h"

namespace rescheduler::cli::doctor {

struct Look {
  kube::Api* api = nullptr;
  kube::Api* subject = nullptr;  // whose permissions are asked about; mostly the same
  std::string subject_name{};
  std::string ns = "kube-system";
  std::string name = "rescheduler-scheduler";
  std::string config_file{};  // instead of the ConfigMap; empty: none
  std::string config_text{};
};

// Fails only when the API server itself does not answer; what may not be looked at is among the facts.
net::Task<Result<Facts>> read_facts(Look look, kube::LoopServices services);

}  // namespace rescheduler::cli::doctor
