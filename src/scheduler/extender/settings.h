// A scheduler extender as KubeSchedulerConfiguration describes it (`extenders[]`).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "net/http_client.h"

namespace rescheduler::scheduler {

struct ExtenderTls {
  bool insecure = false;
  std::string server_name{};
  // Files and their content in PEM; content goes first.
  std::string certificate_file{}, key_file{}, ca_file{};
  std::string certificate_data{}, key_data{}, ca_data{};
};

struct ManagedResource {
  std::string name;
  bool ignored_by_scheduler = false;  // the extender alone counts it
};

struct ExtenderSettings {
  std::string url_prefix;
  // A verb that is empty is not asked of it.
  std::string filter_verb{}, preempt_verb{}, prioritize_verb{}, bind_verb{};
  std::int64_t weight = 0;  // of its scores
  bool enable_https = false;
  ExtenderTls tls{};
  std::chrono::nanoseconds http_timeout{};         // 0: 5 s
  bool node_cache_capable = false;                 // it knows nodes and pods itself: names and UIDs will do
  std::vector<ManagedResource> managed_resources;  // empty: every pod concerns it
  bool ignorable = false;                          // scheduling goes on without it when it fails
};

inline constexpr std::chrono::seconds kDefaultExtenderTimeout{5};

// Where it is and how it is trusted, as kube-scheduler reads it: HTTPS without an authority is HTTPS without
// verification. Reads the files. Errc::Invalid when the settings contradict each other.
struct ExtenderEndpoint {
  net::HttpClientSettings client;
  std::string base_path;  // the verb follows after a slash
};
Result<ExtenderEndpoint> endpoint_of(const ExtenderSettings& settings);

}  // namespace rescheduler::scheduler
