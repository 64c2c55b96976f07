// The flags of the daemon, with the names of kube-scheduler, and their effect on a configuration.
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
  std::string config{};  // path; empty: the defaults and the flags below

  // --leader-elect*: have priority over the file.
  std::optional<bool> leader_elect{};
  std::optional<std::string> leader_elect_lease_duration{};
  std::optional<std::string> leader_elect_renew_deadline{};
  std::optional<std::string> leader_elect_retry_period{};
  std::optional<std::string> leader_elect_resource_lock{};
  std::optional<std::string> leader_elect_resource_name{};
  std::optional<std::string> leader_elect_resource_namespace{};

  // Only without a file. With a file, a note reports that they are ignored.
  std::optional<std::string> kubeconfig{};
  std::optional<double> kube_api_qps{};
  std::optional<int> kube_api_burst{};
  std::optional<std::string> kube_api_content_type{};
  std::optional<bool> profiling{};

  // Not part of the file.
  std::string bind_address = "0.0.0.0";
  int secure_port = 10259;      // 0: serve nothing
  std::string tls_cert_file{};  // empty: a self-signed certificate is created at the start
  std::string tls_private_key_file{};
  std::string client_ca_file{};
  std::string authentication_kubeconfig{};  // empty: that of the client connection
  std::string authorization_kubeconfig{};
  int verbosity = 0;                            // --v
  std::optional<std::string> logging_format{};  // --logging-format: text or json; has priority over the file
  bool log_to_stderr = true;                    // --logtostderr; the only destination
};

struct AppliedOptions {
  Configuration configuration;
  std::vector<std::string> notes{};  // flags that were ignored
};

// The configuration with the flags applied, or one error that names all invalid flags.
Result<AppliedOptions> apply(const RunOptions& options, Configuration configuration);

}  // namespace rescheduler::config
