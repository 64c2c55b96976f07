// A kubeconfig's user entry, checked and made into a CredentialSpec.
#pragma once

#include <string>

#include "base/error.h"
#include "kube/config/client_config.h"
#include "kube/config/kubeconfig_model.h"

namespace rescheduler::kube {

// All problems of the entry in one error; Errc::Unsupported for what is understood but not done.
Result<CredentialSpec> credentials_of(const KubeconfigEntry<KubeconfigUser>& entry);

// The PEM text of FIELD-data or of the file in FIELD; empty when neither is given or there is a problem.
std::string load_pem(const YamlReader& at, const std::string& field, const InlineOrFile& value);

}  // namespace rescheduler::kube
