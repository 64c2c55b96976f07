// The messages of exec credential plugins (client.authentication.k8s.io/v1 and v1beta1): the content of
// KUBERNETES_EXEC_INFO, and the parsed answer. This file starts no process.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"
#include "kube/config/client_config.h"

namespace rescheduler::kube {

struct ExecClusterInfo {
  std::string server;
  std::string tls_server_name{};
  bool insecure_skip_tls_verify = false;
  std::string ca_pem{};
  std::string config_json{};  // the cluster's exec extension; empty: none
};

std::string exec_cluster_json(const ExecClusterInfo& cluster);

// The value of KUBERNETES_EXEC_INFO.
std::string exec_info_json(const ExecPlugin& plugin);

struct ExecAnswer {
  Secret token{};
  std::shared_ptr<const ClientCertificate> certificate{};
  std::optional<WallTime> expires{};
};

// Errors never quote the answer, because it contains credentials.
Result<ExecAnswer> parse_exec_answer(std::string_view text, const ExecPlugin& plugin);

}  // namespace rescheduler::kube
