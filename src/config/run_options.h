// The flags of the daemon, named as kube-scheduler names them, and what they change in a configuration.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "config/configuration.h"

namespace rescheduler::config {

struct RunOptions {
  std::string config{};  // file; empty: the defaults and the flags below

  // --leader-elect*: beat the file.
  std::optional<bool> leader_elect{};
  std::optional<std::string> leader_elect_lease_duration{};
  std::optional<std::string> leader_elect_renew_deadline{};
  std::optional<std::string> leader_elect_retry_period{};
  std::optional<std::string> leader_elect_resource_lock{};
  std::optional<std::string> leader_elect_resource_name{};
  std::optional<std::string> leader_elect_resource_namespace{};

  // Without a file only; with one they are said to be ignored.
  std::optional<std::string> kubeconfig{};
  std::optional<double> kube_api_qps{};
  std::optional<int> kube_api_burst{};
  std::optional<std::string> kube_api_content_type{};
  std::optional<bool> profiling{};

  // In no file.
  std::string bind_address = "0.0.0.0";
  int secure_port = 10259;      // 0: serve nothing
  std::string tls_cert_file{};  // empty: made for the occasion
  std::string tls_private_key_file{};
  std::string client_ca_file{};
  std::string authentication_kubeconfig{};  // empty: as the client connection
  std::string authorization_kubeconfig{};
  int verbosity = 0;                            // --v
  std::optional<std::string> logging_format{};  // --logging-format: text or json; beats the file
  bool log_to_stderr = true;                    // --logtostderr; there is nothing else
};

struct AppliedOptions {
  Configuration configuration;
  std::vector<std::string> notes{};  // what a flag did not do
};

// The configuration with the flags on top, or every flag that is wrong in one error.
Result<AppliedOptions> apply(const RunOptions& options, Configuration configuration);

}  // namespace rescheduler::config
