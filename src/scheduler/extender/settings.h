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

// Address and TLS settings of the extender, read as kube-scheduler reads them: HTTPS without a CA means HTTPS without
// verification. Reads the certificate files. Errc::Invalid if the settings contradict each other.
struct ExtenderEndpoint {
  net::HttpClientSettings client;
  std::string base_path;  // the verb follows after a slash
};
Result<ExtenderEndpoint> endpoint_of(const ExtenderSettings& settings);

}  // namespace rescheduler::scheduler
