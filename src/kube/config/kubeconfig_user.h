// Validates a user entry of a kubeconfig and turns it into a CredentialSpec.
#pragma once

#include <string>

#include "base/error.h"
#include "kube/config/client_config.h"
#include "kube/config/kubeconfig_model.h"

namespace rescheduler::kube {

// One error with all problems of the entry; Errc::Unsupported for methods that this program does not implement.
Result<CredentialSpec> credentials_of(const KubeconfigEntry<KubeconfigUser>& entry);

// The PEM text of FIELD-data or of the file in FIELD; empty if neither is set or there is a problem.
std::string load_pem(const YamlReader& at, const std::string& field, const InlineOrFile& value);

}  // namespace rescheduler::kube
