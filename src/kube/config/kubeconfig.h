// Reads kubeconfig files like kubectl and turns them into a ClientConfig.
//
// Files: the explicit path, else the colon-separated $KUBECONFIG, else $HOME/.kube/config. The files of $KUBECONFIG are
// merged: the first file that names an entry wins, and missing files are skipped. Unknown fields are ignored. Proxies,
// auth providers and plugins that need a terminal are not supported (Errc::Unsupported).
// Every error names the file, the line, the path and what to do, and never contains a secret.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "kube/config/client_config.h"
#include "kube/config/environment.h"

namespace rescheduler::kube {

struct Kubeconfig;  // kubeconfig_model.h

struct KubeconfigSource {
  std::string explicit_path{};  // empty: $KUBECONFIG, else ~/.kube/config
  std::string context{};        // empty: the current-context
  Environment environment{};
};

Result<ClientConfig> load_kubeconfig(const KubeconfigSource& source);

// The same for entries that are already read and merged; errors name them by `files` ("kubeconfig /a:/b").
Result<ClientConfig> choose_client_config(const Kubeconfig& entries,
                                          const std::string& files,
                                          const KubeconfigSource& source);

// The paths that are searched, in order of precedence; the files need not exist.
std::vector<std::string> kubeconfig_paths(const KubeconfigSource& source);

}  // namespace rescheduler::kube
