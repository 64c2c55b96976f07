#include "cli/composition/installation.h"

#include <set>

#include <fmt/format.h>

namespace rescheduler::cli {

InstallationProblem definition_missing() {
  return {std::string(kDefinitionPart),
          "the CustomResourceDefinition of Migration (rescheduler.io/v1alpha1) is not installed: no pods are moved",
          std::string(kApplyRbac)};
}

InstallationProblem webhook_broken(const std::string& trouble) {
  return {std::string(kWebhookPart),
          fmt::format("pods of other schedulers do not get the nodes to avoid, because the webhook does not work: {}",
                      trouble),
          "kubectl apply -f manifests/rescheduler/"};
}

std::optional<InstallationProblem> permissions_missing(std::span<const kube::Permission> missing) {
  if (missing.empty()) return std::nullopt;
  std::set<std::string> distinct;  // one permission can have two reasons
  for (const kube::Permission& one : missing) distinct.insert(kube::describe(one));
  std::string sentence = fmt::format("rescheduler has no permission to {}, needed {}", kube::describe(missing.front()),
                                     missing.front().why);
  if (distinct.size() > 1) sentence += fmt::format("; {} permissions are missing in total", distinct.size());
  return InstallationProblem{std::string(kPermissionsPart), std::move(sentence), std::string(kApplyRbac)};
}

}  // namespace rescheduler::cli
