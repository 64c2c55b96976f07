// The configuration of a process in a pod, and the order in which configurations are searched.
#pragma once

#include <string>

#include "base/error.h"
#include "kube/config/client_config.h"
#include "kube/config/environment.h"
#include "kube/config/kubeconfig.h"

namespace rescheduler::kube {

inline constexpr const char* kServiceAccountDirectory = "/var/run/secrets/kubernetes.io/serviceaccount";

// KUBERNETES_SERVICE_HOST and _PORT, and the token (read again when renewed), ca.crt and namespace of the service
// account. NotFound: this process does not run in a pod. Any other error: it runs in a pod, but something is missing
// there.
Result<ClientConfig> in_cluster_config(const Environment& environment,
                                       const std::string& directory = kServiceAccountDirectory);

// Uses the first source that applies. If that source is broken, default_config() fails, because the next source could
// be another cluster.
//   1. source.explicit_path   2. $KUBECONFIG   3. in-cluster   4. $HOME/.kube/config
// Only a kubeconfig has contexts: with source.context set, in-cluster is skipped.
Result<ClientConfig> default_config(const KubeconfigSource& source,
                                    const std::string& service_account_directory = kServiceAccountDirectory);

}  // namespace rescheduler::kube
