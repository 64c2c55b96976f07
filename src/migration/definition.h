// The CustomResourceDefinition of Migration, embedded from charts/rescheduler/crds/crd.yaml.
#pragma once

#include <string_view>

#include "base/error.h"
#include "kube/client/api.h"
#include "kube/client/loop_services.h"
#include "net/task.h"

namespace rescheduler::migration {

std::string_view definition_yaml();

// Installs the CustomResourceDefinition and returns when the kind is served. For embedded clusters and tests; in a real
// cluster the administrator applies the manifest.
net::Task<Result<void>> ensure_definition(kube::Api& api, net::Timers& timers);

}  // namespace rescheduler::migration
