// The configuration a pod finds around itself, and the order in which configurations are looked for.
#pragma once

#include <string>

#include "base/error.h"
#include "kube/config/client_config.h"
#include "kube/config/environment.h"
#include "kube/config/kubeconfig.h"

namespace rescheduler::kube {

inline constexpr const char* kServiceAccountDirectory = "/var/run/secrets/kubernetes.io/serviceaccount";

// KUBERNETES_SERVICE_HOST and _PORT, and the service account's token (re-read as it is renewed), ca.crt and namespace.
// NotFound: this process does not run in a pod. Anything else: it does, and something is missing there.
Result<ClientConfig> in_cluster_config(const Environment& environment,
                                       const std::string& directory = kServiceAccountDirectory);

// The first of these that applies; a chosen one that is broken is an error, never a reason to try another cluster:
//   1. source.explicit_path   2. $KUBECONFIG   3. in-cluster   4. $HOME/.kube/config
// A context can be chosen only in a kubeconfig: with source.context set, in-cluster is skipped.
Result<ClientConfig> default_config(const KubeconfigSource& source,
                                    const std::string& service_account_directory = kServiceAccountDirectory);

}  // namespace rescheduler::kube
