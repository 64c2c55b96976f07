// A scheduler extender as KubeSchedulerConfiguration describes it (`extenders[]`).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "config/configuration.h"
#include "net/http/http_client.h"

namespace rescheduler::scheduler {

using ExtenderSettings = config::Extender;

// Where it is and how it is trusted, as kube-scheduler reads it: HTTPS without an authority is HTTPS without
// verification. Reads the files. Errc::Invalid when the settings contradict each other.
struct ExtenderEndpoint {
  net::HttpClientSettings client;
  std::string base_path;  // the verb follows after a slash
};
Result<ExtenderEndpoint> endpoint_of(const ExtenderSettings& settings);

}  // namespace rescheduler::scheduler
