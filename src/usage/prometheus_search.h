// Node loads from a Prometheus whose address is not configured: its Service is found by name, in given namespaces only,
// so that nobody can offer a false Prometheus in another namespace.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/client/loop_services.h"
#include "usage/prometheus_source.h"
#include "usage/source.h"

namespace rescheduler::api {
class Service;
}  // namespace rescheduler::api
namespace rescheduler::kube {
class Api;
}  // namespace rescheduler::kube

namespace rescheduler::usage {

using ServicePtr = std::shared_ptr<const api::Service>;

// The address of the Prometheus among the Services of one namespace; nothing: no Service has a known name and a port
// for HTTP. The known names are in the .cc file, best first.
std::optional<std::string> prometheus_address(const std::vector<ServicePtr>& services);

// `settings.url` is not used. The address is kept while reads succeed. Without a Service, read() fails with
// Errc::NotFound. `api` must outlive the source. Needs the verb `list` on services.
std::unique_ptr<Source> make_found_prometheus_source(kube::Api& api,
                                                     const kube::LoopServices& services,
                                                     PrometheusSettings settings,
                                                     std::vector<std::string> namespaces);

}  // namespace rescheduler::usage
