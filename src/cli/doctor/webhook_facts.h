// The webhook as the API server meets it: is it asked, is its authority known, does it answer?
#pragma once

#include <string>

#include "base/error.h"
#include "cli/doctor/facts.h"
#include "kube/client/api.h"
#include "kube/client/loop_services.h"
#include "net/task.h"

namespace rescheduler::cli::doctor {

// NotFound: there is no such configuration.
net::Task<Result<WebhookFacts>> read_webhook(kube::Api& api, std::string name, kube::LoopServices services);

}  // namespace rescheduler::cli::doctor
