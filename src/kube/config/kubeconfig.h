// Kubeconfig files, read as kubectl reads them, made into a ClientConfig.
//
// Which files: the explicit path, else the colon-separated $KUBECONFIG (merged, the first file to name an entry wins,
// missing files are skipped), else $HOME/.kube/config. Unknown fields are ignored; what we understand and do not do
// (proxies, auth providers, plugins that need a terminal) is refused with Errc::Unsupported.
// Every error names file, line, path and what to do, and never a secret.
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

// The same for entries already read and merged; `files` names them in errors ("kubeconfig /a:/b").
Result<ClientConfig> choose_client_config(const Kubeconfig& entries,
                                          const std::string& files,
                                          const KubeconfigSource& source);

// The paths that would be looked at, in order of precedence; they need not exist.
std::vector<std::string> kubeconfig_paths(const KubeconfigSource& source);

}  // namespace rescheduler::kube
