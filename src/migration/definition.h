// The CustomResourceDefinition of Migration, as manifests/rescheduler/crd.yaml has it.
#pragma once

#include <string_view>

#include "base/error.h"
#include "kube/client/api.h"
#include "kube/client/loop_services.h"
#include "net/task.h"

namespace rescheduler::migration {

std::string_view definition_yaml();

// Has the cluster know Migrations: for embedded clusters and tests; a real one gets the manifest from its owner.
// Returns when the kind is served.
net::Task<Result<void>> ensure_definition(kube::Api& api, net::Timers& timers);

}  // namespace rescheduler::migration
