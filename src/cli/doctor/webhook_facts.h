// The state of the webhook as the API server sees it: configuration, caBundle, Service and answer.
#pragma once

#include <string>

#include "base/error.h"
#include "cli/doctor/facts.h"
#include "kube/client/api.h"
#include "kube/client/loop_services.h"
#include "net/task.h"

namespace rescheduler::cli::doctor {

// NotFound: the configuration does not exist.
net::Task<Result<WebhookFacts>> read_webhook(kube::Api& api, std::string name, kube::LoopServices services);

}  // namespace rescheduler::cli::doctor
