// Parts of the installation that are missing or do not work. The daemon and doctor use the same sentences.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kube/discovery/self_check.h"

namespace rescheduler::cli {

struct InstallationProblem {
  std::string part;      // one of kInstallationParts
  std::string sentence;  // what is missing, and what does not work without it
  std::string fix;       // the command that fixes it
};

// The names of doctor's checks.
inline constexpr std::string_view kDefinitionPart = "definition";
inline constexpr std::string_view kPermissionsPart = "permissions";
inline constexpr std::string_view kWebhookPart = "webhook";
inline constexpr std::string_view kInstallationParts[] = {kDefinitionPart, kPermissionsPart, kWebhookPart};

// The file has the permissions and the definition of Migration.
inline constexpr std::string_view kApplyRbac = "kubectl apply -f manifests/rescheduler/rbac.yaml";

InstallationProblem definition_missing();
InstallationProblem webhook_broken(const std::string& trouble);
// One sentence about all missing permissions; nullopt: none is missing.
std::optional<InstallationProblem> permissions_missing(std::span<const kube::Permission> missing);

}  // namespace rescheduler::cli
