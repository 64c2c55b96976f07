#include "cli/daemon/startup_check.h"

#include <set>

#include "base/log.h"
#include "cli/daemon/permissions.h"
#include "cli/messages.h"

namespace rescheduler::cli {

net::Task<void> log_missing_permissions(kube::Api& api, kube::LoopServices services) {
  auto missing = co_await kube::find_missing(api, needed_permissions(), services, 2);
  if (!missing) {
    if (missing.error().code != Errc::Cancelled)
      log_warning(messages::kPermissionsUnknown, {{"err", missing.error().message}});
    co_return;
  }
  std::set<std::string> said;
  for (const kube::Permission& one : *missing) {
    const std::string what = kube::describe(one);
    if (said.insert(what).second) {
      log_error(
          messages::kPermissionMissing,
          {{"permission", what}, {"needed", one.why}, {"fix", "kubectl apply -f manifests/rescheduler/rbac.yaml"}});
    }
  }
  if (missing->empty()) log_debug("every permission it needs is granted");
}

}  // namespace rescheduler::cli
