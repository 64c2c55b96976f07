// Reads the facts for the checks. Changes nothing.
#pragma once

#include <string>

#include "base/error.h"
#include "cli/doctor/facts.h"
#include "kube/client/api.h"
#include "kube/client/loop_services.h"
#include "net/task.h"

namespace rescheduler::cli::doctor {

struct FactsRequest {
  kube::Api* api = nullptr;
  kube::Api* subject = nullptr;  // the client whose permissions are checked; usually the same
  std::string subject_name{};
  std::string ns = "kube-system";
  std::string name = "rescheduler-scheduler";
  std::string config_file{};  // instead of the ConfigMap; empty: read the ConfigMap
  std::string config_text{};
};

// Fails only if the API server does not answer. Objects that cannot be read are in Facts::unread.
net::Task<Result<Facts>> read_facts(FactsRequest request, kube::LoopServices services);

}  // namespace rescheduler::cli::doctor
